// Sends rows down a frozen tree.
#pragma once

#include <cstdint>
#include <vector>

#include "core/pool.hpp"
#include "core/table.hpp"
#include "core/tree_builder.hpp"

namespace silva {

// A tree compiled for routing. It trusts the arrays it is made from.
class Router {
public:
    // `kinds`: of all columns, in the order of the schema.
    Router(const TreeArrays& tree, std::vector<Kind> kinds);

    const std::vector<Kind>& kinds() const { return kinds_; }

    // The node number of the leaf of each row.
    void leaves(const Table& table, int64_t* out, int threads, const StopFlag& stop) const;

private:
    // In pre-order the first child follows its parent. A leaf sends everything to itself.
    struct Node {
        double threshold;  // NaN: subset split or leaf
        int32_t slot;      // which of the used columns
        int32_t second;    // the other child (a leaf: itself)
        int32_t subset;    // -1: threshold or leaf
        uint8_t missing_first;
    };
    struct Subset {
        int64_t begin, end;
        uint8_t missing_child, unseen_child;
    };

    void route_block(const double* values, int64_t rows, int64_t* out) const;
    int64_t route_one(const double* row) const;
    bool goes_first(const Node& node, double value) const;

    std::vector<Node> nodes_;
    std::vector<Subset> subsets_;
    std::vector<Kind> kinds_;
    std::vector<int32_t> codes_;
    std::vector<int32_t> columns_;  // used columns, ascending
};

}  // namespace silva
