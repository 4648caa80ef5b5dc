// The loops that move contiguous values at every node of a forest.
#pragma once

#include <cstdint>

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
// room for n + kSparePadding values; as many beyond the last value may be written for a moment.
inline void split_values(uint8_t* values, int64_t n, const uint64_t* bits, uint8_t* spare) {
    simd::kernels().split.split_8(values, n, bits, spare);
}
inline void split_values(uint16_t* values, int64_t n, const uint64_t* bits, uint16_t* spare) {
    simd::kernels().split.split_16(values, n, bits, spare);
}
inline void split_values(uint32_t* values, int64_t n, const uint64_t* bits, uint32_t* spare) {
    simd::kernels().split.split_32(values, n, bits, spare);
}
inline void split_values(uint64_t* values, int64_t n, const uint64_t* bits, uint64_t* spare) {
    simd::kernels().split.split_64(values, n, bits, spare);
}

// The rows of a node put into two parts, every array of the node in the same way: marked rows go
// left. `spare` has room for the longest array.
struct RowParts {
    int64_t n;
    const uint64_t* bits;
    uint64_t* spare;

    template <class T>
    void split(T* values) const {
        split_values(values, n, bits, reinterpret_cast<T*>(spare));
    }
};

}  // namespace silva
