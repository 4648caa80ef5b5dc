// True or false for each lane of a register, and comparisons.
#pragma once

#include "core/simd/vec/lanes.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

// True or false for each lane of a register of T: bits on AVX-512, lanes of 0 and -1 elsewhere.
template <class T>
struct Mask;
#if defined(SILVA_AVX512)
constexpr bool kMasksAreBits = true;
#else
constexpr bool kMasksAreBits = false;
#endif

#if defined(SILVA_AVX512)

template <class T>
struct Mask {
    uint64_t bits;

    friend SILVA_INLINE Mask operator&(Mask a, Mask b) { return {a.bits & b.bits}; }
    friend SILVA_INLINE Mask operator|(Mask a, Mask b) { return {a.bits | b.bits}; }
    friend SILVA_INLINE Mask operator~(Mask a) { return {a.bits ^ lowest_bits(kLanes<T>)}; }
};

template <class T>
SILVA_INLINE uint64_t bits_of(Mask<T> mask) {
    return mask.bits;
}
// Bits beyond the lanes must be zero.
template <class T>
SILVA_INLINE Mask<T> mask_of(uint64_t bits) {
    return {bits};
}

enum { kLess = 1, kAtMost = 2, kEqual = 0, kAtLeast = 5 };  // predicates of the comparisons

template <int predicate, class T>
SILVA_INLINE Mask<T> compared(Vec<T> a, Vec<T> b) {
    if constexpr (kIsFloat<T>) {
        constexpr int ordered = predicate == kLess     ? _CMP_LT_OQ
                                : predicate == kAtMost ? _CMP_LE_OQ
                                : predicate == kEqual  ? _CMP_EQ_OQ
                                                       : _CMP_GE_OQ;
        if constexpr (sizeof(T) == 8)
            return {_mm512_cmp_pd_mask((__m512d)a.raw, (__m512d)b.raw, ordered)};
        else
            return {_mm512_cmp_ps_mask((__m512)a.raw, (__m512)b.raw, ordered)};
    } else {
        const auto x = (__m512i)a.raw, y = (__m512i)b.raw;
        constexpr bool is_signed = kIsSigned<T>;
        if constexpr (sizeof(T) == 1 && is_signed)
            return {_mm512_cmp_epi8_mask(x, y, predicate)};
        else if constexpr (sizeof(T) == 1)
            return {_mm512_cmp_epu8_mask(x, y, predicate)};
        else if constexpr (sizeof(T) == 2 && is_signed)
            return {_mm512_cmp_epi16_mask(x, y, predicate)};
        else if constexpr (sizeof(T) == 2)
            return {_mm512_cmp_epu16_mask(x, y, predicate)};
        else if constexpr (sizeof(T) == 4 && is_signed)
            return {_mm512_cmp_epi32_mask(x, y, predicate)};
        else if constexpr (sizeof(T) == 4)
            return {_mm512_cmp_epu32_mask(x, y, predicate)};
        else if constexpr (is_signed)
            return {_mm512_cmp_epi64_mask(x, y, predicate)};
        else
            return {_mm512_cmp_epu64_mask(x, y, predicate)};
    }
}
template <class T>
SILVA_INLINE Mask<T> less(Vec<T> a, Vec<T> b) {
    return compared<kLess>(a, b);
}
template <class T>
SILVA_INLINE Mask<T> at_most(Vec<T> a, Vec<T> b) {
    return compared<kAtMost>(a, b);
}
template <class T>
SILVA_INLINE Mask<T> equal(Vec<T> a, Vec<T> b) {
    return compared<kEqual>(a, b);
}
template <class T>
SILVA_INLINE Mask<T> at_least(Vec<T> a, Vec<T> b) {
    return compared<kAtLeast>(a, b);
}
// Whether any bit is set in both.
template <class T>
SILVA_INLINE Mask<T> shares_bits(Vec<T> a, Vec<T> b) {
    const auto x = (__m512i)a.raw, y = (__m512i)b.raw;
    if constexpr (sizeof(T) == 1) return {_mm512_test_epi8_mask(x, y)};
    if constexpr (sizeof(T) == 2) return {_mm512_test_epi16_mask(x, y)};
    if constexpr (sizeof(T) == 4) return {_mm512_test_epi32_mask(x, y)};
    if constexpr (sizeof(T) == 8) return {_mm512_test_epi64_mask(x, y)};
}
// Whether the top bit is set.
template <class T>
SILVA_INLINE Mask<T> top_bit(Vec<T> v) {
    const auto x = (__m512i)v.raw;
    if constexpr (sizeof(T) == 1) return {_mm512_movepi8_mask(x)};
    if constexpr (sizeof(T) == 2) return {_mm512_movepi16_mask(x)};
    if constexpr (sizeof(T) == 4) return {_mm512_movepi32_mask(x)};
    if constexpr (sizeof(T) == 8) return {_mm512_movepi64_mask(x)};
}
template <class T>
SILVA_INLINE Vec<T> select(Mask<T> mask, Vec<T> yes, Vec<T> no) {
    const auto y = (__m512i)yes.raw, n = (__m512i)no.raw;
    const uint64_t m = mask.bits;
    using Raw [[maybe_unused]] = typename Vec<T>::Raw;
    if constexpr (sizeof(T) == 1)
        return {(Raw)_mm512_mask_blend_epi8(m, n, y)};
    else if constexpr (sizeof(T) == 2)
        return {(Raw)_mm512_mask_blend_epi16(static_cast<__mmask32>(m), n, y)};
    else if constexpr (sizeof(T) == 4)
        return {(Raw)_mm512_mask_blend_epi32(static_cast<__mmask16>(m), n, y)};
    else
        return {(Raw)_mm512_mask_blend_epi64(static_cast<__mmask8>(m), n, y)};
}
// Lanes outside the mask are zero, and their memory is not touched.
template <class T>
SILVA_INLINE Vec<T> load_masked(const T* from, uint64_t lanes) {
    using Raw [[maybe_unused]] = typename Vec<T>::Raw;
    if constexpr (sizeof(T) == 1)
        return {(Raw)_mm512_maskz_loadu_epi8(lanes, from)};
    else if constexpr (sizeof(T) == 2)
        return {(Raw)_mm512_maskz_loadu_epi16(static_cast<__mmask32>(lanes), from)};
    else if constexpr (sizeof(T) == 4)
        return {(Raw)_mm512_maskz_loadu_epi32(static_cast<__mmask16>(lanes), from)};
    else
        return {(Raw)_mm512_maskz_loadu_epi64(static_cast<__mmask8>(lanes), from)};
}
template <class T>
SILVA_INLINE Vec<T> load_first(const T* from, int64_t n) {
    return load_masked(from, lowest_bits(n));
}
// Lanes outside the mask keep their memory.
template <class T>
SILVA_INLINE void store_masked(T* to, Vec<T> v, uint64_t lanes) {
    const auto x = (__m512i)v.raw;
    if constexpr (sizeof(T) == 1)
        _mm512_mask_storeu_epi8(to, lanes, x);
    else if constexpr (sizeof(T) == 2)
        _mm512_mask_storeu_epi16(to, static_cast<__mmask32>(lanes), x);
    else if constexpr (sizeof(T) == 4)
        _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(lanes), x);
    else
        _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(lanes), x);
}
// Writes the lanes before n only.
template <class T>
SILVA_INLINE void store_first(T* to, Vec<T> v, int64_t n) {
    store_masked(to, v, lowest_bits(n));
}

#else

template <class T>
struct Mask {
    Vec<Signed<T>> lanes;

    friend SILVA_INLINE Mask operator&(Mask a, Mask b) { return {a.lanes & b.lanes}; }
    friend SILVA_INLINE Mask operator|(Mask a, Mask b) { return {a.lanes | b.lanes}; }
    friend SILVA_INLINE Mask operator~(Mask a) { return {~a.lanes}; }
};

template <class T>
SILVA_INLINE Mask<T> less(Vec<T> a, Vec<T> b) {
    return {{a.raw < b.raw}};
}
template <class T>
SILVA_INLINE Mask<T> at_most(Vec<T> a, Vec<T> b) {
    return {{a.raw <= b.raw}};
}
template <class T>
SILVA_INLINE Mask<T> equal(Vec<T> a, Vec<T> b) {
    return {{a.raw == b.raw}};
}
template <class T>
SILVA_INLINE Mask<T> at_least(Vec<T> a, Vec<T> b) {
    return {{a.raw >= b.raw}};
}
// Whether any bit is set in both.
template <class T>
SILVA_INLINE Mask<T> shares_bits(Vec<T> a, Vec<T> b) {
    return {{(a.raw & b.raw) != 0}};
}
// Whether the top bit is set.
template <class T>
SILVA_INLINE Mask<T> top_bit(Vec<T> v) {
    return {{as<Signed<T>>(v).raw < 0}};
}
template <class T>
SILVA_INLINE Vec<T> select(Mask<T> mask, Vec<T> yes, Vec<T> no) {
    return {mask.lanes.raw ? yes.raw : no.raw};
}
template <class T>
SILVA_INLINE uint64_t load_as(const uint8_t* from) {
    T value;
    __builtin_memcpy(&value, from, sizeof(value));
    return value;
}
// The first n bytes of up to 8, and zeros: two loads that may overlap.
SILVA_INLINE uint64_t first_bytes(const uint8_t* from, int64_t n) {
    if (n >= 8) return load_as<uint64_t>(from);
    if (n >= 4) return load_as<uint32_t>(from) | load_as<uint32_t>(from + n - 4) << (8 * (n - 4));
    if (n >= 2) return load_as<uint16_t>(from) | load_as<uint16_t>(from + n - 2) << (8 * (n - 2));
    return n == 1 ? *from : 0;
}
// Lanes from n on are zero, and their memory is not touched.
template <class T>
SILVA_INLINE Vec<T> load_first(const T* from, int64_t n) {
    if (n >= kLanes<T>) return load(from);
    auto words = zero<uint64_t>();
    const auto* bytes = reinterpret_cast<const uint8_t*>(from);
    const auto n_bytes = n * static_cast<int64_t>(sizeof(T));
    for (int word = 0; word < kLanes<uint64_t>; ++word)
        words.put(word, first_bytes(bytes + 8 * word, n_bytes - 8 * word));
    return as<T>(words);
}
// Writes the lanes before n only.
template <class T>
SILVA_INLINE void store_first(T* to, Vec<T> v, int64_t n) {
    if (n >= kLanes<T>) return store(to, v);
    __builtin_memcpy(to, &v, static_cast<size_t>(n) * sizeof(T));
}

// The bit of a lane among the lanes of 8 bits, 16 bits, ...
template <class T>
SILVA_INLINE Vec<T> lane_bits() {
    Vec<T> bits = zero<T>();
    for (int i = 0; i < kLanes<T>; ++i)
        bits.raw[i] = static_cast<T>(uint64_t{1} << (i % (8 * static_cast<int>(sizeof(T)))));
    return bits;
}

// A bit for each lane.
template <class T>
SILVA_INLINE uint64_t bits_of(Mask<T> mask) {
    [[maybe_unused]] const auto lanes = mask.lanes.raw;
#if defined(SILVA_AVX2)
    if constexpr (sizeof(T) == 1) {
        return static_cast<uint32_t>(_mm256_movemask_epi8((__m256i)lanes));
    } else if constexpr (sizeof(T) == 2) {
        const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128((__m256i)lanes),
                                              _mm256_extracti128_si256((__m256i)lanes, 1));
        return static_cast<uint32_t>(_mm_movemask_epi8(bytes));
    } else if constexpr (sizeof(T) == 4) {
        return static_cast<uint32_t>(_mm256_movemask_ps((__m256)lanes));
    } else {
        return static_cast<uint32_t>(_mm256_movemask_pd((__m256d)lanes));
    }
#elif defined(SILVA_SSE)
    if constexpr (sizeof(T) == 1)
        return static_cast<uint32_t>(_mm_movemask_epi8((__m128i)lanes));
    else if constexpr (sizeof(T) == 2)
        return static_cast<uint32_t>(
            _mm_movemask_epi8(_mm_packs_epi16((__m128i)lanes, _mm_setzero_si128())));
    else if constexpr (sizeof(T) == 4)
        return static_cast<uint32_t>(_mm_movemask_ps((__m128)lanes));
    else
        return static_cast<uint32_t>(_mm_movemask_pd((__m128d)lanes));
#elif defined(SILVA_NEON)
    using U = typename Integers<static_cast<int>(sizeof(T))>::Unsigned;
    const auto marked = (as<U>(mask.lanes) & lane_bits<U>()).raw;
    if constexpr (sizeof(T) == 1)
        return vaddv_u8(vget_low_u8((uint8x16_t)marked)) |
               static_cast<uint64_t>(vaddv_u8(vget_high_u8((uint8x16_t)marked))) << 8;
    else if constexpr (sizeof(T) == 2)
        return vaddvq_u16((uint16x8_t)marked);
    else if constexpr (sizeof(T) == 4)
        return vaddvq_u32((uint32x4_t)marked);
    else
        return vaddvq_u64((uint64x2_t)marked);
#else
    uint64_t bits = 0;
    for (int i = 0; i < kLanes<T>; ++i) bits |= static_cast<uint64_t>(lanes[i] & 1) << i;
    return bits;
#endif
}

// Bits beyond the lanes must be zero.
template <class T>
SILVA_INLINE Mask<T> mask_of(uint64_t bits) {
    using U = typename Integers<static_cast<int>(sizeof(T))>::Unsigned;
    Vec<U> spread = all<U>(static_cast<U>(bits));
    if constexpr (kLanes<U> > 8 * static_cast<int>(sizeof(U)))  // bytes: each its own eight bits
        for (int i = 0; i < kLanes<U>; ++i) spread.raw[i] = static_cast<U>(bits >> (i / 8 * 8));
    const Vec<U> own = lane_bits<U>();
    return {{(spread.raw & own.raw) == own.raw}};
}

#endif

// A bit for each lane of two registers: those of the second one above those of the first.
template <class T>
SILVA_INLINE uint64_t bits_of(Mask<T> first, Mask<T> second) {
    if constexpr (sizeof(T) == 2) {
#if defined(SILVA_AVX2)
        const __m256i bytes = _mm256_permute4x64_epi64(
            _mm256_packs_epi16((__m256i)first.lanes.raw, (__m256i)second.lanes.raw), 0xD8);
        return static_cast<uint32_t>(_mm256_movemask_epi8(bytes));
#elif defined(SILVA_SSE)
        return static_cast<uint32_t>(_mm_movemask_epi8(
            _mm_packs_epi16((__m128i)first.lanes.raw, (__m128i)second.lanes.raw)));
#elif defined(SILVA_NEON)
        const uint8x16_t bytes =
            vuzp1q_u8((uint8x16_t)first.lanes.raw, (uint8x16_t)second.lanes.raw);
        return bits_of(Mask<uint8_t>{{(Vec<int8_t>::Raw)bytes}});
#endif
    }
    return bits_of(first) | bits_of(second) << kLanes<T>;
}

// Lanes outside the mask become zero.
template <class T>
SILVA_INLINE Vec<T> keep(Mask<T> mask, Vec<T> v) {
    return select(mask, v, zero<T>());
}
template <class T>
SILVA_INLINE bool any(Mask<T> mask) {
    return bits_of(mask) != 0;
}

}  // namespace
}  // namespace silva::simd::SILVA_ISA_NAMESPACE
