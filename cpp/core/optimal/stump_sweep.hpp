// The best split of a node into two leaves, one column at a time.
#pragma once

#include "core/optimal/sorted_node.hpp"

namespace silva::optimal {

struct Stump {
    int64_t cost;
    int64_t place;  // rows on the left side; 0: no split leaves min_rows rows on both sides
    // A lower bound of the cost of a tree of two levels that begins with this column: two
    // predictions for each side of a split.
    int64_t two_levels;
};

class StumpSweep {
  public:
    // The split of least cost; the lowest place among several.
    Stump best(const SortedNode& node, const NodeColumn& column, int64_t min_rows);

  private:
    Stump best_of_pairs(const SortedNode& node, const NodeColumn& column, int64_t min_rows) const;
    Stump best_of_many(const SortedNode& node, const NodeColumn& column, int64_t min_rows);
    Stump only(const SortedNode& node, const NodeColumn& flag, int64_t min_rows);
    void begin(const SortedNode& node);
    // Adds a row.
    void add(const SortedNode& node, uint32_t row);

    std::vector<int64_t> sums_;                     // gains of each slot
    int32_t first_ = 0;                             // the slot of the highest sum
    int64_t highest_ = 0, second_ = 0;              // the two highest sums
    std::vector<int64_t> one_before_, two_before_;  // highest, and sum of both, up to each place
};

}  // namespace silva::optimal
