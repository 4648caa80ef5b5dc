#include "core/projections/node_rows.hpp"

#include <numeric>

#include "core/base/random.hpp"

namespace silva {

std::vector<uint32_t> sample_of(int64_t n, int64_t most, uint64_t hash) {
    std::vector<uint32_t> sample(static_cast<size_t>(std::min(n, most)));
    if (n <= most) {
        std::iota(sample.begin(), sample.end(), 0u);
        return sample;
    }
    for (int64_t i = 0; i < most; ++i) {
        const int64_t begin = i * n / most, end = (i + 1) * n / most;
        const uint64_t draw = mix(hash, static_cast<uint64_t>(i));
        sample[i] = static_cast<uint32_t>(begin + draw % static_cast<uint64_t>(end - begin));
    }
    return sample;
}

}  // namespace silva
