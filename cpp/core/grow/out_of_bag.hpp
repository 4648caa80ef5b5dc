// What the trees of a forest say about the rows that they did not grow from.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/array.hpp"
#include "core/tree/tree_builder.hpp"

namespace silva {

// A tree with the numbers that its integer statistics are in units of.
struct GrownTree {
    TreeArrays arrays;
    double weight_unit = 1.0, center = 0.0, target_unit = 1.0;
    std::string packed = {};  // see pack_tree.hpp; there are no arrays then
};

// The rows out of one tree's bag, ascending, and the nodes in which they end.
struct BagRest {
    Array<uint32_t> rows;
    Array<int32_t> nodes;
};

// What trees answer, added up by row (and class); `lost` as in mean_sum.hpp. Of classes `values` is
// empty, else `shares` and `hard` are.
struct OobSums {
    std::vector<int64_t> votes;  // trees that did not see the row
    std::vector<double> shares, shares_lost;
    std::vector<int64_t> hard;
    std::vector<double> values, values_lost;
};

// Sums over trees, by row. Trees are to be added in their order, one at a time: then the sums are
// the same bits however the trees were grown.
class OutOfBag {
  public:
    OutOfBag() = default;
    // n_classes is 0 for regression.
    OutOfBag(int64_t n_rows, int64_t n_classes);

    void add(const GrownTree& tree, const BagRest& rest);

    // Goes on from the sums of trees before the first one that is added here.
    void start(OobSums sums) { sums_ = std::move(sums); }
    const OobSums& sums() const { return sums_; }

  private:
    void add_classes(const GrownTree& tree, const BagRest& rest);
    void add_values(const GrownTree& tree, const BagRest& rest);

    int64_t n_classes_ = 0;
    OobSums sums_;
};

}  // namespace silva
