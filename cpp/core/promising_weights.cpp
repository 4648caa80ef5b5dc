#include "core/promising_weights.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/weight_position.hpp"
#include "core/wide.hpp"

namespace silva {
namespace {

uint64_t each_position(const WeightFilter& f, WeightPosition at, const int64_t* values, int n) {
    uint64_t mask = 0;
    for (int j = 0; j < n; ++j) {
        mask |= static_cast<uint64_t>(is_promising(f, at)) << j;
        at.sum += std::max<int64_t>(values[j], 0);
        at.left += std::abs(values[j]);
    }
    return mask;
}

template <class Id>
uint64_t plainly(const WeightFilter& f, const int64_t* weights, const Id* entries, int n,
                 const WeightPosition& first, int64_t* values) {
    constexpr Id new_bit = Id(Id(1) << (8 * sizeof(Id) - 1));
    int64_t ones = 0, both = 0;
    for (int j = 0; j < n; ++j) {
        values[j] = weights[Id(entries[j] & ~new_bit)];
        ones += std::max<int64_t>(values[j], 0);
        both += std::abs(values[j]);
    }
    if (!has_promising_corner(f, first, ones, both - ones)) return 0;
    return each_position(f, first, values, n);
}

#ifdef SILVA_HAS_WIDE
SILVA_WIDE inline __m256i ids_of(const uint32_t* entries, __mmask8 here) {
    return _mm256_and_si256(_mm256_maskz_loadu_epi32(here, entries), _mm256_set1_epi32(0x7FFFFFFF));
}
SILVA_WIDE inline __m256i ids_of(const uint16_t* entries, __mmask8 here) {
    const __m256i wide = _mm256_cvtepu16_epi32(_mm_maskz_loadu_epi16(here, entries));
    return _mm256_and_si256(wide, _mm256_set1_epi32(0x7FFF));
}

template <class Id>
SILVA_WIDE uint64_t widely(const WeightFilter& f, const int64_t* weights, const Id* entries, int n,
                           const WeightPosition& first, int64_t* values) {
    const __m512i zero = _mm512_setzero_si512();
    __m512i ones = zero, both = zero;
    for (int j = 0; j < n; j += 8) {
        const auto here = static_cast<__mmask8>(n - j < 8 ? (1u << (n - j)) - 1 : 0xFFu);
        const __m512i found = _mm512_mask_i32gather_epi64(zero, here, ids_of(entries + j, here),
                                                          weights, sizeof(int64_t));
        _mm512_mask_storeu_epi64(values + j, here, found);
        ones = _mm512_add_epi64(ones, _mm512_max_epi64(found, zero));
        both = _mm512_add_epi64(both, _mm512_abs_epi64(found));
    }
    int64_t by_lane[16];
    _mm512_storeu_si512(by_lane, ones);
    _mm512_storeu_si512(by_lane + 8, both);
    const int64_t sum = std::accumulate(by_lane, by_lane + 8, int64_t{0});
    const int64_t all = std::accumulate(by_lane + 8, by_lane + 16, int64_t{0});
    if (!has_promising_corner(f, first, sum, all - sum)) return 0;
    return each_position(f, first, values, n);
}
#endif

template <class Id>
uint64_t promising(const WeightFilter& f, const int64_t* weights, const Id* entries, int n,
                   const WeightPosition& first, int64_t* values) {
#ifdef SILVA_HAS_WIDE
    if (can_go_wide()) return widely(f, weights, entries, n, first, values);
#endif
    return plainly(f, weights, entries, n, first, values);
}

}  // namespace

uint64_t promising_weights(const WeightFilter& filter, const int64_t* weights,
                           const uint16_t* entries, int n, int64_t first_sum, int64_t first_left,
                           int64_t* values) {
    return promising(filter, weights, entries, n, {first_sum, first_left}, values);
}
uint64_t promising_weights(const WeightFilter& filter, const int64_t* weights,
                           const uint32_t* entries, int n, int64_t first_sum, int64_t first_left,
                           int64_t* values) {
    return promising(filter, weights, entries, n, {first_sum, first_left}, values);
}

}  // namespace silva
