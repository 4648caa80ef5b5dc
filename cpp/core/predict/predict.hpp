// Sends rows down a frozen tree.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/pool.hpp"
#include "core/columns/table.hpp"
#include "core/predict/engine_rows.hpp"
#include "core/predict/engine_trees.hpp"
#include "core/predict/special_splits.hpp"
#include "core/tree/tree_builder.hpp"

namespace silva {

// A tree compiled for routing. It trusts the arrays it is made from.
class Router {
  public:
    // `kinds`: of all columns, in the order of the schema.
    Router(const TreeArrays& tree, std::vector<Kind> kinds);

    const std::vector<Kind>& kinds() const { return kinds_; }
    int64_t bytes() const {
        return static_cast<int64_t>(nodes_.size() * sizeof(Node)) + special_.bytes() +
               compact_.bytes() + static_cast<int64_t>(node_of_leaf_.size() * sizeof(int32_t));
    }

    // The node number of the leaf of each row, or of the inner node where the row stops.
    void leaves(const Table& table, int64_t* out, int threads, const StopFlag& stop) const;

  private:
    // In pre-order the first child follows its parent. Without a threshold a node is its own second
    // child. A special split is asked where the value or the threshold is NaN.
    struct Node {
        double threshold;       // NaN: other split or leaf
        int32_t second;         // the other child
        int32_t slot;           // which of the used columns
        int32_t special;        // number of the special split, -1: none
        uint8_t missing_first;  // missing values of a threshold split go to the first child
    };
    // Where the used columns of a row lie: value of slot s = *(T*)(base + row * stride +
    // offset[s]).
    struct Layout {
        const char* base = nullptr;
        int64_t stride = 0;
        std::vector<int64_t> offset;
    };
    // What one thread needs.
    struct Space {
        std::vector<double> copy, scratch;
        KeyRows rows;
        std::vector<int32_t> leaves;
    };

    template <class T>
    int32_t step(int32_t at, const RowValues& row) const;
    // All used columns are continuous, of one floating type and one stride.
    bool shared_layout(const Table& table, Layout& layout) const;
    // Rows [begin, end); out[0] belongs to row `begin`. Walks of the compact tree, if there is one.
    void walk(const Table& table, int64_t begin, int64_t end, Space& space, int64_t* out) const;
    // What any tree can do.
    void follow(const Table& table, int64_t begin, int64_t end, Space& space, int64_t* out) const;
    template <class T>
    void route(const Layout& layout, int64_t begin, int64_t end, Space& space, int64_t* out) const;
    void route_copied(const Table& table, int64_t begin, int64_t end, Space& space,
                      int64_t* out) const;

    std::vector<Node> nodes_;
    SpecialSplits special_;
    std::vector<Kind> kinds_;
    std::vector<int32_t> columns_;  // used columns, ascending
    EngineTrees compact_;           // the tree once more, if it fits and has inner nodes
    std::vector<int32_t> node_of_leaf_;
};

}  // namespace silva
