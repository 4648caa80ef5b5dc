#include "core/tree/tree_builder.hpp"

namespace silva {
namespace {

class Finisher {
  public:
    Finisher(const std::deque<Fragment>& fragments, bool classification)
        : fragments_(fragments), classification_(classification) {}

    TreeArrays run() {
        stack_.push_back({0, 0, -1});
        while (!stack_.empty()) {
            Visit visit = stack_.back();
            stack_.pop_back();
            write(visit);
        }
        link_children();
        return std::move(out_);
    }

  private:
    struct Visit {
        int64_t fragment, record, parent;
    };

    void write(Visit visit) {
        const NodeRecord* node = &fragments_[visit.fragment].nodes[visit.record];
        if (node->continued >= 0) {
            visit.fragment = node->continued;
            visit.record = 0;
            node = &fragments_[visit.fragment].nodes[0];
        }
        const auto number = static_cast<int64_t>(out_.split_kind.size());
        parent_.push_back(visit.parent);
        out_.split_kind.push_back(static_cast<int8_t>(node->split.kind));
        out_.gain.push_back(node->gain);
        out_.split_index.push_back(write_split(node->split));
        if (node->split.kind == SplitKind::leaf) {
            const Fragment& fragment = fragments_[visit.fragment];
            write_leaf(fragment, fragment.leaves[node->leaf], classification_, out_);
            return;
        }
        for (int64_t i = node->n_children; i-- > 0;)
            stack_.push_back({visit.fragment, node->first_child + i, number});
    }

    int64_t write_split(const SplitRecord& split) {
        switch (split.kind) {
            case SplitKind::leaf: return -1;
            case SplitKind::threshold: return write_threshold(split);
            case SplitKind::subset: return write_subset(split);
            case SplitKind::multiway: return write_multiway(split);
            case SplitKind::oblique: return write_oblique(split);
            case SplitKind::distance: return write_distance(split);
        }
        __builtin_unreachable();
    }

    int64_t write_threshold(const SplitRecord& split) {
        out_.threshold_column.push_back(split.column);
        out_.threshold_value.push_back(split.threshold);
        out_.threshold_missing.push_back(static_cast<int8_t>(split.missing_child));
        out_.threshold_unseen.push_back(static_cast<int8_t>(split.unseen_child));
        return static_cast<int64_t>(out_.threshold_column.size()) - 1;
    }

    int64_t write_subset(const SplitRecord& split) {
        out_.subset_column.push_back(split.column);
        append(out_.subset_codes, split.detail->codes, out_.subset_start);
        append(out_.subset_rest, split.detail->rest, out_.subset_rest_start);
        out_.subset_missing.push_back(static_cast<int8_t>(split.missing_child));
        out_.subset_unseen.push_back(static_cast<int8_t>(split.unseen_child));
        return static_cast<int64_t>(out_.subset_column.size()) - 1;
    }

    int64_t write_multiway(const SplitRecord& split) {
        out_.multiway_column.push_back(split.column);
        append(out_.multiway_codes, split.detail->codes, out_.multiway_start);
        out_.multiway_missing.push_back(split.missing_child);
        out_.multiway_unseen.push_back(split.unseen_child);
        return static_cast<int64_t>(out_.multiway_column.size()) - 1;
    }

    int64_t write_oblique(const SplitRecord& split) {
        const Projection& projection = split.detail->projection;
        append(out_.oblique_column, projection.columns, out_.oblique_start);
        append(out_.oblique_code, projection.codes);
        append(out_.oblique_weight, projection.weights);
        out_.oblique_threshold.push_back(split.threshold);
        out_.oblique_missing.push_back(static_cast<int8_t>(split.missing_child));
        return static_cast<int64_t>(out_.oblique_threshold.size()) - 1;
    }

    int64_t write_distance(const SplitRecord& split) {
        const Projection& projection = split.detail->projection;
        out_.distance_metric.push_back(static_cast<int8_t>(projection.metric));
        append(out_.distance_column, projection.columns, out_.distance_start);
        append(out_.distance_center, projection.center);
        append(out_.distance_scale, projection.weights);
        append(out_.distance_matrix, projection.matrix, out_.distance_matrix_start);
        out_.distance_threshold.push_back(split.threshold);
        out_.distance_missing.push_back(static_cast<int8_t>(split.missing_child));
        return static_cast<int64_t>(out_.distance_threshold.size()) - 1;
    }

    template <class T>
    static void append(std::vector<T>& to, const std::vector<T>& from) {
        to.insert(to.end(), from.begin(), from.end());
    }
    template <class T>
    static void append(std::vector<T>& to, const std::vector<T>& from,
                       std::vector<int64_t>& start) {
        append(to, from);
        start.push_back(static_cast<int64_t>(to.size()));
    }

    // Children of a node in pre-order come in the order of their numbers.
    void link_children() {
        const size_t n = parent_.size();
        out_.child_start.assign(n + 1, 0);
        for (size_t i = 1; i < n; ++i) ++out_.child_start[parent_[i] + 1];
        for (size_t i = 0; i < n; ++i) out_.child_start[i + 1] += out_.child_start[i];
        out_.child.resize(n - 1);
        std::vector<int64_t> at(out_.child_start.begin(), out_.child_start.end() - 1);
        for (size_t i = 1; i < n; ++i) out_.child[at[parent_[i]]++] = static_cast<int64_t>(i);
    }

    const std::deque<Fragment>& fragments_;
    bool classification_;
    TreeArrays out_;
    std::vector<int64_t> parent_;
    std::vector<Visit> stack_;
};

}  // namespace

void write_leaf(const Fragment& fragment, const LeafRecord& leaf, bool classification,
                TreeArrays& out) {
    out.leaf_rows.push_back(leaf.rows);
    if (classification) {
        for (int64_t i = leaf.classes_begin; i < leaf.classes_end; ++i) {
            out.class_code.push_back(fragment.class_code[i]);
            out.class_weight.push_back(fragment.class_weight[i]);
        }
        out.class_start.push_back(static_cast<int64_t>(out.class_code.size()));
        return;
    }
    out.moment_weight.push_back(leaf.weight);
    push_wide(out.moment_sum, leaf.sum);
    push_wide(out.moment_squares, leaf.squares);
    out.moment_value.push_back(leaf.value);
}

TreeArrays finish(const std::deque<Fragment>& fragments, bool classification) {
    return Finisher(fragments, classification).run();
}

}  // namespace silva
