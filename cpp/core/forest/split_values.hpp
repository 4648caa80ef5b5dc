// The loops that move contiguous values at every node of a forest.
#pragma once

#include <cstdint>
#include <span>

namespace silva {

constexpr int64_t kSparePadding = 128;  // entries beyond the last that wide loops may touch

// A bit for each of n values, 64 a word: whether it is below the cut. Bits beyond n are zero.
void mark_below(const uint16_t* values, int64_t n, uint16_t cut, uint64_t* bits);
void mark_below(const uint32_t* values, int64_t n, uint32_t cut, uint64_t* bits);
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

// The same for several columns at once.
void split_columns_of(std::span<uint16_t* const> columns, int64_t n, const uint64_t* bits,
                      uint16_t* spare, bool keep_rest);
// Many values are moved at once here.
bool splits_widely();

// The values of up to 32 rows, those whose bits are set; reads 32 values, writes whole registers.
void pick(const uint16_t* values, uint32_t rows, uint16_t* out);
void pick(const uint64_t* values, uint32_t rows, uint64_t* out);
// Puts the lowest bits of `bits` at the places of the set bits of `places`, in their order.
uint32_t spread_bits(uint64_t bits, uint32_t places);

}  // namespace silva
