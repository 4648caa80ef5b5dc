// Sends rows down a frozen tree of any kind.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/pool.hpp"
#include "core/columns/table.hpp"
#include "core/predict/engine_rows.hpp"
#include "core/predict/engine_trees.hpp"
#include "core/predict/tree_rule.hpp"

namespace silva {

// A tree compiled for routing. It trusts the arrays it is made from.
class Router {
  public:
    // `kinds`: of all columns, in the order of the schema.
    Router(const TreeArrays& tree, std::vector<Kind> kinds);

    const std::vector<Kind>& kinds() const { return kinds_; }
    int64_t bytes() const {
        return rule_.bytes() + compact_.bytes() +
               static_cast<int64_t>(node_of_leaf_.size() * sizeof(int32_t));
    }

    // What one thread needs.
    struct Space {
        std::vector<double> values, scratch;
        KeyRows rows;
        std::vector<int32_t> leaves;
    };

    // The node number of the leaf of each row, or of the inner node where the row stops.
    void leaves(const Table& table, int64_t* out, int threads, const StopFlag& stop) const;
    // The same of rows [begin, end), by one thread; out[0] belongs to row `begin`.
    void leaves_of(const Table& table, int64_t begin, int64_t end, Space& space,
                   int64_t* out) const;

  private:
    // Of the compact tree: by walks, and by its exact rule.
    void walk(const Table& table, int64_t begin, int64_t end, Space& space, int64_t* out) const;
    int64_t end_of(const Table& table, int64_t row) const;
    // Of any tree.
    void follow(const Table& table, int64_t begin, int64_t end, Space& space, int64_t* out) const;

    std::vector<Kind> kinds_;
    TreeRule rule_;
    EngineTrees compact_;  // the tree once more, if it fits and has inner nodes
    std::vector<int32_t> node_of_leaf_;
};

}  // namespace silva
