// The loops of the exact search over rows in bits: all pairs of tests at once.
#pragma once

#include <cstdint>

namespace silva::simd {

// Tests stand side by side in each word: test t of word w is bits[w * stride + t], where a set bit
// is a row that the test sends to the right. Tests are padded with zeros to a multiple of this.
constexpr int64_t kTestTile = 16;

// Words [first, last) hold rows of one class, each of which counts `factor`.
struct BitSegment {
    int32_t label;
    int64_t factor, first, last, rows;
};

// A leaf of fewer rows than the minimum costs this much.
template <class Count>
constexpr Count kForbidden = Count{1} << (sizeof(Count) * 8 - 3);

template <class Count>
struct BitPairs {
    const uint64_t* bits;
    int64_t stride;
    int32_t tests, classes, segments;
    const BitSegment* segment;
    const Count* ones;    // [class * stride + test]: weight of the rows of the test
    const Count* totals;  // by class
    const Count* costs;   // [class * classes + prediction]; null: every error costs 1
    Count min_rows;       // above 0: class number `classes` counts rows
    // The pairs whose first test is in [first, last), with all tests that follow it.
    int32_t first, last;
    // The least cost of a stump for the rows that each test sends to the right and to the left;
    // kForbidden before the first pair.
    Count *right, *left;
};

struct OptimalBitsKernels {
    void (*pairs32)(const BitPairs<int32_t>& job);
    void (*pairs64)(const BitPairs<int64_t>& job);
    // Appends the bits of each test at `places` to to[test] from bit `shift` on; what is left over
    // starts next[test].
    void (*compress)(const uint64_t* from, int64_t tests, uint64_t places, int shift, uint64_t* to,
                     uint64_t* next);
    // counts[test] = set bits of the words [first, last).
    void (*count)(const uint64_t* bits, int64_t stride, int64_t first, int64_t last,
                  uint64_t* counts);
};

}  // namespace silva::simd
