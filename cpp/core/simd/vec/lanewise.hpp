// Operations lane by lane beside the operators, and reductions of integers across lanes.
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

// The lower, and the higher, of two where the mask is set; elsewhere the first. Of unsigned lanes:
// without masked instructions, lanes outside become the highest (lowest) number.
template <class T>
SILVA_INLINE Vec<T> min_where(Mask<T> mask, Vec<T> a, Vec<T> b) {
#if defined(SILVA_AVX512)
    return select(mask, min(a, b), a);
#else
    return min(a, b | ~as<T>(mask.value));
#endif
}
template <class T>
SILVA_INLINE Vec<T> max_where(Mask<T> mask, Vec<T> a, Vec<T> b) {
#if defined(SILVA_AVX512)
    return select(mask, max(a, b), a);
#else
    return max(a, b & as<T>(mask.value));
#endif
}
// The sum where the mask is set; elsewhere the first.
template <class T>
SILVA_INLINE Vec<T> add_where(Mask<T> mask, Vec<T> a, Vec<T> b) {
    return select(mask, a + b, a);
}
// One more in the lanes where the mask is set.
template <class T>
SILVA_INLINE Vec<T> add_one_where(Mask<T> mask, Vec<T> v) {
#if defined(SILVA_AVX512)
    return add_where(mask, v, all<T>(1));
#else
    return v - as<T>(mask.value);
#endif
}

// Numbers below 2^52 as doubles.
template <int N>
SILVA_INLINE Vec<double, N> to_double(Vec<uint64_t, N> v) {
    const auto exponent = all<uint64_t, N>(0x4330000000000000u);  // of 2^52
    return as<double>(v | exponent) - all<double, N>(4503599627370496.0);
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

// The sum of the bytes of each word.
SILVA_INLINE Vec<uint64_t> sum_bytes(Vec<uint64_t> v) {
    const auto halves = all<uint64_t>(0x00FF00FF00FF00FFu), words = all<uint64_t>(0xFFFF0000FFFFu);
    v = (v & halves) + (v >> 8 & halves);
    v = (v & words) + (v >> 16 & words);
    return (v & all<uint64_t>(0xFFFFFFFFu)) + (v >> 32);
}
// a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1], of numbers that are not negative.
SILVA_INLINE Vec<int32_t> add_products(Vec<int16_t> a, Vec<int16_t> b) {
    const auto x = as<int32_t>(a), y = as<int32_t>(b), low = all<int32_t>(0xFFFF);
    return (x & low) * (y & low) + (x >> 16) * (y >> 16);
}

// Folds halves until n lanes are left.
template <int n, class T, int N, class F>
SILVA_INLINE Vec<T, n> fold_to(Vec<T, N> v, const F& f) {
    if constexpr (N == n)
        return v;
    else
        return fold_to<n>(f(low_half(v), high_half(v)), f);
}
// Folds all lanes; in 16 bytes, the lanes are folded with those `step` further on.
template <int step, class T, int N, class F>
SILVA_INLINE T fold_steps(Vec<T, N> v, const F& f) {
    if constexpr (step == 0)
        return v[0];
    else
        return fold_steps<step / 2>(f(v, shuffled<N>(v, v, [](int i) { return i + step; })), f);
}
template <class T, int N, class F>
SILVA_INLINE T fold(Vec<T, N> v, const F& f) {
    static_assert(!kIsFloat<T>, "only integers are reduced across lanes");
    constexpr int n = 16 / static_cast<int>(sizeof(T));
    return fold_steps<(N < n ? N : n) / 2>(fold_to<(N < n ? N : n)>(v, f), f);
}
struct Add {
    template <class V>
    SILVA_INLINE V operator()(V a, V b) const {
        return a + b;
    }
};
struct Lower {
    template <class V>
    SILVA_INLINE V operator()(V a, V b) const {
        return min(a, b);
    }
};
struct Higher {
    template <class V>
    SILVA_INLINE V operator()(V a, V b) const {
        return max(a, b);
    }
};
template <class T, int N>
SILVA_INLINE T sum(Vec<T, N> v) {
    return fold(v, Add{});
}
template <class T, int N>
SILVA_INLINE T lowest(Vec<T, N> v) {
    return fold(v, Lower{});
}
template <class T, int N>
SILVA_INLINE T highest(Vec<T, N> v) {
    return fold(v, Higher{});
}

}  // namespace
}  // namespace silva::simd::SILVA_ISA_NAMESPACE
