// Writes down a tree of thresholds and categories while it grows in pre-order, and makes its arrays
// in the end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "core/tree/tree_builder.hpp"

namespace silva {

// What is known of a growing tree, in memory for one tree after the other.
struct TreeNotes {
    struct Split {
        double gain, threshold;
        int32_t column;
        int8_t missing, unseen;
    };
    struct Subset {
        size_t codes_end, rest_end;
    };
    struct Multiway {
        size_t codes_end;
        int32_t missing, unseen;  // instead of those of its Split, which are too narrow
    };
    struct ClassWeight {
        int64_t weight;
        int32_t code;
    };
    struct Leaf {
        int64_t rows, classes_end;
    };

    std::vector<int8_t> kinds;  // of each node
    std::vector<Split> splits;
    std::vector<Subset> subsets;  // of the splits that are sets
    std::vector<int32_t> codes, rest;
    std::vector<Multiway> multiways;  // of the splits that have a child for each level
    std::vector<int32_t> child_codes;
    std::vector<int64_t> n_children;  // of each split; empty: all have two
    std::vector<Leaf> leaves;
    std::vector<ClassWeight> classes;
    std::vector<size_t> waiting;  // where the numbers of children that are not written yet belong

    void clear() {
        forget(kinds);
        forget(splits);
        forget(subsets);
        forget(codes);
        forget(rest);
        forget(multiways);
        forget(child_codes);
        forget(n_children);
        forget(leaves);
        forget(classes);
        forget(waiting);
    }
    // Memory for a large tree is given back.
    template <class T>
    static void forget(std::vector<T>& entries) {
        constexpr size_t kept = 1 << 16;
        entries.clear();
        if (entries.capacity() > kept) entries.shrink_to_fit();
    }
};

class TreeWriter {
  public:
    explicit TreeWriter(TreeNotes& notes) : notes_(notes) { notes_.clear(); }

    // The next node is a split: its first child follows, each other child follows when all nodes
    // below the one before are written.
    void split(const SplitRecord& rule, double gain, int64_t n_children = 2) {
        if (n_children != 2 || !notes_.n_children.empty()) count_children(n_children);
        notes_.kinds.push_back(static_cast<int8_t>(rule.kind));
        if (rule.kind == SplitKind::subset) list_codes(*rule.detail);
        if (rule.kind == SplitKind::multiway) list_levels(rule);
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
    void leaf() { notes_.kinds.push_back(kLeaf); }
    void weight_of_class(int32_t code, int64_t weight) {
        if (weight != 0) notes_.classes.push_back({weight, code});
    }
    void end_leaf(int64_t rows) {
        notes_.leaves.push_back({rows, static_cast<int64_t>(notes_.classes.size())});
    }
    void moments(int64_t rows, int64_t weight, Wide sum, Wide squares, double value) {
        end_leaf(rows);
        out_.moment_weight.push_back(weight);
        push_wide(out_.moment_sum, sum);
        push_wide(out_.moment_squares, squares);
        out_.moment_value.push_back(value);
    }

    // Without `shape` there are no numbers of children and splits, and only splits have gains.
    TreeArrays take(bool shape) {
        if (!shape)
            list(notes_.splits, &TreeNotes::Split::gain, out_.gain);
        else if (notes_.n_children.empty())
            write_nodes();
        else
            write_nodes_of_many();
        notes_.forget(notes_.waiting);
        if (notes_.subsets.empty() && notes_.multiways.empty())
            write_thresholds(notes_.splits);
        else
            write_all_kinds();
        out_.split_kind = notes_.kinds;
        notes_.forget(notes_.splits);
        write_leaves();
        notes_.clear();
        return std::move(out_);
    }

  private:
    static constexpr auto kLeaf = static_cast<int8_t>(SplitKind::leaf);

    void count_children(int64_t n) {
        notes_.n_children.resize(notes_.splits.size(), 2);
        notes_.n_children.push_back(n);
    }

    // Of two children each. Branchless: the node kind is unpredictable.
    void write_nodes() {
        const size_t n = notes_.kinds.size(), n_splits = notes_.splits.size();
        out_.split_index.resize(n);
        out_.gain.resize(n);
        out_.child_start.resize(n + 1);
        out_.child.resize(2 * n_splits + 1);  // what would follow the last node is forgotten
        notes_.splits.push_back({});          // may be read
        std::vector<size_t>& waiting = notes_.waiting;
        waiting.resize(n_splits + 3);
        waiting[1] = 2 * n_splits;
        size_t split = 0, last = 1;
        for (size_t node = 0; node < n; ++node) {
            const bool is_split = notes_.kinds[node] != kLeaf;
            out_.split_index[node] = is_split ? static_cast<int64_t>(split) : -1;
            out_.gain[node] = is_split ? notes_.splits[split].gain : 0.0;
            out_.child[is_split ? 2 * split : waiting[last]] = static_cast<int64_t>(node + 1);
            waiting[last + 1] = 2 * split + 1;
            last = is_split ? last + 1 : last - 1;
            split += is_split ? 1 : 0;
            out_.child_start[node + 1] = static_cast<int64_t>(2 * split);
        }
        notes_.splits.pop_back();
        out_.child.pop_back();
    }
    // Of any number of children.
    void write_nodes_of_many() {
        std::vector<size_t>& waiting = notes_.waiting;  // places in `child`, the next one last
        waiting.clear();
        size_t split = 0;
        for (size_t node = 0; node < notes_.kinds.size(); ++node) {
            if (node > 0) {
                out_.child[waiting.back()] = static_cast<int64_t>(node);
                waiting.pop_back();
            }
            const bool is_split = notes_.kinds[node] != kLeaf;
            out_.child_start.push_back(std::ssize(out_.child));
            out_.split_index.push_back(is_split ? static_cast<int64_t>(split) : -1);
            out_.gain.push_back(is_split ? notes_.splits[split].gain : 0.0);
            if (!is_split) continue;
            const auto n_children = static_cast<size_t>(notes_.n_children[split++]);
            out_.child.resize(out_.child.size() + n_children);
            for (size_t c = 1; c <= n_children; ++c) waiting.push_back(out_.child.size() - c);
        }
        out_.child_start.push_back(std::ssize(out_.child));
    }
    void list_levels(const SplitRecord& rule) {
        const std::vector<int32_t>& codes = rule.detail->codes;
        notes_.child_codes.insert(notes_.child_codes.end(), codes.begin(), codes.end());
        notes_.multiways.push_back(
            {notes_.child_codes.size(), rule.missing_child, rule.unseen_child});
    }
    void list_codes(const SplitDetail& detail) {
        notes_.codes.insert(notes_.codes.end(), detail.codes.begin(), detail.codes.end());
        notes_.rest.insert(notes_.rest.end(), detail.rest.begin(), detail.rest.end());
        notes_.subsets.push_back({notes_.codes.size(), notes_.rest.size()});
    }
    void write_thresholds(const std::vector<TreeNotes::Split>& splits) {
        using Split = TreeNotes::Split;
        list(splits, &Split::column, out_.threshold_column);
        list(splits, &Split::threshold, out_.threshold_value);
        list(splits, &Split::missing, out_.threshold_missing);
        list(splits, &Split::unseen, out_.threshold_unseen);
    }
    // Each kind has numbers of its own.
    void write_all_kinds() {
        std::vector<TreeNotes::Split> thresholds, sets, multiways;
        auto split = notes_.splits.cbegin();
        for (size_t node = 0; node < notes_.kinds.size(); ++node) {
            const auto kind = static_cast<SplitKind>(notes_.kinds[node]);
            if (kind == SplitKind::leaf) continue;
            std::vector<TreeNotes::Split>& of_kind = kind == SplitKind::subset     ? sets
                                                     : kind == SplitKind::multiway ? multiways
                                                                                   : thresholds;
            if (!out_.split_index.empty()) out_.split_index[node] = std::ssize(of_kind);
            of_kind.push_back(*split++);
        }
        write_thresholds(thresholds);
        write_sets(sets);
        write_multiways(multiways);
    }
    void write_sets(const std::vector<TreeNotes::Split>& sets) {
        using Split = TreeNotes::Split;
        list(sets, &Split::column, out_.subset_column);
        list(sets, &Split::missing, out_.subset_missing);
        list(sets, &Split::unseen, out_.subset_unseen);
        list(notes_.subsets, &TreeNotes::Subset::codes_end, out_.subset_start);
        list(notes_.subsets, &TreeNotes::Subset::rest_end, out_.subset_rest_start);
        out_.subset_codes = notes_.codes;
        out_.subset_rest = notes_.rest;
    }
    void write_multiways(const std::vector<TreeNotes::Split>& multiways) {
        list(multiways, &TreeNotes::Split::column, out_.multiway_column);
        list(notes_.multiways, &TreeNotes::Multiway::codes_end, out_.multiway_start);
        list(notes_.multiways, &TreeNotes::Multiway::missing, out_.multiway_missing);
        list(notes_.multiways, &TreeNotes::Multiway::unseen, out_.multiway_unseen);
        out_.multiway_codes = notes_.child_codes;
    }
    void write_leaves() {
        list(notes_.leaves, &TreeNotes::Leaf::rows, out_.leaf_rows);
        if (!out_.moment_weight.empty()) return;
        list(notes_.leaves, &TreeNotes::Leaf::classes_end, out_.class_start);
        list(notes_.classes, &TreeNotes::ClassWeight::code, out_.class_code);
        list(notes_.classes, &TreeNotes::ClassWeight::weight, out_.class_weight);
    }
    // Appends what each entry has in this field.
    template <class Entry, class T, class Out>
    static void list(const std::vector<Entry>& entries, T Entry::* field, std::vector<Out>& out) {
        const auto first = static_cast<std::ptrdiff_t>(out.size());
        out.resize(out.size() + entries.size());
        std::transform(entries.begin(), entries.end(), out.begin() + first, std::mem_fn(field));
    }
    TreeNotes& notes_;
    TreeArrays out_;
};

}  // namespace silva
