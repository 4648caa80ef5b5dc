// The vector type of the kernels, and the few operations that differ between instruction sets.
//
// Only files in simd/kernels/ include this. Each of them is compiled once per instruction set, in
// the namespace SILVA_ISA_NAMESPACE. Everything here has internal linkage and nothing here uses the
// standard library: the linker keeps one copy of a template or inline function that several
// instruction sets share, and may keep the copy that crashes every machine but the newest.
//
//     Vec<uint32_t> sum = load(p) + all<uint32_t>(7);
//     uint64_t small = bits_of(less(sum, load(q)));  // a bit for each lane
//
// Only integers are reduced across lanes: a sum of floats would depend on the width.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__AVX512VBMI2__) && defined(__AVX512VPOPCNTDQ__)
#define SILVA_AVX512 1
#elif defined(__AVX2__)
#define SILVA_AVX2 1
#elif defined(__SSE4_2__)
#define SILVA_SSE 1
#elif defined(__aarch64__)
#define SILVA_NEON 1
#endif

#define SILVA_INLINE inline __attribute__((always_inline))

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

#if defined(SILVA_AVX512)
constexpr int kBytes = 64;
#elif defined(SILVA_AVX2)
constexpr int kBytes = 32;
#else
constexpr int kBytes = 16;
#endif

// Whether a store of some lanes costs no more than one of all.
#if defined(SILVA_AVX512)
constexpr bool kStoresLanes = true;
#else
constexpr bool kStoresLanes = false;
#endif

// Lanes of T in a register.
template <class T>
constexpr int kLanes = kBytes / static_cast<int>(sizeof(T));

template <int n_bytes>
struct Integers;
template <>
struct Integers<1> {
    using Signed = int8_t;
    using Unsigned = uint8_t;
};
template <>
struct Integers<2> {
    using Signed = int16_t;
    using Unsigned = uint16_t;
};
template <>
struct Integers<4> {
    using Signed = int32_t;
    using Unsigned = uint32_t;
};
template <>
struct Integers<8> {
    using Signed = int64_t;
    using Unsigned = uint64_t;
};
template <class T>
using Signed = typename Integers<static_cast<int>(sizeof(T))>::Signed;
template <class T>
constexpr bool kIsFloat = false;
template <>
constexpr bool kIsFloat<float> = true;
template <>
constexpr bool kIsFloat<double> = true;
template <class T>
constexpr bool kIsSigned = T(-1) < T(0);

// N lanes of T; operators work lane by lane.
template <class T, int N = kLanes<T>>
struct Vec {
    typedef T Raw __attribute__((vector_size(N * sizeof(T))));
    typedef T Unaligned __attribute__((vector_size(N * sizeof(T)), aligned(1), may_alias));
    Raw raw;

    SILVA_INLINE T operator[](int lane) const { return raw[lane]; }
    SILVA_INLINE void put(int lane, T value) { raw[lane] = value; }

    friend SILVA_INLINE Vec operator+(Vec a, Vec b) { return {a.raw + b.raw}; }
    friend SILVA_INLINE Vec operator-(Vec a, Vec b) { return {a.raw - b.raw}; }
    friend SILVA_INLINE Vec operator*(Vec a, Vec b) { return {a.raw * b.raw}; }
    friend SILVA_INLINE Vec operator/(Vec a, Vec b) { return {a.raw / b.raw}; }
    friend SILVA_INLINE Vec operator&(Vec a, Vec b) { return {a.raw & b.raw}; }
    friend SILVA_INLINE Vec operator|(Vec a, Vec b) { return {a.raw | b.raw}; }
    friend SILVA_INLINE Vec operator^(Vec a, Vec b) { return {a.raw ^ b.raw}; }
    friend SILVA_INLINE Vec operator~(Vec a) { return {~a.raw}; }
    friend SILVA_INLINE Vec operator<<(Vec a, int by) { return {a.raw << by}; }
    friend SILVA_INLINE Vec operator>>(Vec a, int by) { return {a.raw >> by}; }
    friend SILVA_INLINE Vec operator<<(Vec a, Vec by) { return {a.raw << by.raw}; }
    friend SILVA_INLINE Vec operator>>(Vec a, Vec by) { return {a.raw >> by.raw}; }
    SILVA_INLINE Vec& operator+=(Vec b) { return raw += b.raw, *this; }
    SILVA_INLINE Vec& operator-=(Vec b) { return raw -= b.raw, *this; }
    SILVA_INLINE Vec& operator&=(Vec b) { return raw &= b.raw, *this; }
    SILVA_INLINE Vec& operator|=(Vec b) { return raw |= b.raw, *this; }
};

// ---- numbers -----------------------------------------------------------------------------------

template <class T>
SILVA_INLINE T least(T a, T b) {
    return b < a ? b : a;
}
template <class T>
SILVA_INLINE T most(T a, T b) {
    return a < b ? b : a;
}
// The lowest n bits, of 64 at most.
SILVA_INLINE uint64_t lowest_bits(int64_t n) {
    return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1;
}
SILVA_INLINE int count_bits(uint64_t bits) { return __builtin_popcountll(bits); }
// The number of the lowest set bit; there is one.
SILVA_INLINE int first_bit(uint64_t bits) { return __builtin_ctzll(bits); }

// The bits of `from` at the set bits of `places`, side by side. Microcoded on AMD before Zen 3, and
// then no slower than the loop.
SILVA_INLINE uint64_t extract_bits(uint64_t from, uint64_t places) {
#if defined(__BMI2__)
    return _pext_u64(from, places);
#else
    uint64_t found = 0;
    for (int n = 0; places != 0; places &= places - 1, ++n)
        found |= (from >> first_bit(places) & 1) << n;
    return found;
#endif
}
// Puts the lowest bits of `bits` at the set bits of `places`.
SILVA_INLINE uint64_t deposit_bits(uint64_t bits, uint64_t places) {
#if defined(__BMI2__)
    return _pdep_u64(bits, places);
#else
    uint64_t spread = 0;
    for (; places != 0; places &= places - 1, bits >>= 1)
        spread |= (places & -places) & -(bits & 1);
    return spread;
#endif
}

// ---- memory ------------------------------------------------------------------------------------

template <class T, int N = kLanes<T>>
SILVA_INLINE Vec<T, N> load(const T* from) {
    return {*reinterpret_cast<const typename Vec<T, N>::Unaligned*>(from)};
}
template <class T, int N>
SILVA_INLINE void store(T* to, Vec<T, N> values) {
    *reinterpret_cast<typename Vec<T, N>::Unaligned*>(to) = values.raw;
}
template <class T, int N = kLanes<T>>
SILVA_INLINE Vec<T, N> all(T value) {
    return {value - typename Vec<T, N>::Raw{}};
}
template <class T, int N = kLanes<T>>
SILVA_INLINE Vec<T, N> zero() {
    return {typename Vec<T, N>::Raw{}};
}
// 0, 1, 2, ...
template <class T, int N = kLanes<T>>
SILVA_INLINE Vec<T, N> iota() {
    Vec<T, N> lanes = zero<T, N>();
    for (int i = 0; i < N; ++i) lanes.raw[i] = static_cast<T>(i);
    return lanes;
}
// The same bits as lanes of another type.
template <class U, class T, int N>
SILVA_INLINE auto as(Vec<T, N> v) {
    using Result = Vec<U, N* static_cast<int>(sizeof(T)) / static_cast<int>(sizeof(U))>;
    return Result{(typename Result::Raw)v.raw};
}
// Each lane converted; of numbers that are floats only where every result is exact.
template <class U, class T, int N>
SILVA_INLINE Vec<U, N> convert(Vec<T, N> v) {
    return {__builtin_convertvector(v.raw, typename Vec<U, N>::Raw)};
}

// ---- masks -------------------------------------------------------------------------------------

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

// ---- lane by lane ------------------------------------------------------------------------------

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

// The number of set bits of each lane.
SILVA_INLINE Vec<uint64_t> count_bits(Vec<uint64_t> v) {
#if defined(SILVA_AVX512)
    return {(Vec<uint64_t>::Raw)_mm512_popcnt_epi64((__m512i)v.raw)};
#elif defined(SILVA_AVX2)
    const __m256i digits = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1,
                                            2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(15), x = (__m256i)v.raw;
    const __m256i bytes = _mm256_add_epi8(
        _mm256_shuffle_epi8(digits, _mm256_and_si256(x, low)),
        _mm256_shuffle_epi8(digits, _mm256_and_si256(_mm256_srli_epi16(x, 4), low)));
    return {(Vec<uint64_t>::Raw)_mm256_sad_epu8(bytes, _mm256_setzero_si256())};
#else
    Vec<uint64_t> counts = zero<uint64_t>();
    for (int i = 0; i < kLanes<uint64_t>; ++i)
        counts.raw[i] = static_cast<uint64_t>(__builtin_popcountll(v.raw[i]));
    return counts;
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
    using Raw = Vec<int32_t>::Raw;
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

// ---- across lanes ------------------------------------------------------------------------------

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

// ---- gathers -----------------------------------------------------------------------------------

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

// ---- bytes -------------------------------------------------------------------------------------

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

// ---- compress ----------------------------------------------------------------------------------

#if !defined(SILVA_AVX512)

// For each set of eight lanes, their numbers side by side.
struct LaneTable {
    alignas(8) uint8_t lanes[256][8];
};
constexpr LaneTable lane_table() {
    LaneTable table{};
    for (int set = 0; set < 256; ++set) {
        int n = 0;
        for (int lane = 0; lane < 8; ++lane)
            if ((set >> lane & 1) != 0) table.lanes[set][n++] = static_cast<uint8_t>(lane);
    }
    return table;
}
constexpr LaneTable kLaneTable = lane_table();

// The same as bytes: for eight lanes of 16 bits, four of 32, two of 64.
template <int n_lanes>
struct ByteTable {
    alignas(16) uint8_t bytes[1 << n_lanes][16];
};
template <int n_lanes>
constexpr ByteTable<n_lanes> byte_table() {
    ByteTable<n_lanes> table{};
    constexpr int width = 16 / n_lanes;
    for (int set = 0; set < 1 << n_lanes; ++set) {
        int n = 0;
        for (int lane = 0; lane < n_lanes; ++lane)
            if ((set >> lane & 1) != 0)
                for (int byte = 0; byte < width; ++byte)
                    table.bytes[set][n++] = static_cast<uint8_t>(width * lane + byte);
    }
    return table;
}
template <int n_lanes>
constexpr ByteTable<n_lanes> kByteTable = byte_table<n_lanes>();

#if defined(SILVA_AVX2)
// The same for four lanes of 64 bits, as numbers of lanes of 32.
struct TwinTable {
    alignas(8) uint8_t lanes[16][8];
};
constexpr TwinTable twin_table() {
    TwinTable table{};
    for (int set = 0; set < 16; ++set) {
        int n = 0;
        for (int lane = 0; lane < 8; ++lane)
            if ((set >> lane / 2 & 1) != 0) table.lanes[set][n++] = static_cast<uint8_t>(lane);
    }
    return table;
}
constexpr TwinTable kTwinTable = twin_table();
#endif

// Sixteen bytes of lanes; eight lanes at most.
template <class T>
SILVA_INLINE T* compress_part(T* out, Vec<uint8_t, 16> part, uint32_t set) {
    const uint8_t* order = kByteTable<16 / static_cast<int>(sizeof(T))>.bytes[set];
    const auto packed = shuffle_bytes(part, load<uint8_t, 16>(order));
    store(reinterpret_cast<uint8_t*>(out), packed);
    return out + __builtin_popcount(set);
}

#if defined(SILVA_AVX2)
// Eight lanes of 32 bits in the order of eight bytes.
template <class T>
SILVA_INLINE Vec<T> permuted(Vec<T> v, const uint8_t* lanes) {
    const __m256i order =
        _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(lanes)));
    return {(typename Vec<T>::Raw)_mm256_permutevar8x32_epi32((__m256i)v.raw, order)};
}
#endif

#endif

#if defined(SILVA_AVX512)
template <class T>
SILVA_INLINE Vec<T> compressed(Vec<T> v, uint64_t set) {
    using Raw [[maybe_unused]] = typename Vec<T>::Raw;
    const auto x = (__m512i)v.raw;
    if constexpr (sizeof(T) == 1)
        return {(Raw)_mm512_maskz_compress_epi8(set, x)};
    else if constexpr (sizeof(T) == 2)
        return {(Raw)_mm512_maskz_compress_epi16(static_cast<__mmask32>(set), x)};
    else if constexpr (sizeof(T) == 4)
        return {(Raw)_mm512_maskz_compress_epi32(static_cast<__mmask16>(set), x)};
    else
        return {(Raw)_mm512_maskz_compress_epi64(static_cast<__mmask8>(set), x)};
}
#endif

// Writes the lanes of the set, in their order; returns where they end. May write up to a register.
template <class T>
SILVA_INLINE T* compress(T* out, Vec<T> v, uint64_t set) {
#if defined(SILVA_AVX512)
    store(out, compressed(v, set));  // to memory the instruction itself is slow on AMD
    return out + count_bits(set);
#else
    if constexpr (sizeof(T) == 1) {
        uint8_t bytes[kBytes];
        store(bytes, as<uint8_t>(v));
        for (int at = 0; at < kBytes; at += 8, set >>= 8) {
            const auto eight = eight_bytes(bytes + at);
            const auto order = eight_bytes(kLaneTable.lanes[set & 255]);
            store(reinterpret_cast<uint8_t*>(out), low_half(shuffle_bytes(eight, order)));
            out += __builtin_popcount(set & 255);
        }
        return out;
#if defined(SILVA_AVX2)
    } else if constexpr (sizeof(T) == 4) {
        store(out, permuted(v, kLaneTable.lanes[set]));
        return out + count_bits(set);
    } else if constexpr (sizeof(T) == 8) {
        store(out, permuted(v, kTwinTable.lanes[set]));
        return out + count_bits(set);
#endif
    } else {
        constexpr int n_lanes = 16 / static_cast<int>(sizeof(T));
        const auto bytes = as<uint8_t>(v);
        if constexpr (kBytes == 32) {
            out = compress_part(out, low_half(bytes), set & ((1 << n_lanes) - 1));
            return compress_part(out, high_half(bytes), static_cast<uint32_t>(set >> n_lanes));
        } else {
            return compress_part(out, bytes, static_cast<uint32_t>(set));
        }
    }
#endif
}

// Writes only the lanes of the set; returns where they end.
template <class T>
SILVA_INLINE T* compress_exactly(T* out, Vec<T> v, uint64_t set) {
    const int n = count_bits(set);
#if defined(SILVA_AVX512)
    store_masked(out, compressed(v, set), _bzhi_u64(~uint64_t{0}, static_cast<uint32_t>(n)));
#else
    T packed[2 * kLanes<T>];  // the parts of a register may each write beyond their lanes
    compress(packed, v, set);
    __builtin_memcpy(out, packed, sizeof(T) * static_cast<size_t>(n));
#endif
    return out + n;
}

}  // namespace
}  // namespace silva::simd::SILVA_ISA_NAMESPACE
