// Writes the arrays of a tree of thresholds while it grows in pre-order.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/tree_builder.hpp"

namespace silva {

struct TreeSize {
    size_t nodes = 0, classes = 0;  // classes: entries of all leaves
};
inline TreeSize size_of(const TreeArrays& tree) {
    return {tree.split_kind.size(), tree.class_code.size()};
}

class TreeWriter {
  public:
    // The tree will have about that size.
    explicit TreeWriter(const TreeSize& expected = {}) {
        reserve(expected.nodes + expected.nodes / 16, expected.classes + expected.classes / 16);
        for (auto* start : {&out_.subset_start, &out_.subset_rest_start, &out_.multiway_start,
                            &out_.oblique_start, &out_.distance_start, &out_.distance_matrix_start,
                            &out_.class_start, &out_.child_start})
            start->push_back(0);
    }

    // A new node is the child that `slot` stands for (see split); -1: the root.
    void leaf(int64_t slot) {
        link(slot);
        out_.split_kind.push_back(static_cast<int8_t>(SplitKind::leaf));
        out_.split_index.push_back(-1);
        out_.gain.push_back(0.0);
        out_.child_start.push_back(static_cast<int64_t>(out_.child.size()));
    }
    // The slot of the first child; that of the second one follows it.
    int64_t split(int64_t slot, const SplitRecord& rule, double gain) {
        link(slot);
        out_.split_kind.push_back(static_cast<int8_t>(SplitKind::threshold));
        out_.split_index.push_back(static_cast<int64_t>(out_.threshold_column.size()));
        out_.gain.push_back(gain);
        out_.threshold_column.push_back(rule.column);
        out_.threshold_value.push_back(rule.threshold);
        out_.threshold_missing.push_back(static_cast<int8_t>(rule.missing_child));
        out_.threshold_unseen.push_back(static_cast<int8_t>(rule.unseen_child));
        const auto first = static_cast<int64_t>(out_.child.size());
        out_.child.resize(out_.child.size() + 2);
        out_.child_start.push_back(first + 2);
        return first;
    }
    // The threshold of the n-th split, where it was not known before.
    int64_t n_splits() const { return static_cast<int64_t>(out_.threshold_value.size()); }
    void set_threshold(int64_t split, double threshold) { out_.threshold_value[split] = threshold; }
    // What the last leaf knows of its rows.
    void rows(int64_t n) { out_.leaf_rows.push_back(n); }
    void weight_of_class(int32_t code, int64_t weight) {
        if (weight == 0) return;
        out_.class_code.push_back(code);
        out_.class_weight.push_back(weight);
    }
    void end_classes() { out_.class_start.push_back(static_cast<int64_t>(out_.class_code.size())); }
    void moments(int64_t weight, Wide sum, Wide squares, double value) {
        out_.moment_weight.push_back(weight);
        push(out_.moment_sum, sum);
        push(out_.moment_squares, squares);
        out_.moment_value.push_back(value);
    }

    TreeArrays take() { return std::move(out_); }

  private:
    void reserve(size_t n_nodes, size_t n_classes) {
        out_.split_kind.reserve(n_nodes);
        out_.split_index.reserve(n_nodes);
        out_.gain.reserve(n_nodes);
        out_.child.reserve(n_nodes);
        out_.child_start.reserve(n_nodes + 1);
        out_.class_code.reserve(n_classes);
        out_.class_weight.reserve(n_classes);
        const size_t half = n_nodes / 2 + 1;
        out_.threshold_column.reserve(half);
        out_.threshold_value.reserve(half);
        out_.threshold_missing.reserve(half);
        out_.threshold_unseen.reserve(half);
        out_.leaf_rows.reserve(half);
        out_.class_start.reserve(half + 1);
    }
    void link(int64_t slot) {
        if (slot >= 0) out_.child[slot] = static_cast<int64_t>(out_.split_kind.size());
    }
    static void push(std::vector<int64_t>& to, Wide value) {
        to.push_back(static_cast<int64_t>(value >> 64));
        to.push_back(static_cast<int64_t>(value));
    }

    TreeArrays out_;
};

}  // namespace silva
