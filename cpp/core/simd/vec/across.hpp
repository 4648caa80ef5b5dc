// Operations across lanes: halves, sums, orders, gathers.
#pragma once

#include "core/simd/vec/lanewise.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

// Halves by instruction: through memory, GCC would store one vector and load it as two.
template <class T, int N>
SILVA_INLINE Vec<T, N / 2> low_half(Vec<T, N> v) {
    using Half = Vec<T, N / 2>;
#if defined(__AVX512F__)
    if constexpr (sizeof(v) == 64)
        return {(typename Half::Raw)_mm512_castsi512_si256((__m512i)v.raw)};
#endif
#if defined(__AVX2__)
    if constexpr (sizeof(v) == 32)
        return {(typename Half::Raw)_mm256_castsi256_si128((__m256i)v.raw)};
#endif
    Half half;
    __builtin_memcpy(&half, &v, sizeof(half));
    return half;
}
template <class T, int N>
SILVA_INLINE Vec<T, N / 2> high_half(Vec<T, N> v) {
    using Half = Vec<T, N / 2>;
#if defined(__AVX512F__)
    if constexpr (sizeof(v) == 64)
        return {(typename Half::Raw)_mm512_extracti64x4_epi64((__m512i)v.raw, 1)};
#endif
#if defined(__AVX2__)
    if constexpr (sizeof(v) == 32)
        return {(typename Half::Raw)_mm256_extracti128_si256((__m256i)v.raw, 1)};
#endif
    Half half;
    __builtin_memcpy(&half, reinterpret_cast<const char*>(&v) + sizeof(half), sizeof(half));
    return half;
}
template <class T, int N>
SILVA_INLINE Vec<T, 2 * N> joined(Vec<T, N> low, Vec<T, N> high) {
    using Both = Vec<T, 2 * N>;
#if defined(__AVX512F__)
    if constexpr (sizeof(low) == 32)
        return {(typename Both::Raw)_mm512_inserti64x4(_mm512_castsi256_si512((__m256i)low.raw),
                                                       (__m256i)high.raw, 1)};
#endif
#if defined(__AVX2__)
    if constexpr (sizeof(low) == 16)
        return {(typename Both::Raw)_mm256_inserti128_si256(
            _mm256_castsi128_si256((__m128i)low.raw), (__m128i)high.raw, 1)};
#endif
    Both both;
    __builtin_memcpy(&both, &low, sizeof(low));
    __builtin_memcpy(reinterpret_cast<char*>(&both) + sizeof(low), &high, sizeof(high));
    return both;
}

// Folds halves until one lane is left.
template <class T, int N, class F>
SILVA_INLINE T fold(Vec<T, N> v, const F& f) {
    if constexpr (N == 1)
        return v[0];
    else if constexpr (N * sizeof(T) <= 16) {
        T result = v[0];
        for (int i = 1; i < N; ++i) result = f(result, v[i]);
        return result;
    } else
        return fold(f(low_half(v), high_half(v)), f);
}
struct Add {
    template <class V>
    SILVA_INLINE V operator()(V a, V b) const {
        return static_cast<V>(a + b);
    }
};
// The same until n are left.
template <int n, class T, int N, class F>
SILVA_INLINE Vec<T, n> fold_to(Vec<T, N> v, const F& f) {
    if constexpr (N == n)
        return v;
    else
        return fold_to<n>(f(low_half(v), high_half(v)), f);
}
// Each word and all those before it.
SILVA_INLINE Vec<uint64_t> running_sums(Vec<uint64_t> v) {
    const Vec<uint64_t> none = zero<uint64_t>();
#if defined(SILVA_AVX512)
    v.raw += __builtin_shufflevector(v.raw, none.raw, 8, 0, 1, 2, 3, 4, 5, 6);
    v.raw += __builtin_shufflevector(v.raw, none.raw, 8, 9, 0, 1, 2, 3, 4, 5);
    v.raw += __builtin_shufflevector(v.raw, none.raw, 8, 9, 10, 11, 0, 1, 2, 3);
#elif defined(SILVA_AVX2)
    v.raw += __builtin_shufflevector(v.raw, none.raw, 4, 0, 1, 2);
    v.raw += __builtin_shufflevector(v.raw, none.raw, 4, 5, 0, 1);
#else
    v.raw += __builtin_shufflevector(v.raw, none.raw, 2, 0);
#endif
    return v;
}
// The last word in all lanes.
SILVA_INLINE Vec<uint64_t> last_everywhere(Vec<uint64_t> v) {
#if defined(SILVA_AVX512)
    return {__builtin_shufflevector(v.raw, v.raw, 7, 7, 7, 7, 7, 7, 7, 7)};
#elif defined(SILVA_AVX2)
    return {__builtin_shufflevector(v.raw, v.raw, 3, 3, 3, 3)};
#else
    return {__builtin_shufflevector(v.raw, v.raw, 1, 1)};
#endif
}
struct Lower {
    template <class T>
    SILVA_INLINE T operator()(T a, T b) const {
        return least(a, b);
    }
    template <class T, int N>
    SILVA_INLINE Vec<T, N> operator()(Vec<T, N> a, Vec<T, N> b) const {
        return min(a, b);
    }
};
struct Higher {
    template <class T>
    SILVA_INLINE T operator()(T a, T b) const {
        return most(a, b);
    }
    template <class T, int N>
    SILVA_INLINE Vec<T, N> operator()(Vec<T, N> a, Vec<T, N> b) const {
        return max(a, b);
    }
};
template <class T, int N>
SILVA_INLINE T sum(Vec<T, N> v) {
    static_assert(!kIsFloat<T>, "only integers are reduced across lanes");
    return fold(v, Add{});
}

// The lowest and the highest lane.
SILVA_INLINE uint16_t lowest(Vec<uint16_t, 8> v) {
#if defined(__SSE4_1__)
    return static_cast<uint16_t>(_mm_extract_epi16(_mm_minpos_epu16((__m128i)v.raw), 0));
#elif defined(SILVA_NEON)
    return vminvq_u16((uint16x8_t)v.raw);
#else
    uint16_t found = v[0];
    for (int i = 1; i < 8; ++i) found = least(found, v[i]);
    return found;
#endif
}
template <int N>
SILVA_INLINE uint16_t lowest(Vec<uint16_t, N> v) {
    return lowest(min(low_half(v), high_half(v)));
}
template <int N>
SILVA_INLINE uint16_t highest(Vec<uint16_t, N> v) {
    return static_cast<uint16_t>(~lowest(~v));
}

// In each 16 bytes, the lanes of the low (high) halves of a and b by turns: a0 b0 a1 b1 ...
template <class T>
SILVA_INLINE Vec<T> zip_low(Vec<T> a, Vec<T> b) {
    using Raw [[maybe_unused]] = typename Vec<T>::Raw;
#if defined(SILVA_AVX512)
    const auto x = (__m512i)a.raw, y = (__m512i)b.raw;
    if constexpr (sizeof(T) == 1) return {(Raw)_mm512_unpacklo_epi8(x, y)};
    if constexpr (sizeof(T) == 2) return {(Raw)_mm512_unpacklo_epi16(x, y)};
    if constexpr (sizeof(T) == 4) return {(Raw)_mm512_unpacklo_epi32(x, y)};
    if constexpr (sizeof(T) == 8) return {(Raw)_mm512_unpacklo_epi64(x, y)};
#elif defined(SILVA_AVX2)
    const auto x = (__m256i)a.raw, y = (__m256i)b.raw;
    if constexpr (sizeof(T) == 1) return {(Raw)_mm256_unpacklo_epi8(x, y)};
    if constexpr (sizeof(T) == 2) return {(Raw)_mm256_unpacklo_epi16(x, y)};
    if constexpr (sizeof(T) == 4) return {(Raw)_mm256_unpacklo_epi32(x, y)};
    if constexpr (sizeof(T) == 8) return {(Raw)_mm256_unpacklo_epi64(x, y)};
#elif defined(SILVA_SSE)
    const auto x = (__m128i)a.raw, y = (__m128i)b.raw;
    if constexpr (sizeof(T) == 1) return {(Raw)_mm_unpacklo_epi8(x, y)};
    if constexpr (sizeof(T) == 2) return {(Raw)_mm_unpacklo_epi16(x, y)};
    if constexpr (sizeof(T) == 4) return {(Raw)_mm_unpacklo_epi32(x, y)};
    if constexpr (sizeof(T) == 8) return {(Raw)_mm_unpacklo_epi64(x, y)};
#elif defined(SILVA_NEON)
    if constexpr (sizeof(T) == 1) return {(Raw)vzip1q_u8((uint8x16_t)a.raw, (uint8x16_t)b.raw)};
    if constexpr (sizeof(T) == 2) return {(Raw)vzip1q_u16((uint16x8_t)a.raw, (uint16x8_t)b.raw)};
    if constexpr (sizeof(T) == 4) return {(Raw)vzip1q_u32((uint32x4_t)a.raw, (uint32x4_t)b.raw)};
    if constexpr (sizeof(T) == 8) return {(Raw)vzip1q_u64((uint64x2_t)a.raw, (uint64x2_t)b.raw)};
#else
    Vec<T> zipped;
    for (int i = 0; i < kLanes<T>; ++i) zipped.raw[i] = i % 2 == 0 ? a[i / 2] : b[i / 2];
    return zipped;
#endif
}
template <class T>
SILVA_INLINE Vec<T> zip_high(Vec<T> a, Vec<T> b) {
    using Raw [[maybe_unused]] = typename Vec<T>::Raw;
#if defined(SILVA_AVX512)
    const auto x = (__m512i)a.raw, y = (__m512i)b.raw;
    if constexpr (sizeof(T) == 1) return {(Raw)_mm512_unpackhi_epi8(x, y)};
    if constexpr (sizeof(T) == 2) return {(Raw)_mm512_unpackhi_epi16(x, y)};
    if constexpr (sizeof(T) == 4) return {(Raw)_mm512_unpackhi_epi32(x, y)};
    if constexpr (sizeof(T) == 8) return {(Raw)_mm512_unpackhi_epi64(x, y)};
#elif defined(SILVA_AVX2)
    const auto x = (__m256i)a.raw, y = (__m256i)b.raw;
    if constexpr (sizeof(T) == 1) return {(Raw)_mm256_unpackhi_epi8(x, y)};
    if constexpr (sizeof(T) == 2) return {(Raw)_mm256_unpackhi_epi16(x, y)};
    if constexpr (sizeof(T) == 4) return {(Raw)_mm256_unpackhi_epi32(x, y)};
    if constexpr (sizeof(T) == 8) return {(Raw)_mm256_unpackhi_epi64(x, y)};
#elif defined(SILVA_SSE)
    const auto x = (__m128i)a.raw, y = (__m128i)b.raw;
    if constexpr (sizeof(T) == 1) return {(Raw)_mm_unpackhi_epi8(x, y)};
    if constexpr (sizeof(T) == 2) return {(Raw)_mm_unpackhi_epi16(x, y)};
    if constexpr (sizeof(T) == 4) return {(Raw)_mm_unpackhi_epi32(x, y)};
    if constexpr (sizeof(T) == 8) return {(Raw)_mm_unpackhi_epi64(x, y)};
#elif defined(SILVA_NEON)
    if constexpr (sizeof(T) == 1) return {(Raw)vzip2q_u8((uint8x16_t)a.raw, (uint8x16_t)b.raw)};
    if constexpr (sizeof(T) == 2) return {(Raw)vzip2q_u16((uint16x8_t)a.raw, (uint16x8_t)b.raw)};
    if constexpr (sizeof(T) == 4) return {(Raw)vzip2q_u32((uint32x4_t)a.raw, (uint32x4_t)b.raw)};
    if constexpr (sizeof(T) == 8) return {(Raw)vzip2q_u64((uint64x2_t)a.raw, (uint64x2_t)b.raw)};
#else
    constexpr int half = kLanes<T> / 2;
    Vec<T> zipped;
    for (int i = 0; i < kLanes<T>; ++i)
        zipped.raw[i] = i % 2 == 0 ? a[half + i / 2] : b[half + i / 2];
    return zipped;
#endif
}

// The lanes of both, half as wide; their values fit.
SILVA_INLINE Vec<uint8_t> narrow(Vec<uint16_t> low, Vec<uint16_t> high) {
    using Raw [[maybe_unused]] = Vec<uint8_t>::Raw;
#if defined(SILVA_AVX512)
    const auto order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    const auto packed = _mm512_packus_epi16((__m512i)low.raw, (__m512i)high.raw);
    return {(Raw)_mm512_permutexvar_epi64(order, packed)};
#elif defined(SILVA_AVX2)
    const auto packed = _mm256_packus_epi16((__m256i)low.raw, (__m256i)high.raw);
    return {(Raw)_mm256_permute4x64_epi64(packed, 0xD8)};
#elif defined(SILVA_SSE)
    return {(Raw)_mm_packus_epi16((__m128i)low.raw, (__m128i)high.raw)};
#else
    return joined(convert<uint8_t>(low), convert<uint8_t>(high));
#endif
}
SILVA_INLINE Vec<uint16_t> narrow(Vec<uint32_t> low, Vec<uint32_t> high) {
    using Raw [[maybe_unused]] = Vec<uint16_t>::Raw;
#if defined(SILVA_AVX512)
    const auto order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    const auto packed = _mm512_packus_epi32((__m512i)low.raw, (__m512i)high.raw);
    return {(Raw)_mm512_permutexvar_epi64(order, packed)};
#elif defined(SILVA_AVX2)
    const auto packed = _mm256_packus_epi32((__m256i)low.raw, (__m256i)high.raw);
    return {(Raw)_mm256_permute4x64_epi64(packed, 0xD8)};
#elif defined(SILVA_SSE)
    return {(Raw)_mm_packus_epi32((__m128i)low.raw, (__m128i)high.raw)};
#else
    return joined(convert<uint16_t>(low), convert<uint16_t>(high));
#endif
}

// table[at] for each lane, of 16 bytes; at is below 16.
SILVA_INLINE Vec<uint8_t> look_up(const uint8_t* table, Vec<uint8_t> at) {
    using Raw [[maybe_unused]] = Vec<uint8_t>::Raw;
#if defined(SILVA_AVX512)
    const auto bytes = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i*)table));
    return {(Raw)_mm512_shuffle_epi8(bytes, (__m512i)at.raw)};
#elif defined(SILVA_AVX2)
    const auto bytes = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i*)table));
    return {(Raw)_mm256_shuffle_epi8(bytes, (__m256i)at.raw)};
#elif defined(SILVA_SSE)
    return {(Raw)_mm_shuffle_epi8(_mm_loadu_si128((const __m128i*)table), (__m128i)at.raw)};
#elif defined(SILVA_NEON)
    return {(Raw)vqtbl1q_u8(vld1q_u8(table), (uint8x16_t)at.raw)};
#else
    Vec<uint8_t> found;
    for (int i = 0; i < kLanes<uint8_t>; ++i) found.raw[i] = table[at[i]];
    return found;
#endif
}

// from[at] for each lane; indices are below 2^31. Where there is no instruction for it, one load a
// lane; so AMD's processors do inside as well.
template <class T, int N>
SILVA_INLINE Vec<T, N> gather(const T* from, Vec<uint32_t, N> at) {
#if defined(SILVA_AVX512)
    if constexpr (sizeof(T) == 4 && N == 16)
        return {(typename Vec<T, N>::Raw)_mm512_mask_i32gather_epi32(_mm512_setzero_si512(), 0xFFFF,
                                                                     (__m512i)at.raw, from, 4)};
    if constexpr (sizeof(T) == 8 && N == 8)
        return {(typename Vec<T, N>::Raw)_mm512_mask_i32gather_epi64(_mm512_setzero_si512(), 0xFF,
                                                                     (__m256i)at.raw, from, 8)};
#elif defined(SILVA_AVX2)
    if constexpr (sizeof(T) == 4 && N == 8)
        return {(typename Vec<T, N>::Raw)_mm256_i32gather_epi32(reinterpret_cast<const int*>(from),
                                                                (__m256i)at.raw, 4)};
    if constexpr (sizeof(T) == 8 && N == 4)
        return {(typename Vec<T, N>::Raw)_mm256_i32gather_epi64(
            reinterpret_cast<const long long*>(from), (__m128i)at.raw, 8)};
#endif
    Vec<T, N> found;
    for (int i = 0; i < N; ++i) found.raw[i] = from[at[i]];
    return found;
}

// Byte i of the result is byte order[i] of v.
SILVA_INLINE Vec<uint8_t, 16> shuffle_bytes(Vec<uint8_t, 16> v, Vec<uint8_t, 16> order) {
#if defined(__SSSE3__)
    return {(Vec<uint8_t, 16>::Raw)_mm_shuffle_epi8((__m128i)v.raw, (__m128i)order.raw)};
#elif defined(SILVA_NEON)
    return {(Vec<uint8_t, 16>::Raw)vqtbl1q_u8((uint8x16_t)v.raw, (uint8x16_t)order.raw)};
#else
    Vec<uint8_t, 16> result;
    for (int i = 0; i < 16; ++i) result.raw[i] = v.raw[order.raw[i] & 15];
    return result;
#endif
}

// Eight bytes and eight zeros.
SILVA_INLINE Vec<uint8_t, 16> eight_bytes(const uint8_t* from) {
    uint64_t bytes;
    __builtin_memcpy(&bytes, from, sizeof(bytes));
    Vec<uint64_t, 2> both = zero<uint64_t, 2>();
    both.put(0, bytes);
    return as<uint8_t>(both);
}

}  // namespace
}  // namespace silva::simd::SILVA_ISA_NAMESPACE
