// The exact rule of a tree, for every kind of split, read straight from the tree's arrays.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/columns/table.hpp"
#include "core/tree/tree_builder.hpp"

namespace silva {

// Missing codes are read as NaN, and unseen ones as a NaN of their own.
constexpr uint64_t kUnseenBits = 0x7FF8'0000'0000'0002;
constexpr double kUnseenCode = -2;
inline double unseen_value() { return std::bit_cast<double>(kUnseenBits); }
inline bool is_unseen(double value) { return std::bit_cast<uint64_t>(value) == kUnseenBits; }
inline double value_of_code(double code) {
    if (code >= 0) return code;
    return code == kUnseenCode ? unseen_value() : std::numeric_limits<double>::quiet_NaN();
}

class TreeRule {
  public:
    // `kinds`: of all columns. Codes of a split ascend.
    TreeRule(TreeArrays tree, const std::vector<Kind>& kinds);

    // Ascending.
    const std::vector<int32_t>& used_columns() const { return columns_; }
    // Of the threshold splits, in the order of their nodes.
    const double* thresholds() const { return tree_.threshold_value.data(); }
    // The node in which a row ends: a leaf, or the inner node where it stops. `values` has an entry
    // for each used column; `scratch` is memory that is used again.
    int32_t end_of(const double* values, std::vector<double>& scratch) const;
    int64_t bytes() const;

  private:
    // The table of a multiway split: the next node of each code from 0 on. Empty where few codes of
    // many occur.
    struct CodeTable {
        int64_t begin = 0, size = 0;
    };

    void add_table(int32_t node);
    int32_t node_of(int32_t from, int32_t child) const {
        if (child == kStop) return from;
        return static_cast<int32_t>(tree_.child[tree_.child_start[from] + child]);
    }
    // All return the node that the row goes to; the same node at a leaf and where it stops.
    int32_t next(int32_t node, const double* values, std::vector<double>& scratch) const;
    int32_t after_threshold(int32_t node, int64_t at, double value) const;
    int32_t after_subset(int32_t node, int64_t at, double value) const;
    int32_t after_multiway(int32_t node, int64_t at, double value) const;
    int32_t after_projection(int32_t node, double value, double threshold, int32_t missing) const;
    double projected(int64_t at, SplitKind kind, const double* values,
                     std::vector<double>& scratch) const;

    TreeArrays tree_;  // its columns are places among the used ones
    std::vector<int32_t> columns_;
    std::vector<int32_t> table_;
    std::vector<CodeTable> tables_;  // one for each multiway split
};

}  // namespace silva
