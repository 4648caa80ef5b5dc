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

// The rows of each leaf in ascending order, leaf after leaf.
struct RowsByLeaf {
    std::vector<int64_t> start;
    std::vector<uint32_t> rows;

    // leaf_of(row) is negative for rows 0, ..., n_rows - 1 that are in no leaf.
    template <class LeafOf>
    RowsByLeaf(int64_t n_rows, int64_t n_leaves, const LeafOf& leaf_of) : start(n_leaves + 1, 0) {
        for (int64_t row = 0; row < n_rows; ++row)
            if (const int64_t leaf = leaf_of(row); leaf >= 0) ++start[leaf + 1];
        for (int64_t i = 0; i < n_leaves; ++i) start[i + 1] += start[i];
        rows.resize(start[n_leaves]);
        std::vector<int64_t> at(start.begin(), start.end() - 1);
        for (int64_t row = 0; row < n_rows; ++row)
            if (const int64_t leaf = leaf_of(row); leaf >= 0)
                rows[at[leaf]++] = static_cast<uint32_t>(row);
    }
    std::span<const uint32_t> of(int64_t leaf) const {
        return std::span(rows).subspan(start[leaf], start[leaf + 1] - start[leaf]);
    }
};

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
                           Team& team, const StopFlag& stop);

// The gain of each node's split, in units of the target: 0 for leaves, for splits with a child
// without weight, and for those that the criterion does not allow. Reads child_start (of nodes in
// pre-order) and the arrays that leaf_statistics fills; n_classes is 0 for regression.
std::vector<double> split_gains(const TreeArrays& tree, Criterion criterion, int64_t n_classes,
                                double target_unit);

}  // namespace silva
