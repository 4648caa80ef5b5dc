#include "core/base/binned_sum.hpp"

#include <cmath>

#include "core/base/exact_sum.hpp"

namespace silva {

double BinnedSum::value() const {
    ExactSum sum;
    constexpr int bits = 48;  // pieces of mantissas that float64 holds exactly, with room to spare
    for (int exponent = 1; exponent < kExponents; ++exponent) {
        unsigned __int128 rest = bins_[exponent];
        for (int shift = exponent - 1075; rest != 0; shift += bits, rest >>= bits) {
            const auto piece = static_cast<uint64_t>(rest) & ((uint64_t{1} << bits) - 1);
            if (piece != 0) sum.add(std::ldexp(static_cast<double>(piece), shift));
        }
    }
    return sum.value();
}

}  // namespace silva
