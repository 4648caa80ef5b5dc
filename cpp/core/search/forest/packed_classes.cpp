#include "core/search/forest/packed_classes.hpp"

#include <algorithm>
#include <bit>

namespace silva {
namespace {

void sum_heavy(const uint32_t* rows, int64_t n, uint32_t* sums) {
    std::fill_n(sums, kSumClasses, 0u);
    for (int64_t i = 0; i < n; ++i) sums[rows[i] & 0xFFu] += rows[i] >> 8;
}

void sum_heavy_bits(const uint64_t* words, const uint32_t* rows, int64_t n, uint64_t wanted,
                    uint32_t* sums) {
    for (uint64_t rest = wanted; rest != 0; rest &= rest - 1)
        std::fill_n(sums + std::countr_zero(rest) * kSumClasses, kSumClasses, 0u);
    for (int64_t i = 0; i < n; ++i)
        for (uint64_t word = words[i] & wanted; word != 0; word &= word - 1)
            sums[std::countr_zero(word) * kSumClasses + (rows[i] & 0xFFu)] += rows[i] >> 8;
}

}  // namespace

void sum_classes(const uint32_t* rows, int64_t n, bool light, uint32_t* sums) {
    if (light) return simd::kernels().packed_classes.sum_light(rows, n, sums);
    sum_heavy(rows, n, sums);
}

void sum_bits(const uint64_t* words, const uint32_t* rows, int64_t n, uint64_t wanted, bool light,
              uint32_t* sums) {
    if (light) return simd::kernels().packed_classes.sum_light_bits(words, rows, n, wanted, sums);
    sum_heavy_bits(words, rows, n, wanted, sums);
}

}  // namespace silva
