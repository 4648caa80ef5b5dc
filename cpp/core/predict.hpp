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
    // In pre-order the first child follows its parent. A leaf is its own second child.
    struct Node {
        double threshold;       // NaN: subset split or leaf
        int32_t second;         // the other child
        int32_t slot;           // which of the used columns
        int32_t subset;         // -1: threshold or leaf
        uint8_t missing_first;  // missing values of a threshold split go to the first child
    };
    struct Subset {
        int64_t begin, end;  // of its codes
        uint8_t missing_child, unseen_child;
    };
    // Where the used columns of a row lie: value of slot s = *(T*)(base + row * stride +
    // offset[s]).
    struct Layout {
        const char* base = nullptr;
        int64_t stride = 0;
        std::vector<int64_t> offset;
    };

    template <class T>
    int32_t step(int32_t at, T value) const;
    bool goes_first(const Node& node, double value) const;
    // All used columns are continuous, of one floating type and one stride.
    bool shared_layout(const Table& table, Layout& layout) const;
    std::vector<uint64_t> packed_for(const Layout& layout) const;
    // Rows [begin, end) of `layout`; out[0] belongs to row `begin`.
    template <class T>
    void route(const Layout& layout, int64_t begin, int64_t end, int64_t* out) const;
    void route_copied(const Table& table, int64_t begin, int64_t end, std::vector<double>& copy,
                      int64_t* out) const;

    std::vector<Node> nodes_;
    std::vector<double> thresholds_;  // of the nodes, once more side by side
    std::vector<Subset> subsets_;
    std::vector<Kind> kinds_;
    std::vector<int32_t> codes_;
    std::vector<int32_t> columns_;  // used columns, ascending
};

}  // namespace silva
