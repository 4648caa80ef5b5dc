// Exact statistics of leaves: what growth writes, and the same for rows that were routed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/pool.hpp"
#include "core/columns/target.hpp"
#include "core/search/criterion.hpp"
#include "core/tree/tree_builder.hpp"

namespace silva {

// The mean of the original targets of some rows of the table (at least one), rounded once; never
// outside their range.
double exact_mean(const Target& target, std::span<const int64_t> rows);

// Writes the classes that occur among `weights` into the fragment; `class_of` gives their codes
// (empty: their places).
void add_classes(std::span<const int64_t> weights, std::span<const int32_t> class_of,
                 LeafRecord& leaf, Fragment& out);

// The statistics of leaves 0, 1, ..., as growth computes them: leaf_rows and class_* or moment_*,
// nothing else. `leaf_of_row` has an entry for each row of the table, negative: in no leaf. A leaf
// without rows has no classes, or a weight and a value of 0.
TreeArrays leaf_statistics(const Target& target, const int64_t* leaf_of_row, int64_t n_leaves,
                           int threads, const StopFlag& stop);

// The gain of each node's split, in units of the target: 0 for leaves, for splits with a child
// without weight, and for those that the criterion does not allow. Reads child_start (of nodes in
// pre-order) and the arrays that leaf_statistics fills; n_classes is 0 for regression.
std::vector<double> split_gains(const TreeArrays& tree, Criterion criterion, int64_t n_classes,
                                double target_unit);

}  // namespace silva
