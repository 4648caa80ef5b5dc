// Lanes in another order: halves, pairs of registers, and bytes by a table.
#pragma once

#include <utility>

#include "core/simd/vec/lanes.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

// Lane i of the result is lane order(i) of `a` followed by `b`. The order is known to the compiler,
// which finds the instruction for it.
template <int M, class T, int N, class Order, int... i>
SILVA_INLINE Vec<T, M> shuffled(Vec<T, N> a, Vec<T, N> b, Order, std::integer_sequence<int, i...>) {
    return {__builtin_shufflevector(a.raw, b.raw, Order{}(i)...)};
}
template <int M, class T, int N, class Order>
SILVA_INLINE Vec<T, M> shuffled(Vec<T, N> a, Vec<T, N> b, Order order) {
    return shuffled<M>(a, b, order, std::make_integer_sequence<int, M>{});
}

template <class T, int N>
SILVA_INLINE Vec<T, N / 2> low_half(Vec<T, N> v) {
    return shuffled<N / 2>(v, v, [](int i) { return i; });
}
template <class T, int N>
SILVA_INLINE Vec<T, N / 2> high_half(Vec<T, N> v) {
    return shuffled<N / 2>(v, v, [](int i) { return i + N / 2; });
}
template <class T, int N>
SILVA_INLINE Vec<T, 2 * N> joined(Vec<T, N> low, Vec<T, N> high) {
    return shuffled<2 * N>(low, high, [](int i) { return i; });
}

// In each 16 bytes, the lanes of the low (high) halves of a and b by turns: a0 b0 a1 b1 ...
template <class T>
constexpr int zipped_from(int i) {
    constexpr int block = 16 / static_cast<int>(sizeof(T));
    return i / block * block + i % block / 2 + i % 2 * kLanes<T>;
}
template <class T>
SILVA_INLINE Vec<T> zip_low(Vec<T> a, Vec<T> b) {
    return shuffled<kLanes<T>>(a, b, [](int i) { return zipped_from<T>(i); });
}
template <class T>
SILVA_INLINE Vec<T> zip_high(Vec<T> a, Vec<T> b) {
    constexpr int half = 8 / static_cast<int>(sizeof(T));
    return shuffled<kLanes<T>>(a, b, [](int i) { return zipped_from<T>(i) + half; });
}

// The lower halves of the lanes of both registers.
template <class U, class T>
SILVA_INLINE Vec<U> narrow(Vec<T> low, Vec<T> high) {
    static_assert(2 * sizeof(U) == sizeof(T));
    return shuffled<kLanes<U>>(as<U>(low), as<U>(high), [](int i) { return 2 * i; });
}

// The last lane in all lanes.
template <class T>
SILVA_INLINE Vec<T> last_everywhere(Vec<T> v) {
    return shuffled<kLanes<T>>(v, v, [](int) { return kLanes<T> - 1; });
}

// In each 16 bytes, byte i of the result is byte order[i] of v; orders are below 16.
template <int N>
SILVA_INLINE Vec<uint8_t, N> shuffle_bytes(Vec<uint8_t, N> v, Vec<uint8_t, N> order) {
    using Raw [[maybe_unused]] = typename Vec<uint8_t, N>::Raw;
#if defined(SILVA_AVX512)
    if constexpr (N == 64) return {(Raw)_mm512_shuffle_epi8((__m512i)v.raw, (__m512i)order.raw)};
#endif
#if defined(__AVX2__)
    if constexpr (N == 32) return {(Raw)_mm256_shuffle_epi8((__m256i)v.raw, (__m256i)order.raw)};
#endif
#if defined(__SSSE3__)
    if constexpr (N == 16) return {(Raw)_mm_shuffle_epi8((__m128i)v.raw, (__m128i)order.raw)};
#elif defined(SILVA_NEON)
    if constexpr (N == 16) return {(Raw)vqtbl1q_u8((uint8x16_t)v.raw, (uint8x16_t)order.raw)};
#endif
    Vec<uint8_t, N> result;
    for (int i = 0; i < N; ++i) result.raw[i] = v.raw[i / 16 * 16 + order.raw[i]];
    return result;
}

// table[at] for each lane, of 16 bytes; at is below 16.
SILVA_INLINE Vec<uint8_t> look_up(const uint8_t* table, Vec<uint8_t> at) {
    const auto once = load<uint8_t, 16>(table);
    const auto repeated = shuffled<kBytes>(once, once, [](int i) { return i % 16; });
    return shuffle_bytes(repeated, at);
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
