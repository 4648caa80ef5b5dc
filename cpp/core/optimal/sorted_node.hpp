// A node of the exact search over ordered columns: its rows renumbered, in the order of each
// column, and what they cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/optimal/kernels/stumps.hpp"

namespace silva::optimal {

// The rows of a node in the order of each column.
struct SortedView {
    int64_t rows = 0;  // ids in the list of each column
    int32_t columns = 0;
    // By ascending rank; the lists of the columns are `stride` apart.
    const uint32_t* order = nullptr;
    // The same layout: 1 where the rank of place j differs from that of place j + 1, so that a
    // split after j + 1 rows is possible; 0 at the last place.
    const uint8_t* ends = nullptr;
    int64_t stride = 0;
};

// What a row is, by id. costs[k * classes + c]: the cost of predicting c for a unit of class k;
// none is negative, and the right prediction costs nothing.
struct RowFacts {
    const uint16_t* label;
    const int64_t* weight;
    const int64_t* count;
    int32_t classes;
    const int64_t* costs;
};

// The predictions that a node can use: for each of them no other costs at most as much for every
// class of the node. They are numbered from 0: slots.
//
// The gain of a class for a slot is its worst cost less its cost under that slot. Costs are sums of
// worst costs less sums of gains, and most gains are zero where the cost depends on the class
// alone.
class Slots {
  public:
    explicit Slots(const RowFacts& facts);
    void choose(const std::vector<int64_t>& class_rows);  // rows of each class

    int32_t size() const { return static_cast<int32_t>(predictions_.size()); }
    int64_t worst(int32_t label) const { return worst_[static_cast<size_t>(label)]; }
    int64_t gain(int32_t label, int32_t slot) const;
    // The most slots that a class gains from; above 0.
    int32_t n_entries() const { return n_entries_; }
    // The slots that a class gains from, and its gains; n_entries of each, padded with zeros.
    const uint16_t* entries(int32_t label) const { return entries_.data() + label * n_entries_; }
    const int64_t* gains(int32_t label) const { return gains_.data() + label * n_entries_; }

  private:
    bool dominates(int32_t a, int32_t b) const;
    bool is_useful(int32_t prediction) const;
    int64_t cost(int32_t label, int32_t prediction) const {
        return facts_.costs[label * facts_.classes + prediction];
    }
    void list_entries();

    RowFacts facts_;
    bool by_class_;  // each wrong prediction costs the same, for every class
    std::vector<int32_t> present_, predictions_;
    std::vector<int64_t> worst_, gains_;
    std::vector<uint16_t> entries_;
    int32_t n_entries_ = 1;
};

// A column of the node that can split it. A flag is a column of two ranks.
struct NodeColumn {
    int32_t column;
    // Rows of the node, numbered from 0. Of a flag only those of the smaller side, one that is not
    // visited after them: the cost of a split does not depend on which side comes first.
    simd::StumpOrder order;
    int64_t flag_place;                     // rows on the left side of a flag; 0: it is none
    int64_t stump_cost, place, two_levels;  // see stump_sweep.hpp

    bool is_flag() const { return flag_place > 0; }
    std::span<const uint32_t> flag_rows() const {  // of the smaller side
        return {order.rows, static_cast<size_t>(order.n - 1)};
    }
};

class SortedNode {
  public:
    SortedNode(const RowFacts& facts, int64_t n_ids);
    void load_rows(const SortedView& view);
    void load_columns(const SortedView& view);  // of the same view

    int64_t n = 0;
    std::vector<NodeColumn> columns;  // those that are not constant
    Slots slots;
    std::vector<uint16_t> label;         // of each row
    std::vector<int64_t> weight, count;  // of each row
    std::vector<int64_t> worst;          // cost of each row under its worst prediction
    std::vector<int64_t> margin;  // of two slots: gain for the first less that for the second
    bool is_even = false;         // worst and count are the same for all rows
    std::vector<int64_t> totals;  // gains of all rows, for each slot
    int64_t total_worst = 0, total_count = 0, largest_gain = 0;

    int64_t visits() const;  // rows of a pass in the order of every column
    int64_t leaf_cost() const;
    // A lower bound of the cost of a tree with so many leaves: one prediction each.
    int64_t leaves_cost(int64_t n_leaves) const;

  private:
    void number_rows(const uint32_t* ids);
    void add_column(const SortedView& view, int32_t column);
    void add_flag(const SortedView& view, int32_t column);
    void number_order(const uint32_t* ids, int64_t n_ids, uint32_t* rows) const;
    void sum_up();
    void fill_margins();

    RowFacts facts_;
    std::vector<uint32_t> number_;  // of each id, in the node at hand
    std::vector<uint32_t> orders_;
    std::vector<uint8_t> flag_ends_;  // zeros, then a one
    std::vector<int64_t> class_rows_;
    std::vector<int64_t> ordered_totals_;  // highest first
};

}  // namespace silva::optimal
