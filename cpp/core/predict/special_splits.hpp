// The splits of a router that need more than one comparison: sets of codes, many branches,
// projections, and thresholds whose missing or unseen values go a way of their own.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/columns/table.hpp"
#include "core/tree/tree_builder.hpp"

namespace silva {

// Unseen codes travel as a NaN of their own, which every comparison takes for a missing value.
constexpr uint64_t kUnseenBits = 0x7FF8'0000'0000'0002;
inline double unseen_value() { return std::bit_cast<double>(kUnseenBits); }
inline bool is_unseen(double value) { return std::bit_cast<uint64_t>(value) == kUnseenBits; }

// Where the values of one row lie.
struct RowValues {
    const char* row;
    const int64_t* offset;  // in bytes, for each slot
    bool single;            // float32, else float64
    double* scratch;        // room for SpecialSplits::scratch_size() numbers

    double operator[](int32_t slot) const {
        const char* at = row + offset[slot];
        return single ? *reinterpret_cast<const float*>(at) : *reinterpret_cast<const double*>(at);
    }
};

// The split of one node in the arrays of its tree.
struct SplitSource {
    const TreeArrays& tree;
    const std::vector<Kind>& kinds;       // of all columns
    const std::vector<int32_t>& slot_of;  // the place of each column in a row
    int64_t node;

    int64_t at() const { return tree.split_index[node]; }
    // STOP is the node itself.
    int32_t target(int32_t child) const {
        return static_cast<int32_t>(child == kStop ? node
                                                   : tree.child[tree.child_start[node] + child]);
    }
};

class SpecialSplits {
  public:
    // Returns the number of the split, or -1 for a leaf or a threshold that one comparison decides.
    int32_t add(const SplitSource& source);

    // The node that the row goes to from the node of split `number`; the same node where it stops.
    // A threshold is asked only about rows that lack its value.
    int32_t next(int32_t number, const RowValues& row) const {
        const Split& split = splits_[number];
        if (split.form == Form::projection) return project(split, row);
        const double value = row[split.slot];
        if (std::isnan(value)) return is_unseen(value) ? split.unseen : split.missing;
        if (split.form == Form::one_code) return value == split.code ? split.listed : split.other;
        return look_up(split, value);
    }

    bool empty() const { return splits_.empty(); }
    bool only_thresholds() const { return only_thresholds_; }
    int64_t scratch_size() const { return scratch_size_; }
    int64_t bytes() const;

  private:
    // threshold: only the ways of rows that lack the value.
    enum class Form : int32_t { threshold, one_code, code_map, projection };
    struct Split {
        Form form;
        int32_t slot;                                // of its column, where it has just one
        int32_t missing, unseen;                     // nodes
        int32_t part = -1;                           // of maps_ or projections_
        int32_t code = -1, listed = -1, other = -1;  // nodes of this code and of all others
    };
    // From codes to nodes. Dense: the nodes of the codes from `low` on. Else sorted codes, then
    // their nodes.
    struct CodeMap {
        int64_t begin;  // in table_
        int32_t size, low;
        bool dense;
    };
    struct Projected {
        int64_t begin, size, matrix_begin;
        double threshold;
        int32_t first, second;  // nodes
        Metric metric;
        bool oblique;
    };
    using Pairs = std::vector<std::pair<int32_t, int32_t>>;  // codes and their nodes

    int32_t add_threshold(const SplitSource& source);
    int32_t add_subset(const SplitSource& source);
    int32_t add_multiway(const SplitSource& source);
    int32_t add_oblique(const SplitSource& source);
    int32_t add_distance(const SplitSource& source);
    int32_t add_codes(Split split, Pairs pairs);
    void add_map(const Pairs& pairs, int32_t other);
    void add_slots(const SplitSource& source, const std::vector<int32_t>& columns, int64_t begin,
                   int64_t end);
    int32_t add_projection(const SplitSource& source, Projected projected, int32_t missing_child);
    int32_t push(Split split);

    int32_t look_up(const Split& split, double value) const;
    int32_t project(const Split& split, const RowValues& row) const;

    std::vector<Split> splits_;
    std::vector<CodeMap> maps_;
    std::vector<int32_t> table_;
    std::vector<Projected> projections_;
    // Of all projections, one after the other.
    std::vector<int32_t> slots_, codes_;
    std::vector<double> weights_, center_, matrix_;
    int64_t scratch_size_ = 0;
    bool only_thresholds_ = true;
};

}  // namespace silva
