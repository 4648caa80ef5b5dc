// The costs of both sides of several splits, as leaves and as stumps: thresholds of a column, or
// flags.
#pragma once

#include <memory>

#include "core/optimal/sorted_node.hpp"

namespace silva::optimal {

// The sides of a split, each as a leaf and as a stump. A stump costs at most as much as the leaf.
struct Sides {
    int64_t left_leaf, left_stump, right_leaf, right_stump;
};

// Evaluates a node, with sums as wide as its costs need.
class ThresholdPass {
  public:
    virtual ~ThresholdPass() = default;
    // Prepares for a node. Leaves of stumps have at least min_rows rows.
    virtual void load(const SortedNode& node, int64_t min_rows) = 0;
    // The most thresholds of a pass.
    virtual int64_t capacity() const = 0;
    // The sides of the splits of a column after each number of rows in `places`, which ascend.
    virtual void evaluate(const NodeColumn& column, const std::vector<int64_t>& places,
                          Sides* sides) = 0;
    // The sides of the splits of flags, numbered as the columns of the node: of as many of `flags`
    // as a pass can take, which move to `taken`. The left side here is the smaller one.
    virtual void evaluate_flags(std::vector<size_t>& flags, std::vector<size_t>& taken,
                                Sides* sides) = 0;
};

// The narrowest sums that hold `limit`.
class ThresholdPasses {
  public:
    ThresholdPasses();
    ThresholdPass& fit(int64_t limit);

  private:
    std::unique_ptr<ThresholdPass> narrow_, middle_, wide_;
};

}  // namespace silva::optimal
