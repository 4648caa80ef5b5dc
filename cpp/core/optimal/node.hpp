// What the search asks about the rows of a node, whatever their layout.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "core/optimal/problem.hpp"
#include "core/optimal/value_table.hpp"

namespace silva::optimal {

// A set of rows of the problem, a bit each.
using RowSet = std::vector<uint64_t>;

struct NodeFacts {
    int64_t rows = 0;   // of the problem
    int64_t leaf = 0;   // the cost of the best prediction for all rows
    int64_t floor = 0;  // no tree costs less
    int64_t reach = 0;  // the most that the rows can cost
    std::vector<int64_t> by_class;
    RowSet set;
    Key key;
};

void set_all_rows(const Problem& problem, RowSet& set);

// Counts rows of `set`, sums what they cost at most, and hashes it.
void measure_set(const Problem& problem, NodeFacts& facts);

// The most that the rows of `a` which `b` lacks can cost.
int64_t reach_beyond(const Problem& problem, const RowSet& a, const RowSet& b);

// A tree of one split: what follows on both sides is still to be found.
struct RootTest {
    int64_t value = kInfinite;
    int32_t column = -1;  // of the node; -1: no split
    int64_t place = 0;
};

// A question about trees of at most two levels of splits.
struct ShallowQuestion {
    int64_t unit, penalty, min_rows;
    int64_t max_depth, max_splits;
    int64_t upper;  // values that are not below may be replaced by any such bound
};

// Costs of the children of a test, in the unit of the problem: as leaves and as best stumps.
struct ChildCosts {
    int64_t left_leaf, left_stump, left_floor;
    int64_t right_leaf, right_stump, right_floor;
};

}  // namespace silva::optimal
