// What a leaf keeps of its rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/exact_sum.hpp"
#include "core/search.hpp"
#include "core/tree_builder.hpp"

namespace silva {

// The mean of the original targets of some rows, rounded once; never outside their range.
inline double exact_mean(const Target& target, const std::vector<int64_t>& rows) {
    double lowest = INFINITY, highest = -INFINITY, heaviest = 0.0;
    for (int64_t row : rows) {
        lowest = std::min(lowest, target.original[row]);
        highest = std::max(highest, target.original[row]);
        heaviest = std::max(heaviest, target.original_weight ? target.original_weight[row] : 1.0);
    }
    if (lowest == highest) return lowest;
    // The largest target and weight become about 2^480: neither their products nor their sums
    // overflow, and what is far smaller than they are does not underflow.
    constexpr int top = 480;
    const int scale = std::ilogb(std::max(std::fabs(lowest), std::fabs(highest))) - top;
    const int weight_scale = std::ilogb(heaviest) - top;
    const auto weight_of = [&](int64_t row) {
        return target.original_weight ? std::ldexp(target.original_weight[row], -weight_scale)
                                      : 1.0;
    };
    ExactSum sum, weight;
    for (int64_t row : rows) {
        sum.add_product(weight_of(row), std::ldexp(target.original[row], -scale));
        weight.add(weight_of(row));
    }
    const double mean = exact_quotient(sum, weight);
    return std::clamp(std::ldexp(mean, scale), lowest, highest);
}

template <class Id>
LeafRecord leaf_record(const Store<Id>& store, const Target& target, const OpenNode& node,
                       Fragment& out) {
    LeafRecord leaf;
    leaf.rows = node.stats.rows;
    leaf.weight = node.stats.weight;
    leaf.classes_begin = static_cast<int64_t>(out.class_code.size());
    for (size_t k = 0; k < node.stats.classes.size(); ++k) {
        if (node.stats.classes[k] == 0) continue;
        const auto code = static_cast<int32_t>(k);
        out.class_code.push_back(store.class_of.empty() ? code : store.class_of[k]);
        out.class_weight.push_back(node.stats.classes[k]);
    }
    leaf.classes_end = static_cast<int64_t>(out.class_code.size());
    if (store.n_classes > 0) return leaf;
    leaf.sum = node.stats.sum;
    if (node.rows() == 1) {
        const Id id = store.rows[node.begin];
        leaf.squares = leaf.sum * store.q[id];
        leaf.value = target.original[target.row_of(store.origin_of(id))];
        return leaf;
    }
    std::vector<int64_t> rows;
    rows.reserve(node.rows());
    for (int64_t i = node.begin; i < node.end; ++i) {
        const Id id = store.rows[i];
        const int64_t w = store.weight.empty() ? 1 : store.weight[id];
        leaf.squares += Wide(w) * store.q[id] * store.q[id];
        rows.push_back(target.row_of(store.origin_of(id)));
    }
    leaf.value = exact_mean(target, rows);
    return leaf;
}

}  // namespace silva
