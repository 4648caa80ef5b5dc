// Operations lane by lane, beside the operators.
#pragma once

#include "core/simd/vec/masks.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

template <class T, int N>
SILVA_INLINE Vec<T, N> min(Vec<T, N> a, Vec<T, N> b) {
    return {a.raw < b.raw ? a.raw : b.raw};
}
template <class T, int N>
SILVA_INLINE Vec<T, N> max(Vec<T, N> a, Vec<T, N> b) {
    return {a.raw > b.raw ? a.raw : b.raw};
}

// The lower, and the higher, of two where the mask is set; elsewhere the first. Of unsigned lanes.
template <class T>
SILVA_INLINE Vec<T> min_where(Mask<T> mask, Vec<T> a, Vec<T> b) {
#if defined(SILVA_AVX512)
    return select(mask, min(a, b), a);
#else
    return min(a, b | ~as<T>(mask.lanes));
#endif
}
template <class T>
SILVA_INLINE Vec<T> max_where(Mask<T> mask, Vec<T> a, Vec<T> b) {
#if defined(SILVA_AVX512)
    return select(mask, max(a, b), a);
#else
    return max(a, b & as<T>(mask.lanes));
#endif
}

// One more in the lanes where the mask is set.
template <class T>
SILVA_INLINE Vec<T> add_one_where(Mask<T> mask, Vec<T> v) {
#if defined(SILVA_AVX512)
    return select(mask, v + all<T>(1), v);
#else
    return v - as<T>(mask.lanes);
#endif
}

// The sum where the mask is set; elsewhere the first.
template <class T>
SILVA_INLINE Vec<T> add_where(Mask<T> mask, Vec<T> a, Vec<T> b) {
#if defined(SILVA_AVX512)
    return select(mask, a + b, a);
#else
    return a + (b & as<T>(mask.lanes));
#endif
}
// The same lanes of another type of the same size.
template <class U, class T>
SILVA_INLINE Mask<U> as_mask_of(Mask<T> mask) {
    static_assert(sizeof(U) == sizeof(T));
#if defined(SILVA_AVX512)
    return {mask.bits};
#else
    return {mask.lanes};
#endif
}

// Numbers below 2^52 as doubles.
template <int N>
SILVA_INLINE Vec<double, N> to_double(Vec<uint64_t, N> v) {
#if defined(SILVA_AVX512)
    return convert<double>(v);
#else
    const auto exponent = all<uint64_t, N>(0x4330000000000000u);  // of 2^52
    return as<double>(v | exponent) - all<double, N>(4503599627370496.0);
#endif
}

// Any numbers as doubles, rounded to nearest.
template <int N>
SILVA_INLINE Vec<double, N> to_double(Vec<int64_t, N> v) {
#if defined(SILVA_AVX512)
    return convert<double>(v);
#else
    // The upper half as a multiple of 2^32 above 2^84 + 2^63, the lower one above 2^52: both exact.
    const auto flipped = as<uint64_t>(v) ^ all<uint64_t, N>(uint64_t{1} << 63);
    const auto high = as<double>((flipped >> 32) | all<uint64_t, N>(0x4530000000000000u));
    const auto low = as<double>((flipped & all<uint64_t, N>(0xFFFFFFFFu)) |
                                all<uint64_t, N>(0x4330000000000000u));
    return (high - all<double, N>(0x1p84 + 0x1p63 + 0x1p52)) + low;
#endif
}

// The number of set bits of each byte.
SILVA_INLINE Vec<uint64_t> count_bits_of_bytes(Vec<uint64_t> v) {
    using Raw [[maybe_unused]] = Vec<uint64_t>::Raw;
#if defined(SILVA_AVX2)
    const __m256i digits = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1,
                                            2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(15), x = (__m256i)v.raw;
    return {(Raw)_mm256_add_epi8(
        _mm256_shuffle_epi8(digits, _mm256_and_si256(x, low)),
        _mm256_shuffle_epi8(digits, _mm256_and_si256(_mm256_srli_epi16(x, 4), low)))};
#elif defined(SILVA_SSE)
    const __m128i digits = _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m128i low = _mm_set1_epi8(15), x = (__m128i)v.raw;
    return {(Raw)_mm_add_epi8(_mm_shuffle_epi8(digits, _mm_and_si128(x, low)),
                              _mm_shuffle_epi8(digits, _mm_and_si128(_mm_srli_epi16(x, 4), low)))};
#elif defined(SILVA_NEON)
    return {(Raw)vcntq_u8((uint8x16_t)v.raw)};
#else
    const auto pairs = all<uint64_t>(0x5555555555555555u),
               fours = all<uint64_t>(0x3333333333333333u);
    v = v - (v >> 1 & pairs);
    v = (v & fours) + (v >> 2 & fours);
    return {((v + (v >> 4)) & all<uint64_t>(0x0F0F0F0F0F0F0F0Fu)).raw};
#endif
}

// The number of set bits of each lane.
SILVA_INLINE Vec<uint64_t> count_bits(Vec<uint64_t> v) {
#if defined(SILVA_AVX512)
    return {(Vec<uint64_t>::Raw)_mm512_popcnt_epi64((__m512i)v.raw)};
#elif defined(SILVA_AVX2)
    const __m256i bytes = (__m256i)count_bits_of_bytes(v).raw;
    return {(Vec<uint64_t>::Raw)_mm256_sad_epu8(bytes, _mm256_setzero_si256())};
#else
    Vec<uint64_t> counts = zero<uint64_t>();
    for (int i = 0; i < kLanes<uint64_t>; ++i)
        counts.raw[i] = static_cast<uint64_t>(__builtin_popcountll(v.raw[i]));
    return counts;
#endif
}

// The lower halves of the lanes of two registers, side by side in one.
SILVA_INLINE Vec<int32_t> narrowed(Vec<uint64_t> a, Vec<uint64_t> b) {
    using Raw = Vec<int32_t>::Raw;
#if defined(SILVA_AVX512)
    const __m256i low = _mm512_cvtepi64_epi32((__m512i)a.raw);
    const __m256i high = _mm512_cvtepi64_epi32((__m512i)b.raw);
    return {(Raw)_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1)};
#elif defined(SILVA_AVX2)
    const __m256 pairs = _mm256_shuffle_ps((__m256)a.raw, (__m256)b.raw, 0x88);
    return {(Raw)_mm256_permute4x64_epi64((__m256i)pairs, 0xD8)};
#elif defined(SILVA_SSE)
    return {(Raw)_mm_shuffle_ps((__m128)a.raw, (__m128)b.raw, 0x88)};
#else
    Vec<int32_t> both = zero<int32_t>();
    for (int i = 0; i < kLanes<uint64_t>; ++i) {
        both.raw[i] = static_cast<int32_t>(a.raw[i]);
        both.raw[kLanes<uint64_t> + i] = static_cast<int32_t>(b.raw[i]);
    }
    return both;
#endif
}

// The sum of the bytes of each word.
SILVA_INLINE Vec<uint64_t> sum_bytes(Vec<uint64_t> v) {
    using Raw = Vec<uint64_t>::Raw;
#if defined(SILVA_AVX512)
    return {(Raw)_mm512_sad_epu8((__m512i)v.raw, _mm512_setzero_si512())};
#elif defined(SILVA_AVX2)
    return {(Raw)_mm256_sad_epu8((__m256i)v.raw, _mm256_setzero_si256())};
#elif defined(SILVA_SSE)
    return {(Raw)_mm_sad_epu8((__m128i)v.raw, _mm_setzero_si128())};
#elif defined(SILVA_NEON)
    return {(Raw)vpaddlq_u32(vpaddlq_u16(vpaddlq_u8((uint8x16_t)v.raw)))};
#else
    v = (v & all<uint64_t>(0x00FF00FF00FF00FFu)) + (v >> 8 & all<uint64_t>(0x00FF00FF00FF00FFu));
    v = (v & all<uint64_t>(0x0000FFFF0000FFFFu)) + (v >> 16 & all<uint64_t>(0x0000FFFF0000FFFFu));
    return (v & all<uint64_t>(0xFFFFFFFFu)) + (v >> 32);
#endif
}
// a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1], of numbers that are not negative.
SILVA_INLINE Vec<int32_t> add_products(Vec<int16_t> a, Vec<int16_t> b) {
    using Raw [[maybe_unused]] = Vec<int32_t>::Raw;
#if defined(SILVA_AVX512)
    return {(Raw)_mm512_madd_epi16((__m512i)a.raw, (__m512i)b.raw)};
#elif defined(SILVA_AVX2)
    return {(Raw)_mm256_madd_epi16((__m256i)a.raw, (__m256i)b.raw)};
#elif defined(SILVA_SSE)
    return {(Raw)_mm_madd_epi16((__m128i)a.raw, (__m128i)b.raw)};
#else
    const auto x = as<int32_t>(a), y = as<int32_t>(b), low = all<int32_t>(0xFFFF);
    return (x & low) * (y & low) + (x >> 16) * (y >> 16);
#endif
}

}  // namespace
}  // namespace silva::simd::SILVA_ISA_NAMESPACE
