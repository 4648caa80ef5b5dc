// What a leaf keeps of its rows.
#pragma once

#include <vector>

#include "core/leaf/leaf_statistics.hpp"
#include "core/search/search.hpp"
#include "core/tree/tree_builder.hpp"

namespace silva {

template <class Id>
LeafRecord leaf_record(const Store<Id>& store, const Target& target, const StoreNode& node,
                       Fragment& out) {
    LeafRecord leaf;
    leaf.rows = node.stats.rows;
    leaf.weight = node.stats.weight;
    add_classes(node.stats.classes, node.class_of ? *node.class_of : store.class_of, leaf, out);
    if (store.n_classes > 0) return leaf;
    leaf.sum = node.stats.sum;
    if (node.rows() == 1) {
        const Id id = store.rows[node.begin];
        leaf.squares = leaf.sum * store.q[id];
        leaf.value = target.original[target.row_of(store.origin_of(id))] + 0.0;
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
