// The best split of a node into two leaves, one column at a time.
#pragma once

#include "core/optimal/sorted_node.hpp"

namespace silva::optimal {

struct Stump {
    int64_t cost;
    int64_t place;  // rows on the left side; 0: no split leaves min_rows rows on both sides
};

class StumpSweep {
  public:
    // The split of least cost; the lowest place among several.
    Stump best(const SortedNode& node, const NodeColumn& column, int64_t min_rows);

  private:
    Stump best_of_pairs(const SortedNode& node, const NodeColumn& column, int64_t min_rows) const;
    Stump best_of_many(const SortedNode& node, const NodeColumn& column, int64_t min_rows);
    void begin(const SortedNode& node);
    // Adds a row, and returns the highest gain of any slot.
    int64_t add(const SortedNode& node, uint32_t row);

    std::vector<int64_t> sums_, before_;
    int64_t highest_ = 0;
};

}  // namespace silva::optimal
