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

// How many of the first n bits are set; those beyond n in the last word must be zero.
int64_t count_marked(const uint64_t* bits, int64_t n);

// Moves the marked values to the front, the others behind them, both in their order. `spare` has
// room for n + kSparePadding values. Without `keep_rest` the others are lost.
void split_values(uint8_t* values, int64_t n, const uint64_t* bits, uint8_t* spare, bool keep_rest);
void split_values(uint16_t* values, int64_t n, const uint64_t* bits, uint16_t* spare,
                  bool keep_rest);
void split_values(uint32_t* values, int64_t n, const uint64_t* bits, uint32_t* spare,
                  bool keep_rest);
void split_values(uint64_t* values, int64_t n, const uint64_t* bits, uint64_t* spare,
                  bool keep_rest);

// The values of up to 32 rows, those whose bits are set; reads 32 values, writes whole registers.
void pick(const uint16_t* values, uint32_t rows, uint16_t* out);
void pick(const uint32_t* values, uint32_t rows, uint32_t* out);
void pick(const uint64_t* values, uint32_t rows, uint64_t* out);
// Puts the lowest bits of `bits` at the places of the set bits of `places`, in their order.
uint32_t spread_bits(uint64_t bits, uint32_t places);

template <class T>
struct Range {
    T low, high;
};
Range<uint16_t> range_of(const uint16_t* values, int64_t n);
Range<uint32_t> range_of(const uint32_t* values, int64_t n);
Range<float> range_of(const float* values, int64_t n);
Range<double> range_of(const double* values, int64_t n);

// The highest rank below the cut and the lowest one that is not below it; both exist.
Range<uint16_t> around(const uint16_t* ranks, int64_t n, uint16_t cut);
Range<uint32_t> around(const uint32_t* ranks, int64_t n, uint32_t cut);

// The ranks of some rows among themselves, fewer than 65,536: `ranks` by id, all below `n_ranks`.
// `present` and `before` have n_ranks / 64 + 1 entries.
void rank_among(const uint32_t* ranks, const uint32_t* ids, int64_t n, int64_t n_ranks,
                uint64_t* present, uint32_t* before, uint16_t* out);

// The sums of the lower and of the upper 16 bits of `pairs`, both below 2^32: of all, or of those
// whose values are below the cut.
struct PairSum {
    uint32_t low, high;
};
PairSum sum_pairs(const uint32_t* pairs, int64_t n);
PairSum pairs_below(const float* values, const uint32_t* pairs, int64_t n, float cut);
PairSum pairs_below(const double* values, const uint32_t* pairs, int64_t n, double cut);

}  // namespace silva
