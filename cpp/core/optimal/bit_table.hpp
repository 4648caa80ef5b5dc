// The tests of a problem as bits of its rows, shared by all threads.
#pragma once

#include <utility>

#include "core/optimal/kernels/bits.hpp"
#include "core/optimal/node.hpp"

namespace silva::optimal {

// Rows of equal class and weight stand in one segment. Where weights differ too much, a row stands
// in one segment for each bit of its weight.
struct BitTable {
    struct Segment {
        simd::BitSegment facts;
        std::vector<int64_t> rows;  // of the problem
    };

    BitTable(const Problem& problem, const Bounds& bounds, int64_t min_rows);

    int64_t bytes() const;

    std::vector<std::pair<int32_t, int32_t>> names;  // column and position of each test
    std::vector<RowSet> tests;                       // the rows that each sends to the right
    std::vector<Segment> segments;                   // classes, row counts, floors
    int32_t searched = 0;                            // segments of classes and row counts
    int64_t words = 0;

  private:
    void list_tests(const Problem& problem);
    void add_segments(int32_t label, const std::vector<int64_t>& rows,
                      const std::vector<int64_t>& weights);
};

}  // namespace silva::optimal
