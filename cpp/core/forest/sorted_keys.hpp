// Positions in the order of their ranks: a rank and a position in one word.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/wide.hpp"

namespace silva {

constexpr int64_t kFewKeys = 64;       // so few are in order at once
constexpr int64_t kCountedKeys = 192;  // up to here a key's place is found by counting

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

#ifdef SILVA_HAS_WIDE
// The place of a key is the number of keys below it; all keys are different. `keys` is filled up to
// a whole register with the highest number.
SILVA_WIDE inline void place_by_count(const uint32_t* keys, int64_t n, uint64_t* out) {
    for (int64_t i = 0; i < n; ++i) {
        const __m512i mine = _mm512_set1_epi32(static_cast<int>(keys[i]));
        int below = 0;
        for (int64_t at = 0; at < n; at += 16)
            below +=
                __builtin_popcount(_mm512_cmplt_epu32_mask(_mm512_loadu_si512(keys + at), mine));
        out[below] = static_cast<uint64_t>(keys[i] >> 8) << 32 | (keys[i] & 0xFFu);
    }
}
#endif

}  // namespace detail

// Keys in ascending order: rank - lowest in the upper half, position in the lower one.
template <class Rank>
const uint64_t* sorted_keys(const Rank* ranks, int64_t n, Rank lowest, Rank highest,
                            KeyScratch& scratch) {
    if (scratch.keys.size() < static_cast<size_t>(n) + kFewKeys) {
        scratch.keys.resize(static_cast<size_t>(n) + kFewKeys);
        scratch.other.resize(static_cast<size_t>(n) + kFewKeys);
    }
#ifdef SILVA_HAS_WIDE
    if (n <= kCountedKeys && highest - lowest < (1 << 24) && can_go_wide()) {
        uint32_t keys[kCountedKeys];
        for (int64_t i = 0; i < n; ++i)
            keys[i] = static_cast<uint32_t>(ranks[i] - lowest) << 8 | static_cast<uint32_t>(i);
        for (int64_t i = n; i < (n + 15) / 16 * 16; ++i) keys[i] = ~uint32_t{0};
        detail::place_by_count(keys, n, scratch.keys.data());
        return scratch.keys.data();
    }
#endif
    for (int64_t i = 0; i < n; ++i)
        scratch.keys[i] = static_cast<uint64_t>(ranks[i] - lowest) << 32 | static_cast<uint64_t>(i);
    if (n <= 2 * kFewKeys) {
        std::sort(scratch.keys.begin(), scratch.keys.begin() + n);
        return scratch.keys.data();
    }
    return detail::radix_sort(scratch, n, static_cast<uint64_t>(highest - lowest));
}

}  // namespace silva
