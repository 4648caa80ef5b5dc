// Trees of a forest as an engine walks them: inner nodes only, eight bytes each.
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

#include "core/special_splits.hpp"
#include "core/table.hpp"
#include "core/tree_builder.hpp"

namespace silva {

using Key = int32_t;

constexpr Key kMissingKey = std::numeric_limits<Key>::min();
constexpr Key kUnseenKey = kMissingKey + 1;
constexpr Key kLowestKey = -0x7F800000;  // minus infinity; keys below stand for no number
constexpr int32_t kAskRule = -1;         // instead of a leaf: what the keys cannot decide

inline Key key_of_float(float x) {
    const auto bits = std::bit_cast<int32_t>(x);
    return bits < 0 ? -(bits & 0x7FFFFFFF) : bits;
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

// A node in one word. Low half: the key of the threshold, or the place of a set. High half, from
// the low bits on: the column, five flags, and how many inner nodes lie before the second child
// (itself and all below its first child): the second child's number, counted from this node.
struct NodeFormat {
    int column_bits;

    explicit NodeFormat(int64_t n_columns)
        : column_bits(std::bit_width(static_cast<uint64_t>(n_columns > 0 ? n_columns - 1 : 0))) {}

    int shift() const { return column_bits + 5; }
    uint32_t column_mask() const { return (uint32_t{1} << column_bits) - 1; }
    // Missing and unseen values go to the first child.
    uint32_t missing_first() const { return uint32_t{1} << column_bits; }
    // Missing and unseen values ask the rule.
    uint32_t missing_asks() const { return uint32_t{2} << column_bits; }
    // The key of the threshold was rounded.
    uint32_t rounded() const { return uint32_t{4} << column_bits; }
    uint32_t second_is_leaf() const { return uint32_t{8} << column_bits; }
    uint32_t first_is_leaf() const { return uint32_t{16} << column_bits; }
    // Trees of more inner nodes, or of too many columns, do not fit.
    int64_t max_skip() const {
        return column_bits > 26 ? 0 : (int64_t{1} << (27 - column_bits)) - 1;
    }
};

// One tree: where its nodes and leaves begin among those of all trees, and its exact rule.
struct EngineTree {
    int32_t first_node = 0, first_leaf = 0;
    int32_t n_inner = 0;
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
    explicit EngineTrees(std::vector<Kind> kinds);

    // Appends a tree, of which only kinds of nodes, thresholds and subsets are read. False, and
    // nothing done, where it does not fit. `thresholds` are those of the arrays; they are borrowed
    // for as long as this lives.
    bool add(const TreeArrays& tree, const double* thresholds);

    const std::vector<Kind>& kinds() const { return kinds_; }
    const NodeFormat& format() const { return format_; }
    const std::vector<EngineTree>& trees() const { return trees_; }
    const uint64_t* nodes() const { return nodes_.data(); }
    const uint32_t* sets() const { return sets_.data(); }
    bool has_sets() const { return !sets_.empty(); }
    const std::vector<int32_t>& used_columns() const { return used_; }
    int64_t n_leaves() const { return n_leaves_; }
    int64_t bytes() const;
    // No more trees will come.
    void close();

    // Where a row ends. Float64 all the way.
    Ending rule(const EngineTree& tree, const Table& table, int64_t row) const;
    // The node number of each leaf of the tree.
    std::vector<int32_t> node_of_leaf(const EngineTree& tree) const;

  private:
    bool fits(const TreeArrays& tree) const;
    uint64_t threshold_node(const TreeArrays& tree, int64_t at, EngineTree& out);
    uint64_t subset_node(const TreeArrays& tree, int64_t at, EngineTree& out);
    uint32_t ways_flags(int32_t column, int32_t missing, int32_t unseen, EngineTree& out);
    uint32_t add_set(const TreeArrays& tree, int64_t at);
    void join_children(const TreeArrays& tree, const EngineTree& out);
    void keep_thresholds(const TreeArrays& tree, EngineTree& out);
    bool asks(const EngineTree& tree) const;
    int32_t child(const EngineTree& tree, int32_t at, double value) const;

    std::vector<Kind> kinds_;
    NodeFormat format_;
    std::vector<EngineTree> trees_;
    std::vector<uint64_t> nodes_;
    std::vector<uint32_t> sets_;  // of each set: codes * 4 + state of others; two bits a code
    std::vector<int32_t> used_;
    std::vector<uint8_t> is_used_;
    int64_t n_leaves_ = 0;
};

// What a set says of a code.
enum class SetState : uint32_t { first = 0, second = 1, asks = 2 };

inline SetState set_state(const uint32_t* set, uint32_t code) {
    if (code >= set[0] >> 2) return static_cast<SetState>(set[0] & 3);
    return static_cast<SetState>(set[1 + code / 16] >> (code % 16 * 2) & 3);
}

}  // namespace silva
