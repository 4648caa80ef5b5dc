// The loops that look at contiguous values at every node of a forest.
#pragma once

#include <bit>
#include <cstdint>

#include "core/simd/kernels.hpp"

namespace silva {

using simd::Range, simd::PairSum;

// How many of the first n bits are set; those beyond n in the last word must be zero.
inline int64_t count_marked(const uint64_t* bits, int64_t n) {
    return simd::kernels().reductions.count_marked(bits, (n + 63) / 64);
}
// How many bits are set in both of so many words.
inline uint32_t count_common(const uint64_t* a, const uint64_t* b, int64_t n_words) {
    if (n_words > 2)
        return static_cast<uint32_t>(simd::kernels().reductions.count_common(a, b, n_words));
    int n = 0;
    for (int64_t word = 0; word < n_words; ++word) n += std::popcount(a[word] & b[word]);
    return static_cast<uint32_t>(n);
}

// The lowest and the highest value; there is one.
inline Range<uint16_t> range_of(const uint16_t* values, int64_t n) {
    return simd::kernels().reductions.short_range(values, n);
}
inline Range<uint32_t> range_of(const uint32_t* values, int64_t n) {
    return simd::kernels().reductions.long_range(values, n);
}

// The highest rank below the cut and the lowest one that is not below it; both exist.
inline Range<uint16_t> around(const uint16_t* ranks, int64_t n, uint16_t cut) {
    return simd::kernels().reductions.short_around(ranks, n, cut);
}
inline Range<uint32_t> around(const uint32_t* ranks, int64_t n, uint32_t cut) {
    return simd::kernels().reductions.long_around(ranks, n, cut);
}

// The ranks of some rows among themselves, fewer than 65,536: `ranks` by id, all below `n_ranks`.
// `present` and `before` have n_ranks / 64 + 1 entries.
inline void rank_among(const uint32_t* ranks, const uint32_t* ids, int64_t n, int64_t n_ranks,
                       uint64_t* present, uint32_t* before, uint16_t* out) {
    simd::kernels().reductions.rank_among(ranks, ids, n, n_ranks, present, before, out);
}

// The sums of the lower and of the upper 16 bits of `pairs`, both below 2^32: of all, or of the
// marked ones.
inline PairSum sum_pairs(const uint32_t* pairs, int64_t n) {
    return simd::kernels().reductions.sum_pairs(pairs, n);
}
inline PairSum sum_marked(const uint32_t* pairs, int64_t n, const uint64_t* bits) {
    return simd::kernels().reductions.sum_marked(pairs, n, bits);
}

}  // namespace silva
