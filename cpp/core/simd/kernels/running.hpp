// Running sums of the lanes of a register.
#pragma once

#include "core/simd/vec.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

#if defined(SILVA_AVX512)
// v, `by` lanes up; zeros come in.
template <int by, class T>
SILVA_INLINE Vec<T> shifted(Vec<T> v) {
    using Raw = typename Vec<T>::Raw;
    const auto from = (__m512i)(iota<T>() - all<T>(by)).raw, x = (__m512i)v.raw;
    const uint64_t lanes = ~lowest_bits(by);
    if constexpr (sizeof(T) == 2)
        return {(Raw)_mm512_maskz_permutexvar_epi16(static_cast<__mmask32>(lanes), from, x)};
    else if constexpr (sizeof(T) == 4)
        return {(Raw)_mm512_maskz_permutexvar_epi32(static_cast<__mmask16>(lanes), from, x)};
    else
        return {(Raw)_mm512_maskz_permutexvar_epi64(static_cast<__mmask8>(lanes), from, x)};
}
#elif defined(SILVA_AVX2) || defined(SILVA_SSE)
// The same in each 16 bytes.
template <int by, class T>
SILVA_INLINE Vec<T> shifted(Vec<T> v) {
    using Raw = typename Vec<T>::Raw;
#if defined(SILVA_AVX2)
    return {(Raw)_mm256_slli_si256((__m256i)v.raw, by * sizeof(T))};
#else
    return {(Raw)_mm_slli_si128((__m128i)v.raw, by * sizeof(T))};
#endif
}
#else
template <int by, class T>
SILVA_INLINE Vec<T> shifted(Vec<T> v) {
    Vec<T> moved = zero<T>();
    for (int i = by; i < kLanes<T>; ++i) moved.raw[i] = v.raw[i - by];
    return moved;
}
#endif

// The sum of each lane and those before it.
template <class T>
SILVA_INLINE Vec<T> running(Vec<T> v) {
    constexpr int lanes = kBytes == 64 ? kLanes<T> : 16 / static_cast<int>(sizeof(T));
    v += shifted<1>(v);
    if constexpr (lanes > 2) v += shifted<2>(v);
    if constexpr (lanes > 4) v += shifted<4>(v);
    if constexpr (lanes > 8) v += shifted<8>(v);
    if constexpr (lanes > 16) v += shifted<16>(v);
#if defined(SILVA_AVX2)
    Vec<uint8_t> last;  // lane of each 16 bytes
    for (int i = 0; i < kBytes; ++i)
        last.raw[i] = static_cast<uint8_t>(16 - sizeof(T) + static_cast<size_t>(i) % sizeof(T));
    const auto low = _mm256_permute2x128_si256((__m256i)v.raw, (__m256i)v.raw, 0x08);
    v.raw += (typename Vec<T>::Raw)_mm256_shuffle_epi8(low, (__m256i)last.raw);
#endif
    return v;
}

}  // namespace
}  // namespace silva::simd::SILVA_ISA_NAMESPACE
