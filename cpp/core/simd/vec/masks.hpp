// True or false for each lane of a register, comparisons, and the first lanes in memory.
#pragma once

#include "core/simd/vec/shuffle.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

// Bits on AVX-512, lanes of 0 and -1 elsewhere.
template <class T>
struct Mask {
#if defined(SILVA_AVX512)
    uint64_t value;
    friend SILVA_INLINE Mask operator~(Mask a) { return {a.value ^ lowest_bits(kLanes<T>)}; }
#else
    Vec<Signed<T>> value;
    friend SILVA_INLINE Mask operator~(Mask a) { return {~a.value}; }
#endif
    friend SILVA_INLINE Mask operator&(Mask a, Mask b) { return {a.value & b.value}; }
    friend SILVA_INLINE Mask operator|(Mask a, Mask b) { return {a.value | b.value}; }
};

#if defined(SILVA_AVX512)
constexpr int kEqual = 0, kLess = 1, kAtMost = 2, kNotEqual = 4;  // predicates of the instructions

// NaN is only unequal.
template <int predicate, class T>
SILVA_INLINE Mask<T> compared(Vec<T> a, Vec<T> b) {
    constexpr int size = static_cast<int>(sizeof(T));
    constexpr int quiet = predicate == kLess ? _CMP_LT_OQ : predicate == kAtMost ? _CMP_LE_OQ : 0;
    const auto x = (__m512i)a.raw, y = (__m512i)b.raw;
    if constexpr (kIsFloat<T> && size == 4)
        return {_mm512_cmp_ps_mask((__m512)x, (__m512)y, quiet)};
    else if constexpr (kIsFloat<T>)
        return {_mm512_cmp_pd_mask((__m512d)x, (__m512d)y, quiet)};
    else if constexpr (std::is_signed_v<T>) {
        if constexpr (size == 1) return {_mm512_cmp_epi8_mask(x, y, predicate)};
        if constexpr (size == 2) return {_mm512_cmp_epi16_mask(x, y, predicate)};
        if constexpr (size == 4) return {_mm512_cmp_epi32_mask(x, y, predicate)};
        if constexpr (size == 8) return {_mm512_cmp_epi64_mask(x, y, predicate)};
    } else {
        if constexpr (size == 1) return {_mm512_cmp_epu8_mask(x, y, predicate)};
        if constexpr (size == 2) return {_mm512_cmp_epu16_mask(x, y, predicate)};
        if constexpr (size == 4) return {_mm512_cmp_epu32_mask(x, y, predicate)};
        if constexpr (size == 8) return {_mm512_cmp_epu64_mask(x, y, predicate)};
    }
}
#else
enum Predicate { kEqual, kLess, kAtMost, kNotEqual };

template <Predicate predicate, class T>
SILVA_INLINE Mask<T> compared(Vec<T> a, Vec<T> b) {
    if constexpr (predicate == kEqual) return {{a.raw == b.raw}};
    if constexpr (predicate == kLess) return {{a.raw < b.raw}};
    if constexpr (predicate == kAtMost) return {{a.raw <= b.raw}};
    if constexpr (predicate == kNotEqual) return {{a.raw != b.raw}};
}
#endif
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
    return compared<kAtMost>(b, a);
}
// Whether any bit is set in both. Of integers.
template <class T>
SILVA_INLINE Mask<T> shares_bits(Vec<T> a, Vec<T> b) {
    return compared<kNotEqual>(a & b, zero<T>());
}
// Whether the top bit is set.
template <class T>
SILVA_INLINE Mask<T> top_bit(Vec<T> v) {
    return {compared<kLess>(as<Signed<T>>(v), zero<Signed<T>>()).value};
}
// The same lanes of another type of the same size.
template <class U, class T>
SILVA_INLINE Mask<U> as_mask_of(Mask<T> mask) {
    static_assert(sizeof(U) == sizeof(T));
    return {mask.value};
}

template <class T>
SILVA_INLINE Vec<T> select(Mask<T> mask, Vec<T> yes, Vec<T> no) {
#if defined(SILVA_AVX512)
    using Raw [[maybe_unused]] = typename Vec<T>::Raw;
    const uint64_t m = mask.value;
    const auto y = (__m512i)yes.raw, n = (__m512i)no.raw;
    if constexpr (sizeof(T) == 1) return {(Raw)_mm512_mask_blend_epi8(m, n, y)};
    if constexpr (sizeof(T) == 2) return {(Raw)_mm512_mask_blend_epi16(m, n, y)};
    if constexpr (sizeof(T) == 4) return {(Raw)_mm512_mask_blend_epi32(m, n, y)};
    if constexpr (sizeof(T) == 8) return {(Raw)_mm512_mask_blend_epi64(m, n, y)};
#else
    return {mask.value.raw ? yes.raw : no.raw};
#endif
}
// Lanes outside the mask become zero.
template <class T>
SILVA_INLINE Vec<T> keep(Mask<T> mask, Vec<T> v) {
    return select(mask, v, zero<T>());
}

// A bit for each lane.
template <class T>
SILVA_INLINE uint64_t bits_of(Mask<T> mask) {
#if defined(SILVA_AVX512)
    return mask.value;
#else
    [[maybe_unused]] const auto lanes = mask.value.raw;
    if constexpr (sizeof(T) == 2)
        return bits_of(Mask<uint8_t>{narrow<int8_t>(mask.value, zero<int16_t>())});
#if defined(SILVA_AVX2)
    if constexpr (sizeof(T) == 1)
        return static_cast<uint32_t>(_mm256_movemask_epi8((__m256i)lanes));
    if constexpr (sizeof(T) == 4) return static_cast<uint32_t>(_mm256_movemask_ps((__m256)lanes));
    if constexpr (sizeof(T) == 8) return static_cast<uint32_t>(_mm256_movemask_pd((__m256d)lanes));
#elif defined(SILVA_SSE)
    if constexpr (sizeof(T) == 1) return static_cast<uint32_t>(_mm_movemask_epi8((__m128i)lanes));
    if constexpr (sizeof(T) == 4) return static_cast<uint32_t>(_mm_movemask_ps((__m128)lanes));
    if constexpr (sizeof(T) == 8) return static_cast<uint32_t>(_mm_movemask_pd((__m128d)lanes));
#endif
    uint64_t bits = 0;
    for (int i = 0; i < kLanes<T>; ++i) bits |= static_cast<uint64_t>(lanes[i] & 1) << i;
    return bits;
#endif
}
// The same of two registers: the bits of the second one are above those of the first.
template <class T>
SILVA_INLINE uint64_t bits_of(Mask<T> first, Mask<T> second) {
    if constexpr (sizeof(T) == 2 && kBytes < 64)
        return bits_of(Mask<uint8_t>{narrow<int8_t>(first.value, second.value)});
    else
        return bits_of(first) | bits_of(second) << kLanes<T>;
}
template <class T>
SILVA_INLINE bool any(Mask<T> mask) {
    return bits_of(mask) != 0;
}

// Bits beyond the lanes must be zero.
template <class T>
SILVA_INLINE Mask<T> mask_of(uint64_t bits) {
#if defined(SILVA_AVX512)
    return {bits};
#else
    using U = Unsigned<T>;
    constexpr int n_bits = 8 * static_cast<int>(sizeof(U));
    Vec<U> spread = all<U>(static_cast<U>(bits)), own;
    for (int i = 0; i < kLanes<U>; ++i) own.raw[i] = static_cast<U>(uint64_t{1} << i % n_bits);
    if constexpr (kLanes<U> > n_bits)  // bytes: each its own eight bits
        for (int i = 0; i < kLanes<U>; ++i) spread.raw[i] = static_cast<U>(bits >> (i / 8 * 8));
    return {{(spread.raw & own.raw) == own.raw}};
#endif
}

#if !defined(SILVA_AVX512)
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
#endif
// Lanes from n on are zero, and their memory is not touched.
template <class T>
SILVA_INLINE Vec<T> load_first(const T* from, int64_t n) {
    const auto n_bytes = n * static_cast<int64_t>(sizeof(T));
#if defined(SILVA_AVX512)
    return {(typename Vec<T>::Raw)_mm512_maskz_loadu_epi8(lowest_bits(n_bytes), from)};
#else
    if (n >= kLanes<T>) return load(from);
    auto words = zero<uint64_t>();
    const auto* bytes = reinterpret_cast<const uint8_t*>(from);
    for (int word = 0; word < kLanes<uint64_t>; ++word)
        words.put(word, first_bytes(bytes + 8 * word, n_bytes - 8 * word));
    return as<T>(words);
#endif
}
// Copies n bytes, less than twice `most`, by moves of known sizes: GCC makes a string instruction,
// which starts slowly, of a short copy of unknown size.
template <int most>
SILVA_INLINE void copy_bytes(uint8_t* to, const uint8_t* from, int64_t n) {
    if ((n & most) != 0) {
        __builtin_memcpy(to, from, most);
        to += most;
        from += most;
    }
    if constexpr (most > 1) copy_bytes<most / 2>(to, from, n);
}
// Writes the lanes before n only.
template <class T>
SILVA_INLINE void store_first(T* to, Vec<T> v, int64_t n) {
    const auto n_bytes = n * static_cast<int64_t>(sizeof(T));
#if defined(SILVA_AVX512)
    _mm512_mask_storeu_epi8(to, lowest_bits(n_bytes), (__m512i)v.raw);
#else
    if (n >= kLanes<T>) return store(to, v);
    copy_bytes<kBytes / 2>(reinterpret_cast<uint8_t*>(to), reinterpret_cast<const uint8_t*>(&v),
                           n_bytes);
#endif
}

}  // namespace
}  // namespace silva::simd::SILVA_ISA_NAMESPACE
