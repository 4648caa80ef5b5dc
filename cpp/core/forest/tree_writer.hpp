// Writes down a tree of thresholds while it grows in pre-order, and makes its arrays in the end.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/tree_builder.hpp"

namespace silva {

// What is known of a growing tree, in memory for one tree after the other.
struct TreeNotes {
    struct Split {
        double gain, threshold;
        int32_t column;
        int8_t missing, unseen;
    };
    struct ClassWeight {
        int64_t weight;
        int32_t code;
    };
    struct Leaf {
        int64_t rows, classes_end;
    };

    std::vector<uint8_t> is_split;  // of each node
    std::vector<Split> splits;
    std::vector<Leaf> leaves;
    std::vector<ClassWeight> classes;

    void clear() {
        is_split.clear();
        splits.clear();
        leaves.clear();
        classes.clear();
    }
};

class TreeWriter {
  public:
    explicit TreeWriter(TreeNotes& notes) : notes_(notes) { notes_.clear(); }

    // The next node is a split: its left child follows, its right child follows when all nodes
    // below the left one are written.
    void split(const SplitRecord& rule, double gain) {
        notes_.is_split.push_back(1);
        notes_.splits.push_back({gain, rule.threshold, rule.column,
                                 static_cast<int8_t>(rule.missing_child),
                                 static_cast<int8_t>(rule.unseen_child)});
    }
    // The threshold of the n-th split, where it was not known before.
    int64_t n_splits() const { return static_cast<int64_t>(notes_.splits.size()); }
    void set_threshold(int64_t split, double threshold) {
        notes_.splits[static_cast<size_t>(split)].threshold = threshold;
    }

    // The next node is a leaf: what it knows of its rows follows, classes or moments.
    void leaf() { notes_.is_split.push_back(0); }
    void weight_of_class(int32_t code, int64_t weight) {
        if (weight != 0) notes_.classes.push_back({weight, code});
    }
    void end_leaf(int64_t rows) {
        notes_.leaves.push_back({rows, static_cast<int64_t>(notes_.classes.size())});
    }
    void moments(int64_t rows, int64_t weight, Wide sum, Wide squares, double value) {
        end_leaf(rows);
        out_.moment_weight.push_back(weight);
        push(out_.moment_sum, sum);
        push(out_.moment_squares, squares);
        out_.moment_value.push_back(value);
    }

    TreeArrays take() {
        for (auto* start : {&out_.subset_start, &out_.subset_rest_start, &out_.multiway_start,
                            &out_.oblique_start, &out_.distance_start, &out_.distance_matrix_start})
            start->push_back(0);
        write_nodes();
        write_splits();
        write_leaves();
        return std::move(out_);
    }

  private:
    void write_nodes() {
        const size_t n = notes_.is_split.size();
        out_.split_kind.resize(n);
        out_.split_index.resize(n);
        out_.gain.resize(n);
        out_.child_start.resize(n + 1);
        out_.child.resize(2 * notes_.splits.size());
        std::vector<size_t> waiting;  // where the numbers of right children belong
        size_t n_splits = 0;
        for (size_t node = 0; node < n; ++node) {
            const bool is_split = notes_.is_split[node] != 0;
            out_.split_kind[node] =
                static_cast<int8_t>(is_split ? SplitKind::threshold : SplitKind::leaf);
            out_.split_index[node] = is_split ? static_cast<int64_t>(n_splits) : -1;
            out_.gain[node] = is_split ? notes_.splits[n_splits].gain : 0.0;
            if (is_split) {
                out_.child[2 * n_splits] = static_cast<int64_t>(node + 1);
                waiting.push_back(2 * n_splits + 1);
                ++n_splits;
            } else if (!waiting.empty()) {
                out_.child[waiting.back()] = static_cast<int64_t>(node + 1);
                waiting.pop_back();
            }
            out_.child_start[node + 1] = static_cast<int64_t>(2 * n_splits);
        }
    }
    void write_splits() {
        const size_t n = notes_.splits.size();
        out_.threshold_column.resize(n);
        out_.threshold_value.resize(n);
        out_.threshold_missing.resize(n);
        out_.threshold_unseen.resize(n);
        for (size_t i = 0; i < n; ++i) {
            const TreeNotes::Split& split = notes_.splits[i];
            out_.threshold_column[i] = split.column;
            out_.threshold_value[i] = split.threshold;
            out_.threshold_missing[i] = split.missing;
            out_.threshold_unseen[i] = split.unseen;
        }
    }
    void write_leaves() {
        const size_t n = notes_.leaves.size(), n_classes = notes_.classes.size();
        const bool has_classes = out_.moment_weight.empty();
        out_.leaf_rows.resize(n);
        out_.class_start.resize(has_classes ? n + 1 : 1);
        out_.class_code.resize(n_classes);
        out_.class_weight.resize(n_classes);
        for (size_t i = 0; i < n; ++i) {
            out_.leaf_rows[i] = notes_.leaves[i].rows;
            if (has_classes) out_.class_start[i + 1] = notes_.leaves[i].classes_end;
        }
        for (size_t i = 0; i < n_classes; ++i) {
            out_.class_code[i] = notes_.classes[i].code;
            out_.class_weight[i] = notes_.classes[i].weight;
        }
    }
    static void push(std::vector<int64_t>& to, Wide value) {
        to.push_back(static_cast<int64_t>(value >> 64));
        to.push_back(static_cast<int64_t>(value));
    }

    TreeNotes& notes_;
    TreeArrays out_;
};

}  // namespace silva
