// One worker's search for the best candidate of one node, by whatever finder fits each column.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "core/search/finders/group_search.hpp"
#include "core/search/finders/row_counts.hpp"
#include "core/search/sweep.hpp"

namespace silva {

// The targets of a store's rows as a sweep reads them.
template <class Rows, class Id>
Rows rows_of(const Store<Id>& store) {
    const int64_t* weight = store.weight.empty() ? nullptr : store.weight.data();
    if constexpr (std::is_same_v<Rows, ValueRows>) {
        return {store.q.data(), weight};
    } else {
        const int64_t* signed_weight =
            store.signed_weight.empty() ? nullptr : store.signed_weight.data();
        const uint32_t* ones = store.n_classes == 2 ? store.ones.data() : nullptr;
        if constexpr (std::is_same_v<Rows, ClassRows<uint8_t>>)
            return {store.label8.data(), weight, ones, signed_weight};
        else
            return {store.label32.data(), weight, ones, signed_weight};
    }
}

template <class Id, class Sweep>
class NodeSearch final : public GroupSearch<typename Sweep::Groups> {
    using Base = GroupSearch<typename Sweep::Groups>;
    using Counts = RowCounts<Id, typename Sweep::Counter>;
    using Base::best_, Base::by_column_, Base::context_, Base::node_, Base::scratch_;
    using Base::child_groups, Base::consider, Base::consider_own_branch, Base::draw,
        Base::group_width, Base::merge;

  public:
    NodeSearch(const NodeTask& task, const Store<Id>& store, int worker)
        : Base(task, worker, sweep_, !store.weight.empty()),
          store_(store),
          sweep_(rows_of<typename Sweep::Rows>(store), task.node.stats, scratch_.sweep) {
        sweep_.set_best(-1.0);
        if constexpr (Sweep::kBoundsSmallNodes)
            if (node_.rows() <= kBoundedRows && context_.settings.min_rows_leaf == 1 &&
                context_.min_leaf_weight <= 1.0)
                sweep_.bound_by(store.rows.data() + node_.begin, node_.rows());
        this->perfect_gain_ = sweep_.perfect_gain();
        this->perfect_lighter_ = sweep_.perfect_lighter();
    }

    bool column(int32_t column) override {
        const bool splits = search_column(column);
        this->end_column(column);
        return splits;
    }
    uint64_t bits(int block, uint64_t wanted, const std::vector<int32_t>& column_of_bit) override {
        counts().count_bits(store_.words[block].data(), wanted);
        return this->sweep_bits(wanted, column_of_bit);
    }

  private:
    static constexpr int64_t kStopInterval = 1
                                             << 16;  // positions between two looks at the stop flag
    static constexpr size_t kFewClasses = 16;        // exact entropies are cheap up to here
    static constexpr Id kNew = Store<Id>::kNew;
    static constexpr Id kIdMask = Store<Id>::kIdMask;

    Counts counts() { return {context_, store_, node_, scratch_, sweep_.counter()}; }

    bool search_column(int32_t column) {
        switch (context_.forms[column].form) {
            case Form::sorted: return sorted(column);
            case Form::category: return categories(column);
            default: return coded(column);
        }
    }
    bool coded(int32_t column) {
        const uint8_t* codes = store_.codes[column].data();
        counts().count_codes(codes, context_.forms[column].missing_code());
        if (context_.settings.breakpoints) counts().mark_breakpoints(codes, scratch_.occupied);
        return this->sweep_coded(column);
    }
    bool categories(int32_t column) {
        const auto c = this->arrange(column, counts().list_levels(column));
        if (!c) return false;
        if (!this->is_fitted(*c)) {
            this->ask(*c);
            return true;
        }
        if (!this->spread_) this->spread_ = counts().node_spread();
        this->ask_fairly(*c);
        return true;
    }
    bool sorted(int32_t column);
    void sweep_majority(int32_t column, const Id* known, int64_t n_known, const Id* missing,
                        int64_t n_missing);
    void sweep_own_branch(int32_t column, const Id* known, int64_t n_known, const Id* missing,
                          int64_t n_missing);
    void sweep_thresholds(int32_t column, const Id* known, const Id* missing, int64_t n_missing,
                          bool missing_left, int64_t lowest, int64_t highest);
    void raise_floor(const Id* known, int64_t first, int64_t last)
        requires(Sweep::kCostlyGain);
    void sweep_positions(int32_t column, const Id* known, int64_t first, int64_t last,
                         int64_t already_left, bool missing_left, bool missing_chosen);
    void sweep_blocks(int32_t column, const Id* known, int64_t first, int64_t last,
                      int64_t already_left, bool missing_left, bool missing_chosen)
        requires(Sweep::kHasFilter);
    void random_sorted(int32_t column, const Id* known, int64_t n_known, const Id* missing,
                       int64_t n_missing);
    double value_of(int32_t column, Id entry) const {
        const int64_t id = store_.origin_of(entry & kIdMask);
        return context_.table.columns[column].value(context_.target.row_of(id));
    }

    const Store<Id>& store_;
    Sweep sweep_;
};

// Searches the columns of the task. Defined in sorted.hpp and compiled once for each pair of types.
template <class Id, class Sweep>
void search_with(const NodeTask& task, const Store<Id>& store);

}  // namespace silva
