// Sums of many numbers that are not negative, without rounding on the way.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/exact_sum.hpp"

namespace silva {

// Mantissas are added up as integers, by exponent; `value` rounds once. Up to 2^64 finite terms.
class BinnedSum {
  public:
    void add(double x) {
        const auto bits = std::bit_cast<uint64_t>(x);
        const uint64_t exponent = bits >> 52, fraction = bits & ((uint64_t{1} << 52) - 1);
        if (exponent == 0)
            bins_[1] += fraction;
        else
            bins_[exponent] += fraction | uint64_t{1} << 52;
    }
    void add(const BinnedSum& other) {
        for (int exponent = 1; exponent < kExponents; ++exponent)
            bins_[exponent] += other.bins_[exponent];
    }
    double value() const {
        ExactSum sum;
        constexpr int bits = 48;  // pieces of mantissas that float64 holds exactly
        for (int exponent = 1; exponent < kExponents; ++exponent) {
            unsigned __int128 rest = bins_[exponent];
            for (int shift = exponent - 1075; rest != 0; shift += bits, rest >>= bits) {
                const auto piece = static_cast<uint64_t>(rest) & ((uint64_t{1} << bits) - 1);
                if (piece != 0) sum.add(std::ldexp(static_cast<double>(piece), shift));
            }
        }
        return sum.value();
    }

  private:
    static constexpr int kExponents = 2047;
    std::vector<unsigned __int128> bins_ = std::vector<unsigned __int128>(kExponents, 0);
};

}  // namespace silva
