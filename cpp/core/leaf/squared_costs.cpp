#include "core/leaf/squared_costs.hpp"

#include "core/tree/tree_builder.hpp"

namespace silva {
namespace {

struct Sums {
    int64_t weight = 0;
    Wide total = 0, squares = 0;

    Wide cost(int64_t prediction) const {
        return squares - prediction * (2 * total - prediction * Wide(weight));
    }
};

Sums operator-(const Sums& a, const Sums& b) {
    return {a.weight - b.weight, a.total - b.total, a.squares - b.squares};
}

// sums[i + 1] is that of the rows that end at node i.
std::vector<Sums> by_node(const EndedRows& rows, size_t n_nodes) {
    std::vector<Sums> sums(n_nodes + 1);
    for (size_t row = 0; row < rows.end.size(); ++row) {
        Sums& at = sums[rows.end[row] + 1];
        const int64_t weight = rows.weight.empty() ? 1 : rows.weight[row];
        const Wide weighted = Wide(weight) * rows.value[row];
        at.weight += weight;
        at.total += weighted;
        at.squares += weighted * rows.value[row];
    }
    return sums;
}

}  // namespace

SquaredCosts squared_costs(const PredictingTree& tree, const EndedRows& rows) {
    const size_t n = tree.prediction.size();
    SquaredCosts found;
    std::vector<Sums> until = by_node(rows, n);  // then of all rows that end before node i
    std::vector<Wide> cost_until(n + 1);
    for (size_t node = 0; node < n; ++node) {
        const Wide cost = until[node + 1].cost(tree.prediction[node]);
        push_wide(found.ending, cost);
        cost_until[node + 1] = cost_until[node] + cost;
        until[node + 1].weight += until[node].weight;
        until[node + 1].total += until[node].total;
        until[node + 1].squares += until[node].squares;
    }
    for (size_t node = 0; node < n; ++node) {
        const int64_t end = tree.subtree_end[node];
        const Sums inside = until[end] - until[node];
        found.weight.push_back(inside.weight);
        push_wide(found.leaf, inside.cost(tree.prediction[node]));
        push_wide(found.subtree, cost_until[end] - cost_until[node]);
    }
    return found;
}

}  // namespace silva
