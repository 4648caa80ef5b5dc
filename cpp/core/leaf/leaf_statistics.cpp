#include "core/leaf/leaf_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/exact_sum.hpp"
#include "core/search/children.hpp"

namespace silva {
namespace {

int64_t weight_of(const Target& target, uint32_t id) {
    return target.weight.empty() ? 1 : target.weight[id];
}

// ---- a leaf ------------------------------------------------------------------------------------

// Scratch of one thread.
struct Workspace {
    std::vector<int64_t> classes;  // zero between two leaves
    std::vector<int32_t> codes;
    std::vector<int64_t> rows;
};

LeafRecord class_leaf(const Target& target, std::span<const uint32_t> ids, Workspace& work,
                      Fragment& out) {
    LeafRecord leaf;
    leaf.rows = static_cast<int64_t>(ids.size());
    work.classes.resize(target.n_classes, 0);
    work.codes.clear();
    for (const uint32_t id : ids) {
        int64_t& weight = work.classes[target.label[id]];
        if (weight == 0) work.codes.push_back(target.label[id]);
        weight += weight_of(target, id);
    }
    std::sort(work.codes.begin(), work.codes.end());
    leaf.classes_begin = static_cast<int64_t>(out.class_code.size());
    for (const int32_t k : work.codes) {
        out.class_code.push_back(k);
        out.class_weight.push_back(std::exchange(work.classes[k], 0));
    }
    leaf.classes_end = static_cast<int64_t>(out.class_code.size());
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
// on top of the stack, the first child uppermost, when the node comes. Classes that do not occur in
// a node add nothing to its gain and are left out.
class GainWalk {
  public:
    GainWalk(const TreeArrays& tree, Criterion criterion, int64_t n_classes, double target_unit)
        : tree_(tree), criterion_(criterion), classes_(n_classes > 0), target_unit_(target_unit) {}

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
    // The classes of a node with their weights; for regression a group of three numbers.
    struct Held {
        std::vector<int32_t> codes;
        std::vector<int64_t> group;
    };

    void push_leaf(int64_t leaf) {
        Held& held = stack_.emplace_back();
        if (!classes_) {
            held.group = {tree_.moment_weight[leaf], tree_.moment_sum[2 * leaf + 1],
                          tree_.moment_sum[2 * leaf]};
            return;
        }
        const auto begin = tree_.class_start[leaf], end = tree_.class_start[leaf + 1];
        held.codes.assign(tree_.class_code.begin() + begin, tree_.class_code.begin() + end);
        held.group.assign(tree_.class_weight.begin() + begin, tree_.class_weight.begin() + end);
    }

    // Replaces the n children on the stack by their sum; the gain of the split into them.
    double join(int64_t n) {
        const std::span<Held> children(stack_.data() + stack_.size() - n, n);
        Held node;
        if (classes_) node.codes = spread_over_all(children);
        node_ = {};
        node_.classes.assign(node.codes.size(), 0);
        for (const Held& child : children) add(child.group);
        const double gain = gain_of(children);
        node.group = std::move(node_.classes);
        if (!classes_) {
            node.group.assign(3, 0);
            add_to_group(node.group.data(), node_.weight, node_.sum);
        }
        stack_.resize(stack_.size() - n);
        stack_.push_back(std::move(node));
        return gain;
    }

    // The codes of all children together, over which the group of each child then goes.
    static std::vector<int32_t> spread_over_all(std::span<Held> children) {
        std::vector<int32_t> all;
        for (const Held& child : children)
            all.insert(all.end(), child.codes.begin(), child.codes.end());
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        for (Held& child : children) {
            std::vector<int64_t> group(all.size(), 0);
            size_t at = 0;
            for (size_t i = 0; i < child.codes.size(); ++i) {
                while (all[at] != child.codes[i]) ++at;
                group[at] = child.group[i];
            }
            child.group = std::move(group);
        }
        return all;
    }

    double gain_of(std::span<const Held> children) const {
        ChildrenGain gain(criterion_, node_);
        for (const Held& child : children)
            if (node_.weight == 0 || gain.weight_of(child.group.data()) == 0) return 0.0;
        for (size_t c = children.size(); c-- > 0;) gain.add(children[c].group.data());
        return in_target_units(std::max(0.0, gain.gain()), criterion_, target_unit_);
    }

    void add(std::span<const int64_t> group) {
        if (!classes_) {
            node_.weight += group[0];
            node_.sum += group_sum(group.data());
            return;
        }
        for (size_t k = 0; k < group.size(); ++k) {
            node_.classes[k] += group[k];
            node_.weight += group[k];
        }
    }

    const TreeArrays& tree_;
    Criterion criterion_;
    bool classes_;
    double target_unit_;
    NodeStats node_;
    std::vector<Held> stack_;
};

}  // namespace

double exact_mean(const Target& target, std::span<const int64_t> rows) {
    double lowest = INFINITY, highest = -INFINITY, heaviest = 0.0;
    for (int64_t row : rows) {
        lowest = std::min(lowest, target.original[row]);
        highest = std::max(highest, target.original[row]);
        heaviest = std::max(heaviest, target.original_weight ? target.original_weight[row] : 1.0);
    }
    if (lowest == highest) return lowest + 0.0;  // never -0.0, whatever the order of the rows
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
                           Team& team, const StopFlag& stop) {
    const RowsByLeaf groups(target.n_rows, n_leaves,
                            [&](int64_t id) { return leaf_of_row[target.row_of(id)]; });
    constexpr int64_t kLeaves = 64;  // leaves of one item of work
    const int64_t n_items = (n_leaves + kLeaves - 1) / kLeaves;
    std::vector<Fragment> parts(n_items);
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
