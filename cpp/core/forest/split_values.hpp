// The loops over contiguous values that forests repeat at every node.
#pragma once

#include <cstdint>

namespace silva {

constexpr int64_t kSparePadding = 64;  // entries beyond the last that wide stores may touch

// A bit for each of n values, 64 a word: whether it is below the cut. Bits beyond n are zero.
void mark_below(const uint16_t* values, int64_t n, uint16_t cut, uint64_t* bits);
void mark_below(const uint32_t* values, int64_t n, uint32_t cut, uint64_t* bits);
void mark_below(const float* values, int64_t n, float cut, uint64_t* bits);
void mark_below(const double* values, int64_t n, double cut, uint64_t* bits);
// The same: whether the bit `bit` of each word is `value`.
void mark_bit(const uint64_t* words, int64_t n, int bit, bool value, uint64_t* bits);

// Moves the marked values to the front, the others behind them, both in their order. `spare` has
// room for n + kSparePadding values. Without `keep_rest` the others are lost.
void split_values(uint8_t* values, int64_t n, const uint64_t* bits, uint8_t* spare, bool keep_rest);
void split_values(uint16_t* values, int64_t n, const uint64_t* bits, uint16_t* spare,
                  bool keep_rest);
void split_values(uint32_t* values, int64_t n, const uint64_t* bits, uint32_t* spare,
                  bool keep_rest);
void split_values(uint64_t* values, int64_t n, const uint64_t* bits, uint64_t* spare,
                  bool keep_rest);

template <class T>
struct Range {
    T low, high;
};
Range<uint16_t> range_of(const uint16_t* values, int64_t n);
Range<uint32_t> range_of(const uint32_t* values, int64_t n);
Range<float> range_of(const float* values, int64_t n);
Range<double> range_of(const double* values, int64_t n);

// The sum of the `pairs` (two counts of 16 bits in one word) of values below the cut; exact while
// no count of the sum exceeds 16 bits.
uint32_t pairs_below(const float* values, const uint32_t* pairs, int64_t n, float cut);
uint32_t pairs_below(const double* values, const uint32_t* pairs, int64_t n, double cut);

}  // namespace silva
