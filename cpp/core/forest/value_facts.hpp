// The loops that look at contiguous values at every node of a forest.
#pragma once

#include <bit>
#include <cstdint>

namespace silva {

// How many of the first n bits are set; those beyond n in the last word must be zero.
int64_t count_marked(const uint64_t* bits, int64_t n);
// How many bits are set in both of so many words.
uint32_t count_common_of_many(const uint64_t* a, const uint64_t* b, int64_t n_words);
inline uint32_t count_common(const uint64_t* a, const uint64_t* b, int64_t n_words) {
    if (n_words > 2) return count_common_of_many(a, b, n_words);
    int n = 0;
    for (int64_t word = 0; word < n_words; ++word) n += std::popcount(a[word] & b[word]);
    return static_cast<uint32_t>(n);
}

template <class T>
struct Range {
    T low, high;
};
Range<uint16_t> range_of(const uint16_t* values, int64_t n);
Range<uint32_t> range_of(const uint32_t* values, int64_t n);

// The highest rank below the cut and the lowest one that is not below it; both exist.
Range<uint16_t> around(const uint16_t* ranks, int64_t n, uint16_t cut);
Range<uint32_t> around(const uint32_t* ranks, int64_t n, uint32_t cut);

// The ranks of some rows among themselves, fewer than 65,536: `ranks` by id, all below `n_ranks`.
// `present` and `before` have n_ranks / 64 + 1 entries.
void rank_among(const uint32_t* ranks, const uint32_t* ids, int64_t n, int64_t n_ranks,
                uint64_t* present, uint32_t* before, uint16_t* out);

// The sums of the lower and of the upper 16 bits of `pairs`, both below 2^32: of all, or of the
// marked ones.
struct PairSum {
    uint32_t low, high;
};
PairSum sum_pairs(const uint32_t* pairs, int64_t n);
PairSum sum_marked(const uint32_t* pairs, int64_t n, const uint64_t* bits);

}  // namespace silva
