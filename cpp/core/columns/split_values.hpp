// The loops that move contiguous values at every node of a forest.
#pragma once

#include <cstdint>
#include <span>

#include "core/simd/kernels.hpp"

namespace silva {

constexpr int64_t kSparePadding = 128;  // entries beyond the last that kernels may touch

// A bit for each of n values, 64 a word: whether it is below the cut. Bits beyond n are zero.
// Values are read up to a whole register.
inline void mark_below(const uint16_t* values, int64_t n, uint16_t cut, uint64_t* bits) {
    simd::kernels().split.mark_below_16(values, n, cut, bits);
}
inline void mark_below(const uint32_t* values, int64_t n, uint32_t cut, uint64_t* bits) {
    simd::kernels().split.mark_below_32(values, n, cut, bits);
}
// The same: whether the bit `bit` of each word is `value`.
inline void mark_bit(const uint64_t* words, int64_t n, int bit, bool value, uint64_t* bits) {
    simd::kernels().split.mark_bit(words, n, bit, value, bits);
}

// Moves the marked values to the front, the others behind them, both in their order. `spare` has
// room for n + kSparePadding values. Without `keep_rest` the others are lost.
inline void split_values(uint8_t* values, int64_t n, const uint64_t* bits, uint8_t* spare,
                         bool keep_rest) {
    simd::kernels().split.split_8(values, n, bits, spare, keep_rest);
}
inline void split_values(uint16_t* values, int64_t n, const uint64_t* bits, uint16_t* spare,
                         bool keep_rest) {
    simd::kernels().split.split_16(values, n, bits, spare, keep_rest);
}
inline void split_values(uint32_t* values, int64_t n, const uint64_t* bits, uint32_t* spare,
                         bool keep_rest) {
    simd::kernels().split.split_32(values, n, bits, spare, keep_rest);
}
inline void split_values(uint64_t* values, int64_t n, const uint64_t* bits, uint64_t* spare,
                         bool keep_rest) {
    simd::kernels().split.split_64(values, n, bits, spare, keep_rest);
}

// The same for several columns at once, which are followed by kSparePadding values that may be
// written for a moment. Of up to 256 values those up to the next power of two are read.
inline void split_columns_of(std::span<uint16_t* const> columns, int64_t n, const uint64_t* bits,
                             uint16_t* spare, bool keep_rest) {
    simd::kernels().split.split_columns(columns.data(), std::ssize(columns), n, bits, spare,
                                        keep_rest);
}

// The values of up to 32 rows, those whose bits are set; reads 32 values, writes whole registers.
inline void pick(const uint16_t* values, uint32_t rows, uint16_t* out) {
    simd::kernels().split.pick_16(values, rows, out);
}
inline void pick(const uint64_t* values, uint32_t rows, uint64_t* out) {
    simd::kernels().split.pick_64(values, rows, out);
}
// Puts the lowest bits of `bits` at the places of the set bits of `places`, in their order.
inline uint32_t spread_bits(uint64_t bits, uint32_t places) {
    return simd::kernels().split.spread_bits(bits, places);
}

}  // namespace silva
