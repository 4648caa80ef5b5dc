#include "core/forest/random_cut.hpp"

#include "core/wide.hpp"

namespace silva {
namespace {

template <class Value>
RandomPairs random_pairs_of(const Value* values, const uint32_t* pairs, int64_t n, uint64_t hash) {
    const Range<Value> range = range_of(values, n);
    if (range.low == range.high) return {true, 0.0, {0, 0}};
    const double threshold = random_between(range.low, range.high, hash);
    return {false, threshold, pairs_below(values, pairs, n, least_not_below<Value>(threshold))};
}

#ifdef SILVA_HAS_WIDE

constexpr int64_t kFew = 32;

// The lowest of both registers and the highest of both, in one chain of comparisons.
SILVA_WIDE inline Range<float> range_of_few(__m512 low, __m512 high) {
    const __m512 flipped = _mm512_sub_ps(_mm512_setzero_ps(), high);
    // The lower half: the lowest values; the upper half: minus the highest.
    __m512 both = _mm512_min_ps(_mm512_shuffle_f32x4(low, flipped, 0x44),
                                _mm512_shuffle_f32x4(low, flipped, 0xEE));
    both = _mm512_min_ps(both, _mm512_shuffle_f32x4(both, both, 0xB1));
    both = _mm512_min_ps(both, _mm512_shuffle_ps(both, both, 0x4E));
    both = _mm512_min_ps(both, _mm512_shuffle_ps(both, both, 0xB1));
    return {_mm512_cvtss_f32(both), -_mm_cvtss_f32(_mm512_extractf32x4_ps(both, 2))};
}

SILVA_WIDE RandomPairs random_pairs_of_few(const float* values, const uint32_t* pairs, int64_t n,
                                           uint64_t hash) {
    const uint32_t rows = n == kFew ? ~uint32_t{0} : (uint32_t{1} << n) - 1;
    const auto here = static_cast<__mmask16>(rows), more = static_cast<__mmask16>(rows >> 16);
    const __m512 any = _mm512_set1_ps(values[0]);
    const __m512 first = _mm512_mask_loadu_ps(any, here, values);
    const __m512 second = _mm512_mask_loadu_ps(any, more, values + 16);
    const Range<float> range =
        range_of_few(_mm512_min_ps(first, second), _mm512_max_ps(first, second));
    if (range.low == range.high) return {true, 0.0, {0, 0}};
    const double threshold = random_between(range.low, range.high, hash);
    const __m512 cut = _mm512_set1_ps(least_not_below<float>(threshold));
    const __mmask16 below = _mm512_mask_cmp_ps_mask(here, first, cut, _CMP_LT_OQ);
    const __mmask16 more_below = _mm512_mask_cmp_ps_mask(more, second, cut, _CMP_LT_OQ);
    const __m512i left = _mm512_maskz_loadu_epi32(below, pairs);
    const __m512i more_left = _mm512_maskz_loadu_epi32(more_below, pairs + 16);
    // Both sums of 16 bits each in 64-bit lanes: no carry from one into the other.
    const __m512i low_half = _mm512_set1_epi32(0xFFFF);
    const __m512i lows =
        _mm512_add_epi32(_mm512_and_si512(left, low_half), _mm512_and_si512(more_left, low_half));
    const __m512i highs =
        _mm512_add_epi32(_mm512_srli_epi32(left, 16), _mm512_srli_epi32(more_left, 16));
    // 16 lanes of two sums: the lower 32 bits of 64 hold one, the upper ones the other.
    const __m512i even = _mm512_mask_blend_epi32(0xAAAA, lows, _mm512_slli_epi64(highs, 32));
    const __m512i odd = _mm512_mask_blend_epi32(0xAAAA, _mm512_srli_epi64(lows, 32), highs);
    const auto sum = static_cast<uint64_t>(_mm512_reduce_add_epi64(_mm512_add_epi32(even, odd)));
    return {false, threshold, {static_cast<uint32_t>(sum), static_cast<uint32_t>(sum >> 32)}};
}

#endif

}  // namespace

RandomPairs random_pairs(const float* values, const uint32_t* pairs, int64_t n, uint64_t hash) {
#ifdef SILVA_HAS_WIDE
    if (n <= kFew && can_go_wide()) return random_pairs_of_few(values, pairs, n, hash);
#endif
    return random_pairs_of(values, pairs, n, hash);
}
RandomPairs random_pairs(const double* values, const uint32_t* pairs, int64_t n, uint64_t hash) {
    return random_pairs_of(values, pairs, n, hash);
}

}  // namespace silva
