// A tree that the search found, in pre-order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace silva::optimal {

struct FoundTree {
    std::vector<int32_t> column, position, left, right;  // column -1: a leaf

    int32_t add_leaf() {
        column.push_back(-1), position.push_back(0), left.push_back(-1), right.push_back(-1);
        return static_cast<int32_t>(column.size()) - 1;
    }
    // Its children follow; `left` and `right` are set by the caller.
    int32_t add_split(int32_t column_, int32_t position_) {
        const int32_t node = add_leaf();
        column[node] = column_, position[node] = position_;
        return node;
    }
    // Puts another tree under this one and returns its root.
    int32_t append(const FoundTree& other) {
        const auto shift = static_cast<int32_t>(column.size());
        for (std::size_t i = 0; i < other.column.size(); ++i) {
            column.push_back(other.column[i]), position.push_back(other.position[i]);
            left.push_back(other.left[i] < 0 ? -1 : other.left[i] + shift);
            right.push_back(other.right[i] < 0 ? -1 : other.right[i] + shift);
        }
        return shift;
    }
    bool empty() const { return column.empty(); }
};

}  // namespace silva::optimal
