// The instruction set at hand, lanes in a register, and their way to and from memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

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
constexpr bool kStoresLanes = kBytes == 64;

// Lanes of T in a register.
template <class T>
constexpr int kLanes = kBytes / static_cast<int>(sizeof(T));

// Integers of the size of T.
template <class T>
using Signed =
    std::conditional_t<sizeof(T) == 8, int64_t,
                       std::conditional_t<sizeof(T) == 4, int32_t,
                                          std::conditional_t<sizeof(T) == 2, int16_t, int8_t>>>;
template <class T>
using Unsigned = std::make_unsigned_t<Signed<T>>;
template <class T>
constexpr bool kIsFloat = std::is_floating_point_v<T>;

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

}  // namespace
}  // namespace silva::simd::SILVA_ISA_NAMESPACE
