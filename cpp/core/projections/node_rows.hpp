// The rows of one node, numbered 0, 1, ... in ascending order of id, apart from any store.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/base/random.hpp"
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
NodeRows rows_of(const SearchContext& context, const Store<Id>& store, const StoreNode& node) {
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

// At most `max_rows` of n rows: one of each of `max_rows` stretches of equal length, drawn by
// `hash`.
inline std::vector<uint32_t> sample_of(int64_t n, int64_t max_rows, uint64_t hash) {
    std::vector<uint32_t> sample(static_cast<size_t>(std::min(n, max_rows)));
    std::iota(sample.begin(), sample.end(), 0u);
    for (int64_t i = 0; n > max_rows && i < max_rows; ++i) {
        const int64_t begin = i * n / max_rows, end = (i + 1) * n / max_rows;
        const uint64_t draw = mix(hash, static_cast<uint64_t>(i));
        sample[i] = static_cast<uint32_t>(begin + draw % static_cast<uint64_t>(end - begin));
    }
    return sample;
}

}  // namespace silva
