// Records of a growing tree, and their conversion to the frozen arrays in pre-order.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/base/array.hpp"

namespace silva {

enum class SplitKind : int8_t {
    leaf = 0,
    threshold = 1,
    subset = 2,
    multiway = 3,
    oblique = 4,
    distance = 5
};

enum class Metric : int8_t { euclidean = 0, manhattan = 1, cosine = 2, mahalanobis = 3 };

constexpr int32_t kStop = -1;  // instead of a child: the row ends at this node

// What a split of many columns needs besides its threshold. Oblique: weights of values (code -1) or
// of indicators. Distance: the prototype, a factor for each column, and for Mahalanobis a matrix.
struct Projection {
    std::vector<int32_t> columns;
    std::vector<int32_t> codes;   // oblique
    std::vector<double> weights;  // oblique: weights; distance: scales
    std::vector<double> center;   // distance
    std::vector<double> matrix;   // distance, Mahalanobis: row by row
    Metric metric = Metric::euclidean;
};

// What does not fit into one number. Subset: `codes` go to child 1, `rest` (empty: all other
// levels) to child 0. Multiway: codes[i] goes to child i.
struct SplitDetail {
    std::vector<int32_t> codes, rest;
    Projection projection;
};

struct SplitRecord {
    SplitKind kind = SplitKind::leaf;
    int32_t column = -1;
    double threshold = 0.0;
    int32_t missing_child = 0, unseen_child = 0;  // a child or kStop
    std::shared_ptr<const SplitDetail> detail;    // none for thresholds
};

struct LeafRecord {
    int64_t rows = 0, weight = 0;
    Wide sum = 0, squares = 0;
    double value = 0.0;
    int64_t classes_begin = 0, classes_end = 0;  // into the fragment's class arrays
};

struct NodeRecord {
    SplitRecord split;
    double gain = 0.0;
    int64_t first_child = -1, n_children = 0;  // consecutive records of the same fragment
    int64_t leaf = -1;                         // leaf record of the same fragment
    int64_t continued = -1;                    // fragment that holds this node and what is below it
};

// Nodes that one thread grew; record 0 is the top.
struct Fragment {
    std::vector<NodeRecord> nodes;
    std::vector<LeafRecord> leaves;
    std::vector<int32_t> class_code;
    std::vector<int64_t> class_weight;
};

// The arrays of silva.tree.Tree; an array named _start cuts the arrays of its kind by split.
struct TreeArrays {
    std::vector<int64_t> child_start, child;
    std::vector<int8_t> split_kind;
    std::vector<int64_t> split_index;
    std::vector<double> gain;
    std::vector<int32_t> threshold_column;
    std::vector<double> threshold_value;
    std::vector<int8_t> threshold_missing, threshold_unseen;
    std::vector<int32_t> subset_column, subset_codes, subset_rest;
    std::vector<int64_t> subset_start = {0}, subset_rest_start = {0};
    std::vector<int8_t> subset_missing, subset_unseen;
    std::vector<int32_t> multiway_column, multiway_codes, multiway_missing, multiway_unseen;
    std::vector<int64_t> multiway_start = {0};
    std::vector<int64_t> oblique_start = {0};
    std::vector<int32_t> oblique_column, oblique_code;
    std::vector<double> oblique_weight, oblique_threshold;
    std::vector<int8_t> oblique_missing;
    std::vector<int8_t> distance_metric, distance_missing;
    std::vector<int64_t> distance_start = {0}, distance_matrix_start = {0};
    std::vector<int32_t> distance_column;
    std::vector<double> distance_center, distance_scale, distance_matrix, distance_threshold;
    std::vector<int64_t> leaf_rows;
    std::vector<int64_t> class_start = {0}, class_weight;
    std::vector<int32_t> class_code;
    std::vector<int64_t> moment_weight, moment_sum, moment_squares;  // high, low pairs
    std::vector<double> moment_value;
};

// Calls f(name, array) for the arrays of the splits of each kind. This is the only list of them:
// what packs, exports or reads a tree goes through it.
template <class Tree, class F>
void each_threshold_array(Tree& tree, F&& f) {
    f("threshold_column", tree.threshold_column);
    f("threshold_value", tree.threshold_value);
    f("threshold_missing", tree.threshold_missing);
    f("threshold_unseen", tree.threshold_unseen);
}
template <class Tree, class F>
void each_subset_array(Tree& tree, F&& f) {
    f("subset_column", tree.subset_column);
    f("subset_start", tree.subset_start);
    f("subset_codes", tree.subset_codes);
    f("subset_rest_start", tree.subset_rest_start);
    f("subset_rest", tree.subset_rest);
    f("subset_missing", tree.subset_missing);
    f("subset_unseen", tree.subset_unseen);
}
template <class Tree, class F>
void each_multiway_array(Tree& tree, F&& f) {
    f("multiway_column", tree.multiway_column);
    f("multiway_start", tree.multiway_start);
    f("multiway_codes", tree.multiway_codes);
    f("multiway_missing", tree.multiway_missing);
    f("multiway_unseen", tree.multiway_unseen);
}
template <class Tree, class F>
void each_oblique_array(Tree& tree, F&& f) {
    f("oblique_start", tree.oblique_start);
    f("oblique_column", tree.oblique_column);
    f("oblique_code", tree.oblique_code);
    f("oblique_weight", tree.oblique_weight);
    f("oblique_threshold", tree.oblique_threshold);
    f("oblique_missing", tree.oblique_missing);
}
template <class Tree, class F>
void each_distance_array(Tree& tree, F&& f) {
    f("distance_metric", tree.distance_metric);
    f("distance_start", tree.distance_start);
    f("distance_column", tree.distance_column);
    f("distance_center", tree.distance_center);
    f("distance_scale", tree.distance_scale);
    f("distance_matrix_start", tree.distance_matrix_start);
    f("distance_matrix", tree.distance_matrix);
    f("distance_threshold", tree.distance_threshold);
    f("distance_missing", tree.distance_missing);
}
template <class Tree, class F>
void each_split_array(Tree& tree, F&& f) {
    each_threshold_array(tree, f);
    each_subset_array(tree, f);
    each_multiway_array(tree, f);
    each_oblique_array(tree, f);
    each_distance_array(tree, f);
}

// Wide numbers in arrays: high and low 64 bits, one after the other.
inline void push_wide(std::vector<int64_t>& to, Wide value) {
    to.push_back(static_cast<int64_t>(value >> 64));
    to.push_back(static_cast<int64_t>(value));
}
inline Wide wide_at(const std::vector<int64_t>& pairs, int64_t i) {
    return (Wide(pairs[2 * i]) << 64) | static_cast<uint64_t>(pairs[2 * i + 1]);
}

// Appends the statistics of one more leaf.
void write_leaf(const Fragment& fragment, const LeafRecord& leaf, bool classification,
                TreeArrays& out);

// Numbers the nodes in pre-order. Fragment 0 holds the root.
TreeArrays finish(const std::deque<Fragment>& fragments, bool classification);

}  // namespace silva
