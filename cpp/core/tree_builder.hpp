// Records of a growing tree, and their conversion to the frozen arrays in pre-order.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/array.hpp"

namespace silva {

enum class SplitKind : int8_t { leaf = 0, threshold = 1, subset = 2 };

struct SplitRecord {
    SplitKind kind = SplitKind::leaf;
    int32_t column = -1;
    double threshold = 0.0;
    int32_t code = -1;  // subset: the one code that goes right; -1: none, only missing values do
    uint8_t missing_child = 0, unseen_child = 0;
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
    int64_t left = -1, right = -1;  // records of the same fragment
    int64_t leaf = -1;              // leaf record of the same fragment
    int64_t continued = -1;         // fragment that holds this node and what is below it
};

// Nodes that one thread grew; record 0 is the top.
struct Fragment {
    std::vector<NodeRecord> nodes;
    std::vector<LeafRecord> leaves;
    std::vector<int32_t> class_code;
    std::vector<int64_t> class_weight;
};

// The arrays of silva.tree.Tree.
struct TreeArrays {
    std::vector<int64_t> child_start, child;
    std::vector<int8_t> split_kind;
    std::vector<int64_t> split_index;
    std::vector<double> gain;
    std::vector<int32_t> threshold_column;
    std::vector<double> threshold_value;
    std::vector<uint8_t> threshold_missing;
    std::vector<int32_t> subset_column, subset_codes;
    std::vector<int64_t> subset_start;
    std::vector<uint8_t> subset_missing, subset_unseen;
    std::vector<int64_t> leaf_rows;
    std::vector<int64_t> class_start, class_weight;
    std::vector<int32_t> class_code;
    std::vector<int64_t> moment_weight, moment_sum, moment_squares;  // high, low pairs
    std::vector<double> moment_value;
};

// Numbers the nodes in pre-order. Fragment 0 holds the root.
TreeArrays finish(const std::deque<Fragment>& fragments, bool classification);

}  // namespace silva
