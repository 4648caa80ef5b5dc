// The documented gain of each criterion: one fixed float64 expression of exact integers.
//
// Vocabulary: a node has weight `total` and class weights N_k (or a sum of targets S); a candidate
// sends weight `left` and class weights l_k (or the sum SL) to its left child. Gains are per unit
// of weight of the node; regression gains are in units of q (Poisson) or q * q (squared error).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "core/base/array.hpp"
#include "core/tree/settings.hpp"

namespace silva {

// l * total - n * left, rounded once.
inline double imbalance(int64_t l, int64_t total, int64_t n, int64_t left) {
    if (total < (int64_t{1} << 31)) return static_cast<double>(l * total - n * left);
    return static_cast<double>(Wide(l) * total - Wide(n) * left);
}

inline double spread_gain(double sum_of_squares, int64_t left, int64_t total) {
    const double l = static_cast<double>(left), r = static_cast<double>(total - left);
    const double w = static_cast<double>(total);
    return sum_of_squares / (l * r) / (w * w);
}

struct ClassCounts {
    const int64_t* left;
    const int64_t* node;
    std::span<const int32_t> present;  // classes of the node, ascending
};

inline double gini_gain(const ClassCounts& counts, int64_t left, int64_t total) {
    double sum = 0.0;
    for (int32_t k : counts.present) {
        const double d = imbalance(counts.left[k], total, counts.node[k], left);
        sum += d * d;
    }
    return spread_gain(sum, left, total);
}

// x * log2 of the ratio between the class's share in the child and its share in the node.
inline double information(int64_t x, int64_t child, int64_t n, int64_t total) {
    if (x == 0) return 0.0;
    const double a = static_cast<double>(x);
    const double ratio =
        (a * static_cast<double>(total)) / (static_cast<double>(child) * static_cast<double>(n));
    return a * std::log2(ratio);
}

// `swapped`: the counts that were gathered belong to the right child.
inline double entropy_gain(const ClassCounts& counts, int64_t gathered, int64_t total,
                           bool swapped) {
    double sum = 0.0;
    for (int pass = 0; pass < 2; ++pass) {
        const bool of_gathered = (pass == 0) != swapped;
        const int64_t child = of_gathered ? gathered : total - gathered;
        for (int32_t k : counts.present) {
            const int64_t x = of_gathered ? counts.left[k] : counts.node[k] - counts.left[k];
            sum += information(x, child, counts.node[k], total);
        }
    }
    return std::max(0.0, sum / static_cast<double>(total));
}

inline double error_gain(const ClassCounts& counts, int64_t total) {
    int64_t left = 0, right = 0, node = 0;
    for (int32_t k : counts.present) {
        left = std::max(left, counts.left[k]);
        right = std::max(right, counts.node[k] - counts.left[k]);
        node = std::max(node, counts.node[k]);
    }
    return static_cast<double>(left + right - node) / static_cast<double>(total);
}

inline double squared_error_gain(Wide left_sum, Wide sum, int64_t left, int64_t total) {
    const double d = static_cast<double>(left_sum * total - sum * left);
    return spread_gain(d * d, left, total);
}

inline double poisson_part(Wide child_sum, Wide sum, int64_t child, int64_t total) {
    const double s = static_cast<double>(child_sum);
    const double ratio =
        (s * static_cast<double>(total)) / (static_cast<double>(child) * static_cast<double>(sum));
    return s * std::log(ratio);
}

// Minus one when a child has no events: such a candidate is not allowed.
inline double poisson_gain(Wide left_sum, Wide sum, int64_t left, int64_t total) {
    const Wide right_sum = sum - left_sum;
    if (left_sum <= 0 || right_sum <= 0) return -1.0;
    const double gain = poisson_part(left_sum, sum, left, total) +
                        poisson_part(right_sum, sum, total - left, total);
    return std::max(0.0, gain / static_cast<double>(total));
}

// From gains in units of q (or q * q) to gains in units of the target; at most the largest finite
// number.
inline double in_target_units(double gain, Criterion criterion, double target_unit) {
    switch (criterion) {
        case Criterion::gini:
        case Criterion::entropy:
        case Criterion::error: break;
        case Criterion::squared_error: gain = gain * target_unit * target_unit; break;
        case Criterion::poisson: gain = gain * target_unit; break;
    }
    return std::min(gain, std::numeric_limits<double>::max());
}

// ---- more than two children --------------------------------------------------------------------

// The sum over a child's classes of the squared imbalance, before the division by its weight.
inline double child_imbalance(std::span<const int64_t> child, std::span<const int64_t> node,
                              int64_t child_weight, int64_t total) {
    double sum = 0.0;
    for (size_t k = 0; k < node.size(); ++k) {
        const double d = imbalance(child[k], total, node[k], child_weight);
        sum += d * d;
    }
    return sum;
}

// `sum` adds up child_imbalance / weight over the children in order.
inline double spread_gain_of_many(double sum, int64_t total) {
    const double w = static_cast<double>(total);
    return sum / w / (w * w);
}

// What a child takes away from the entropy of the weights of the children, in bits.
inline double split_info_part(int64_t child, int64_t total) {
    const double share = static_cast<double>(child) / static_cast<double>(total);
    return share * std::log2(share);
}

}  // namespace silva
