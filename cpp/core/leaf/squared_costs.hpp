// What rows that were routed through a tree cost: squared errors of the nodes' predictions, exact.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace silva {

// Nodes in pre-order: the subtree of node i is the nodes from i to subtree_end[i] - 1.
struct PredictingTree {
    std::span<const int64_t> subtree_end;
    std::span<const int64_t> prediction;
};

// Rows with the node where each ends; no weights: all ones.
struct EndedRows {
    std::span<const int64_t> end;
    std::span<const int64_t> value;
    std::span<const int64_t> weight;
};

// One entry a node; costs are pairs (high 64 bits, low 64 bits), one after the other.
struct SquaredCosts {
    std::vector<int64_t> weight;   // of the rows that end at the node or below it
    std::vector<int64_t> leaf;     // cost of these rows by the node's prediction
    std::vector<int64_t> ending;   // cost of the rows that end at the node, by its prediction
    std::vector<int64_t> subtree;  // the sum of `ending` over the subtree
};

// Weight times (value - prediction)^2, summed. The weight of all rows times 4 times the square of
// the largest value or prediction must be below 2^127, in magnitude.
SquaredCosts squared_costs(const PredictingTree& tree, const EndedRows& rows);

}  // namespace silva
