#include "core/grow/out_of_bag.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "core/base/exact_sum.hpp"
#include "core/base/mean_sum.hpp"

namespace silva {
namespace {

// The leaves below each node: first[i] to first[end[i]] - 1, where end[i] is the node behind the
// subtree of node i. Nodes are in pre-order.
struct LeavesBelow {
    std::vector<int32_t> first, end;

    explicit LeavesBelow(const TreeArrays& tree) {
        const size_t n = tree.split_kind.size();
        first.resize(n + 1);
        end.resize(n);
        int32_t leaves = 0;
        for (size_t i = 0; i < n; ++i) {
            first[i] = leaves;
            leaves += tree.split_kind[i] == 0 ? 1 : 0;
        }
        first[n] = leaves;
        for (size_t i = n; i-- > 0;) {
            const int64_t last = tree.child_start[i + 1] - 1;
            end[i] = last < tree.child_start[i] ? static_cast<int32_t>(i + 1)
                                                : end[static_cast<size_t>(tree.child[last])];
        }
    }
    int32_t begin_of(int32_t node) const { return first[node]; }
    int32_t end_of(int32_t node) const { return first[end[node]]; }
};

// The classes of a node that a row can end in: entries [begin, end) of code and share.
struct NodeClasses {
    int32_t begin = 0, end = 0, majority = -1;
};

// What nodes answer, worked out when a row first ends there.
class ClassAnswers {
  public:
    ClassAnswers(const TreeArrays& tree, int64_t n_classes)
        : tree_(tree), below_(tree), nodes_(tree.split_kind.size()), weights_(n_classes, 0) {}

    const NodeClasses& of(int32_t node) {
        NodeClasses& classes = nodes_[node];
        if (classes.majority < 0) classes = worked_out(node);
        return classes;
    }
    int32_t code(int32_t entry) const { return code_[entry]; }
    double share(int32_t entry) const { return share_[entry]; }

  private:
    NodeClasses worked_out(int32_t node) {
        const int64_t begin = tree_.class_start[below_.begin_of(node)];
        const int64_t end = tree_.class_start[below_.end_of(node)];
        present_.clear();
        int64_t total = 0;
        for (int64_t i = begin; i < end; ++i) {
            int64_t& weight = weights_[tree_.class_code[i]];
            if (weight == 0) present_.push_back(tree_.class_code[i]);
            weight += tree_.class_weight[i];
            total += tree_.class_weight[i];
        }
        std::sort(present_.begin(), present_.end());
        NodeClasses classes{static_cast<int32_t>(code_.size()), 0, present_.front()};
        for (const int32_t k : present_) {
            if (weights_[k] > weights_[classes.majority]) classes.majority = k;
            code_.push_back(k);
            share_.push_back(static_cast<double>(weights_[k]) / static_cast<double>(total));
        }
        for (const int32_t k : present_) weights_[k] = 0;
        classes.end = static_cast<int32_t>(code_.size());
        return classes;
    }

    const TreeArrays& tree_;
    LeavesBelow below_;
    std::vector<NodeClasses> nodes_;
    std::vector<int32_t> code_, present_;
    std::vector<double> share_;
    std::vector<int64_t> weights_;  // by class; zero between two nodes
};

void add_wide(ExactSum& sum, Wide value, double unit) {
    const double sign = value < 0 ? -1.0 : 1.0;
    const auto size =
        value < 0 ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
    constexpr int bits = 32;
    for (int part = 0; part < 4; ++part) {
        const auto digits = static_cast<uint32_t>(size >> (part * bits));
        if (digits != 0)
            sum.add(sign * std::ldexp(static_cast<double>(digits) * unit, part * bits));
    }
}

// center + sum * unit / weight of all leaves below an inner node, rounded once.
double inner_mean(const GrownTree& tree, int32_t begin, int32_t end) {
    Wide sum = 0;
    int64_t weight = 0;
    for (int32_t leaf = begin; leaf < end; ++leaf) {
        sum += wide_at(tree.arrays.moment_sum, leaf);
        weight += tree.arrays.moment_weight[leaf];
    }
    // Scaled so that neither overflow nor underflow is near.
    const int scale = std::ilogb(tree.target_unit) + 40;
    const double unit = std::ldexp(tree.target_unit, -scale);
    ExactSum total, divisor;
    add_wide(total, sum, unit);
    const double center = std::ldexp(tree.center, -scale);
    total.add_product(center, static_cast<double>(weight));
    divisor.add(static_cast<double>(weight));
    const double mean = std::ldexp(exact_quotient(total, divisor), scale);
    constexpr double largest = std::numeric_limits<double>::max();
    return std::clamp(mean, -largest, largest);
}

}  // namespace

OutOfBag::OutOfBag(int64_t n_rows, int64_t n_classes) : n_classes_(n_classes) {
    const auto rows = static_cast<size_t>(n_rows), cells = rows * static_cast<size_t>(n_classes);
    sums_.votes.assign(rows, 0);
    sums_.values.assign(n_classes == 0 ? rows : 0, 0.0);
    sums_.values_lost = sums_.values;
    sums_.shares.assign(cells, 0.0);
    sums_.shares_lost = sums_.shares;
    sums_.hard.assign(cells, 0);
}

void OutOfBag::add(const GrownTree& tree, const BagRest& rest) {
    if (n_classes_ > 0)
        add_classes(tree, rest);
    else
        add_values(tree, rest);
    for (int64_t i = 0; i < rest.rows.size(); ++i) ++sums_.votes[rest.rows[i]];
}

void OutOfBag::add_classes(const GrownTree& tree, const BagRest& rest) {
    ClassAnswers answers(tree.arrays, n_classes_);
    for (int64_t i = 0; i < rest.rows.size(); ++i) {
        const size_t first = static_cast<size_t>(rest.rows[i]) * static_cast<size_t>(n_classes_);
        const NodeClasses& classes = answers.of(rest.nodes[i]);
        for (int32_t entry = classes.begin; entry < classes.end; ++entry) {
            const size_t cell = first + static_cast<size_t>(answers.code(entry));
            const SplitShare share(answers.share(entry));
            sums_.shares[cell] += share.coarse;
            sums_.shares_lost[cell] += share.fine;
        }
        ++sums_.hard[first + static_cast<size_t>(classes.majority)];
    }
}

void OutOfBag::add_values(const GrownTree& tree, const BagRest& rest) {
    const LeavesBelow below(tree.arrays);
    for (int64_t i = 0; i < rest.rows.size(); ++i) {
        const int32_t node = rest.nodes[i], begin = below.begin_of(node);
        const bool is_leaf = tree.arrays.split_kind[node] == 0;
        const double value =
            is_leaf ? tree.arrays.moment_value[begin] : inner_mean(tree, begin, below.end_of(node));
        add_term(sums_.values[rest.rows[i]], sums_.values_lost[rest.rows[i]], value);
    }
}

}  // namespace silva
