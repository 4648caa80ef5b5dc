// The loops that look at contiguous values at every node of a forest.
#pragma once

#include <cstdint>

#include "core/simd/range.hpp"

namespace silva::simd {

struct PairSum {
    uint32_t low, high;
};

// See columns/reductions.hpp, which names what each of them does.
struct ReductionKernels {
    int64_t (*count_marked)(const uint64_t* bits, int64_t n_words);
    int64_t (*count_common)(const uint64_t* a, const uint64_t* b, int64_t n_words);
    Range<uint16_t> (*short_range)(const uint16_t* values, int64_t n);
    Range<uint32_t> (*long_range)(const uint32_t* values, int64_t n);
    Range<uint16_t> (*short_around)(const uint16_t* ranks, int64_t n, uint16_t cut);
    Range<uint32_t> (*long_around)(const uint32_t* ranks, int64_t n, uint32_t cut);
    void (*rank_among)(const uint32_t* ranks, const uint32_t* ids, int64_t n, int64_t n_ranks,
                       uint64_t* present, uint32_t* before, uint16_t* out);
    PairSum (*sum_pairs)(const uint32_t* pairs, int64_t n);
    PairSum (*sum_marked)(const uint32_t* pairs, int64_t n, const uint64_t* bits);
};

}  // namespace silva::simd
