// Trees of a forest as an engine walks them: eight bytes a node, the two children of a node side by
// side, and leaves that lead to themselves, so that a walk takes its steps without a branch.
//
// Values and thresholds are compared as keys: float64 rounded to float32 (values down, thresholds
// up) and read as integers of the same order. A key below another decides as the numbers do, except
// where both were rounded and the keys are neighbours; such a row asks the rule, on float64.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/columns/table.hpp"
#include "core/predict/tree_rule.hpp"
#include "core/simd/walk.hpp"
#include "core/tree/tree_builder.hpp"

namespace silva {

using Key = uint32_t;
using simd::kLowestKey;
using simd::kMissingKey;
using simd::kUnseenKey;
using simd::set_state;
using simd::SetState;

constexpr int32_t kAskRule = -1;  // instead of a leaf: what the keys cannot decide

inline Key key_of_float(float x) {
    const auto bits = std::bit_cast<uint32_t>(x);
    return bits >> 31 != 0 ? 0 - bits : bits ^ 0x80000000u;
}

// The key of the largest float32 that is not above x; x is a number.
inline Key key_below(double x) {
    const auto rounded = static_cast<float>(x);
    return key_of_float(rounded) - (static_cast<double>(rounded) > x);
}

// The key of the smallest float32 that is not below x.
inline Key key_above(double x) {
    const auto rounded = static_cast<float>(x);
    return key_of_float(rounded) + (static_cast<double>(rounded) < x);
}

// A node in one word. Low half: its limit, negated: the key of the threshold, the place of a set
// (below the keys of numbers), or a leaf (above them). High half, from the low bits on: the place
// of the first child, counted from the first node of the tree, two flags, and the column.
//
// The sum of a node and a key that is not below the limit carries into the place of the child.
struct NodeFormat {
    int column_bits;

    explicit NodeFormat(int64_t n_columns)
        : column_bits(n_columns > 2 ? std::bit_width(static_cast<uint64_t>(n_columns - 1)) : 1) {}

    int column_shift() const { return 64 - column_bits; }
    // Which bits say that missing and unseen values go to the second child, or ask the rule.
    int missing_asks() const { return column_shift() - 1; }
    int missing_second() const { return column_shift() - 2; }
    uint32_t child_mask() const {
        return column_bits > 26 ? 0 : (uint32_t{1} << (30 - column_bits)) - 1;
    }
};

constexpr int64_t kMaxLeaves = int64_t{1} + ~simd::kLeafKey;  // of a tree

// One tree: where its nodes and leaves begin among those of all trees, and its exact rule. Node 0
// is the root, and the children of inner node i (in pre-order) are the nodes 2 * i + 2 and
// 2 * i + 3.
struct EngineTree {
    int32_t first_node = 0, first_leaf = 0;
    int32_t n_inner = 0;
    int32_t depth = 0;
    const double* thresholds = nullptr;  // of the inner nodes; borrowed, or `own_thresholds`
    std::vector<double> own_thresholds;
    std::vector<int8_t> ways;  // missing child, unseen child of each inner node, if any asks

    bool is_leaf() const { return n_inner == 0; }
};

// Where a row ends: at a leaf of its tree, or at an inner node that stops it.
struct Ending {
    int32_t inner_before;  // inner nodes before it in pre-order: its own number if it is one
    int32_t leaf;          // leaves before it: its own number if it is one
    bool at_leaf;

    int32_t node() const { return inner_before + leaf; }
};

// Threshold and subset splits with two children. Everything else is for the router.
class EngineTrees {
  public:
    // Of all columns, and those that trees ask about, ascending: nodes call a column by its place
    // among these.
    EngineTrees(std::vector<Kind> kinds, std::vector<int32_t> used_columns);

    // Appends a tree, of which only kinds of nodes, thresholds and subsets are read. False, and
    // nothing done, where it does not fit. `thresholds` are those of the arrays; they are borrowed
    // for as long as the rule is asked.
    bool add(const TreeArrays& tree, const double* thresholds);

    const std::vector<Kind>& kinds() const { return kinds_; }
    const NodeFormat& format() const { return format_; }
    const std::vector<EngineTree>& trees() const { return trees_; }
    const uint64_t* nodes() const { return nodes_.data(); }
    const uint32_t* sets() const { return sets_.data(); }
    bool has_sets() const { return !sets_.empty(); }
    // Whether missing values ask the rule somewhere.
    bool has_ways() const { return has_ways_; }
    const std::vector<int32_t>& used_columns() const { return used_; }
    int64_t bytes() const;
    // No more trees will come.
    void close();

    // Brings the nodes of a tree near, in their order: walks would fetch them one by one.
    void fetch(const EngineTree& tree) const;
    // Where a row ends. Float64 all the way.
    Ending rule(const EngineTree& tree, const Table& table, int64_t row) const;
    // The node number of each leaf of the tree.
    std::vector<int32_t> node_of_leaf(const EngineTree& tree) const;

  private:
    bool fits(const TreeArrays& tree) const;
    void add_nodes(const TreeArrays& tree, EngineTree& out);
    uint64_t threshold_node(const TreeArrays& tree, int64_t at, EngineTree& out);
    uint64_t subset_node(const TreeArrays& tree, int64_t at, EngineTree& out);
    uint64_t node_of(int32_t column, int32_t missing, int32_t unseen, Key limit, EngineTree& out);
    Key add_set(const TreeArrays& tree, int64_t at);
    uint64_t with_child(uint64_t node, size_t place) const { return node | uint64_t{place} << 32; }
    int32_t child_of(uint64_t node) const {
        return static_cast<int32_t>(node >> 32 & format_.child_mask());
    }
    void keep_thresholds(const TreeArrays& tree, EngineTree& out);
    bool asks(const EngineTree& tree) const;
    int32_t way(const EngineTree& tree, int32_t inner, uint64_t node, double value) const;

    std::vector<Kind> kinds_;
    std::vector<int32_t> used_;
    NodeFormat format_;
    std::vector<EngineTree> trees_;
    std::vector<uint64_t> nodes_;
    std::vector<uint32_t> sets_;  // of each set: codes * 4 + state of others; two bits a code
    int64_t n_leaves_ = 0;
    bool has_ways_ = false;
};

}  // namespace silva
