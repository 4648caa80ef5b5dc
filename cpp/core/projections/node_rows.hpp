// The rows of one node, numbered 0, 1, ... in ascending order of id, apart from any store.
#pragma once

#include <cstdint>
#include <vector>

#include "core/search/search.hpp"

namespace silva {

struct NodeRows {
    std::vector<uint32_t> row;    // of the table
    std::vector<int32_t> label;   // classification: class of the store
    std::vector<int64_t> q;       // regression
    std::vector<int64_t> weight;  // empty: all one
    int64_t n_classes = 0;        // of the store

    int64_t size() const { return static_cast<int64_t>(row.size()); }
    double weight_of(int64_t i) const {
        return weight.empty() ? 1.0 : static_cast<double>(weight[i]);
    }
};

template <class Id>
NodeRows rows_of(const SearchContext& context, const Store<Id>& store, const OpenNode& node) {
    NodeRows out;
    out.n_classes = store.n_classes;
    const auto n = static_cast<size_t>(node.rows());
    out.row.resize(n);
    if (store.n_classes > 0) out.label.resize(n);
    if (store.n_classes == 0) out.q.resize(n);
    if (!store.weight.empty()) out.weight.resize(n);
    for (size_t i = 0; i < n; ++i) {
        const Id id = store.rows[node.begin + static_cast<int64_t>(i)];
        out.row[i] = static_cast<uint32_t>(context.target.row_of(store.origin_of(id)));
        if (!store.weight.empty()) out.weight[i] = store.weight[id];
        if (store.n_classes == 0)
            out.q[i] = store.q[id];
        else
            out.label[i] = static_cast<int32_t>(store.label[id]);
    }
    return out;
}

// At most `most` of n rows: one of each of `most` stretches of equal length, drawn by `hash`.
std::vector<uint32_t> sample_of(int64_t n, int64_t most, uint64_t hash);

}  // namespace silva
