// Positions in the order of their ranks: a rank and a position in one word.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/columns/reductions.hpp"
#include "core/simd/kernels.hpp"

namespace silva {

using simd::kCountedKeys;
constexpr int64_t kFewKeys = 64;  // so few are put in order rather than in bins

struct KeyScratch {
    std::vector<uint64_t> keys, other;
};

namespace detail {

constexpr int kDigit = 8;

// Least significant digit first, on the bits of the upper half that the range has: digits of equal
// size, not more than kDigit bits.
inline uint64_t* radix_sort(KeyScratch& scratch, int64_t n, uint64_t highest) {
    const int bits = std::bit_width(highest), n_digits = (bits + kDigit - 1) / kDigit;
    const int digit = n_digits == 0 ? 1 : (bits + n_digits - 1) / n_digits;
    const uint64_t buckets = uint64_t{1} << digit;
    for (int shift = 32; highest >> (shift - 32) != 0; shift += digit) {
        uint32_t at[1 << kDigit];
        std::fill_n(at, buckets, 0u);
        for (int64_t i = 0; i < n; ++i) ++at[(scratch.keys[i] >> shift) & (buckets - 1)];
        uint32_t sum = 0;
        for (uint64_t b = 0; b < buckets; ++b) {
            const uint32_t count = at[b];
            at[b] = sum;
            sum += count;
        }
        for (int64_t i = 0; i < n; ++i) {
            const uint64_t key = scratch.keys[i];
            scratch.other[at[(key >> shift) & (buckets - 1)]++] = key;
        }
        std::swap(scratch.keys, scratch.other);
    }
    return scratch.keys.data();
}

inline void sort_few(const uint16_t* ranks, int64_t n, uint16_t lowest, uint64_t* keys) {
    simd::kernels().sorted_keys.sort_short(ranks, n, lowest, keys);
}
inline void sort_few(const uint32_t* ranks, int64_t n, uint32_t lowest, uint64_t* keys) {
    simd::kernels().sorted_keys.sort_long(ranks, n, lowest, keys);
}

}  // namespace detail

// Keys in ascending order: rank - lowest in the upper half, position in the lower one.
template <class Rank>
const uint64_t* sorted_keys(const Rank* ranks, int64_t n, Rank lowest, Rank highest,
                            KeyScratch& scratch) {
    if (scratch.keys.size() < static_cast<size_t>(n) + kFewKeys) {
        scratch.keys.resize(static_cast<size_t>(n) + kFewKeys);
        scratch.other.resize(static_cast<size_t>(n) + kFewKeys);
    }
    if (n <= kCountedKeys) {
        detail::sort_few(ranks, n, lowest, scratch.keys.data());
        return scratch.keys.data();
    }
    for (int64_t i = 0; i < n; ++i)
        scratch.keys[i] = static_cast<uint64_t>(ranks[i] - lowest) << 32 | static_cast<uint64_t>(i);
    return detail::radix_sort(scratch, n, static_cast<uint64_t>(highest - lowest));
}

// Rows of a word each in the order of these keys.
struct KeyedRows {
    int32_t column;
    uint32_t lowest;
    const uint64_t* keys;
    const uint32_t* words;
    int64_t n;
};

// How many of these keys are before those of missing values.
template <class Rank>
int64_t count_known(const uint64_t* keys, int64_t n, const Range<Rank>& range,
                    uint32_t missing_rank) {
    if (range.high != missing_rank) return n;
    const uint64_t missing = static_cast<uint64_t>(range.high - range.low) << 32;
    while (n > 0 && keys[n - 1] >= missing) --n;
    return n;
}

}  // namespace silva
