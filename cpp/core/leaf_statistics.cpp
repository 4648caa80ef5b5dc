#include "core/leaf_statistics.hpp"

#include <algorithm>
#include <cmath>

#include "core/children.hpp"
#include "core/exact_sum.hpp"

namespace silva {
namespace {

// ---- rows by leaf ------------------------------------------------------------------------------

// The ids of each leaf's rows, leaf after leaf: ids[start[i]] to ids[start[i + 1] - 1].
struct Groups {
    std::vector<int64_t> start;
    std::vector<uint32_t> ids;

    std::span<const uint32_t> of(int64_t leaf) const {
        return std::span(ids).subspan(start[leaf], start[leaf + 1] - start[leaf]);
    }
};

Groups groups_of(const Target& target, const int64_t* leaf_of_row, int64_t n_leaves) {
    Groups groups;
    groups.start.assign(n_leaves + 1, 0);
    for (int64_t id = 0; id < target.n_rows; ++id) {
        const int64_t leaf = leaf_of_row[target.row_of(id)];
        if (leaf >= 0) ++groups.start[leaf + 1];
    }
    for (int64_t i = 0; i < n_leaves; ++i) groups.start[i + 1] += groups.start[i];
    groups.ids.resize(groups.start[n_leaves]);
    std::vector<int64_t> at(groups.start.begin(), groups.start.end() - 1);
    for (int64_t id = 0; id < target.n_rows; ++id) {
        const int64_t leaf = leaf_of_row[target.row_of(id)];
        if (leaf >= 0) groups.ids[at[leaf]++] = static_cast<uint32_t>(id);
    }
    return groups;
}

int64_t weight_of(const Target& target, uint32_t id) {
    return target.weight.empty() ? 1 : target.weight[id];
}

// ---- a leaf ------------------------------------------------------------------------------------

// Scratch of one thread.
struct Workspace {
    std::vector<int64_t> classes, rows;
};

LeafRecord class_leaf(const Target& target, std::span<const uint32_t> ids, Workspace& work,
                      Fragment& out) {
    LeafRecord leaf;
    leaf.rows = static_cast<int64_t>(ids.size());
    work.classes.assign(target.n_classes, 0);
    for (const uint32_t id : ids) work.classes[target.label[id]] += weight_of(target, id);
    add_classes(work.classes, {}, leaf, out);
    return leaf;
}

LeafRecord value_leaf(const Target& target, std::span<const uint32_t> ids, Workspace& work) {
    LeafRecord leaf;
    leaf.rows = static_cast<int64_t>(ids.size());
    work.rows.clear();
    for (const uint32_t id : ids) {
        const int64_t w = weight_of(target, id);
        leaf.weight += w;
        leaf.sum += Wide(w) * target.q[id];
        leaf.squares += Wide(w) * target.q[id] * target.q[id];
        work.rows.push_back(target.row_of(id));
    }
    if (!ids.empty()) leaf.value = exact_mean(target, work.rows);
    return leaf;
}

// ---- gains -------------------------------------------------------------------------------------

// The statistics of the nodes of a tree, made in reverse pre-order: those of a node's children are
// on top of the stack, the first child uppermost, when the node comes.
class GainWalk {
  public:
    GainWalk(const TreeArrays& tree, Criterion criterion, int64_t n_classes, double target_unit)
        : tree_(tree), criterion_(criterion), n_classes_(n_classes), target_unit_(target_unit) {}

    std::vector<double> run() {
        const auto n_nodes = static_cast<int64_t>(tree_.child_start.size()) - 1;
        int64_t leaf = static_cast<int64_t>(tree_.leaf_rows.size());
        std::vector<double> gains(n_nodes, 0.0);
        for (int64_t node = n_nodes; node-- > 0;) {
            const int64_t n = tree_.child_start[node + 1] - tree_.child_start[node];
            if (n == 0)
                push_leaf(--leaf);
            else
                gains[node] = join(n);
        }
        return gains;
    }

  private:
    int64_t width() const { return n_classes_ > 0 ? n_classes_ : 3; }

    void push_leaf(int64_t leaf) {
        stack_.resize(stack_.size() + width(), 0);
        int64_t* group = stack_.data() + stack_.size() - width();
        if (n_classes_ > 0) {
            for (int64_t i = tree_.class_start[leaf]; i < tree_.class_start[leaf + 1]; ++i)
                group[tree_.class_code[i]] = tree_.class_weight[i];
            return;
        }
        group[0] = tree_.moment_weight[leaf];
        group[1] = tree_.moment_sum[2 * leaf + 1];
        group[2] = tree_.moment_sum[2 * leaf];
    }

    // Replaces the n children on the stack by their sum; the gain of the split into them.
    double join(int64_t n) {
        const int64_t* last = stack_.data() + stack_.size() - n * width();
        node_ = {};
        if (n_classes_ > 0) node_.classes.assign(n_classes_, 0);
        for (int64_t c = 0; c < n; ++c) add(last + c * width());
        ChildrenGain gain(criterion_, node_);
        bool has_empty = false;
        for (int64_t c = n; c-- > 0;) has_empty |= gain.weight_of(last + c * width()) == 0;
        if (!has_empty)
            for (int64_t c = n; c-- > 0;) gain.add(last + c * width());
        stack_.resize(stack_.size() - (n - 1) * width());
        write(stack_.data() + stack_.size() - width());
        if (has_empty) return 0.0;
        return in_target_units(std::max(0.0, gain.gain()), criterion_, target_unit_);
    }

    void add(const int64_t* group) {
        if (n_classes_ == 0) {
            node_.weight += group[0];
            node_.sum += group_sum(group);
            return;
        }
        for (int64_t k = 0; k < n_classes_; ++k) {
            node_.classes[k] += group[k];
            node_.weight += group[k];
        }
    }

    void write(int64_t* group) const {
        if (n_classes_ > 0) {
            std::copy(node_.classes.begin(), node_.classes.end(), group);
            return;
        }
        std::fill(group, group + width(), 0);
        add_to_group(group, node_.weight, node_.sum);
    }

    const TreeArrays& tree_;
    Criterion criterion_;
    int64_t n_classes_;
    double target_unit_;
    NodeStats node_;
    std::vector<int64_t> stack_;
};

}  // namespace

double exact_mean(const Target& target, std::span<const int64_t> rows) {
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

void add_classes(std::span<const int64_t> weights, std::span<const int32_t> class_of,
                 LeafRecord& leaf, Fragment& out) {
    leaf.classes_begin = static_cast<int64_t>(out.class_code.size());
    for (size_t k = 0; k < weights.size(); ++k) {
        if (weights[k] == 0) continue;
        out.class_code.push_back(class_of.empty() ? static_cast<int32_t>(k) : class_of[k]);
        out.class_weight.push_back(weights[k]);
    }
    leaf.classes_end = static_cast<int64_t>(out.class_code.size());
}

TreeArrays leaf_statistics(const Target& target, const int64_t* leaf_of_row, int64_t n_leaves,
                           int threads, const StopFlag& stop) {
    const Groups groups = groups_of(target, leaf_of_row, n_leaves);
    constexpr int64_t kLeaves = 64;  // leaves of one item of work
    const int64_t n_items = (n_leaves + kLeaves - 1) / kLeaves;
    std::vector<Fragment> parts(n_items);
    Team team(threads);
    std::vector<Workspace> work(team.size());
    team.for_each(n_items, [&](int64_t item, int worker) {
        stop.check();
        Fragment& part = parts[item];
        for (int64_t i = item * kLeaves; i < std::min(n_leaves, (item + 1) * kLeaves); ++i)
            part.leaves.push_back(target.n_classes > 0
                                      ? class_leaf(target, groups.of(i), work[worker], part)
                                      : value_leaf(target, groups.of(i), work[worker]));
    });
    TreeArrays out;
    out.class_start.push_back(0);
    for (const Fragment& part : parts)
        for (const LeafRecord& leaf : part.leaves)
            write_leaf(part, leaf, target.n_classes > 0, out);
    return out;
}

std::vector<double> split_gains(const TreeArrays& tree, Criterion criterion, int64_t n_classes,
                                double target_unit) {
    return GainWalk(tree, criterion, n_classes, target_unit).run();
}

}  // namespace silva
