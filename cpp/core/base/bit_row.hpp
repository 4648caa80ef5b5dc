// One bit for each id, 32 ids a word: what would leave the near caches as bytes stays in them.
#pragma once

#include <cstdint>

#include "core/base/array.hpp"

namespace silva {

using BitRow = Array<uint32_t>;

constexpr int64_t bit_row_words(int64_t n_ids) { return (n_ids + 31) / 32; }

// One bit for each of n numbers, which are 0 or 1.
template <class T>
void fill_bits(const T* numbers, int64_t n, uint32_t* bits) {
    for (int64_t begin = 0; begin < n; begin += 32) {
        const int64_t end = begin + 32 < n ? begin + 32 : n;
        uint32_t word = 0;
        for (int64_t id = begin; id < end; ++id)
            word |= static_cast<uint32_t>(numbers[id]) << (id - begin);
        bits[begin / 32] = word;
    }
}
template <class T>
void fill_bits(const T* numbers, int64_t n, BitRow& bits) {
    bits.resize(bit_row_words(n));
    fill_bits(numbers, n, bits.data());
}

inline bool bit_at(const uint32_t* bits, int64_t id) { return (bits[id / 32] >> id % 32 & 1) != 0; }

inline void put_bit(uint32_t* bits, int64_t id, bool value) {
    uint32_t& word = bits[id / 32];
    word = (word & ~(uint32_t{1} << id % 32)) | static_cast<uint32_t>(value) << id % 32;
}

}  // namespace silva
