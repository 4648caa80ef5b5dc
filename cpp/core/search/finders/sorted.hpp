// Finder for sorted columns: thresholds between neighbouring values.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>

#include "core/search/finders/node_search.hpp"

namespace silva {

template <class Id, class Sweep>
bool NodeSearch<Id, Sweep>::sorted(int32_t column) {
    const NodeList<Id> own = node_.list(store_, column);
    const Id* list = own.entries();
    int64_t n_known = node_.rows();
    if (context_.forms[column].has_missing) {
        const uint8_t* missing = store_.missing[column].data();
        while (n_known > 0 && missing[list[n_known - 1] & kIdMask] != 0) --n_known;
    }
    const int64_t n_missing = node_.rows() - n_known;
    Id any_new = 0;
    for (int64_t i = 1; i < n_known && (any_new & kNew) == 0; ++i) any_new |= list[i];
    const bool splits_known = (any_new & kNew) != 0;
    if (!splits_known && (n_missing == 0 || n_known == 0)) return false;
    const Id* missing_rows = list + n_known;
    if (context_.settings.random_splitter) {
        random_sorted(column, list, n_known, missing_rows, n_missing);
        return true;
    }
    const ColumnSettings asked = context_.settings.column(column);
    const Id* known = context_.settings.breakpoints ? counts().at_breakpoints(list, n_known) : list;
    const int64_t last = n_known - 1;
    if (n_missing > 0 && asked.missing_follow_majority()) {
        sweep_majority(column, known, n_known, missing_rows, n_missing);
    } else if (n_missing > 0 && asked.missing == Fallback::own_branch && splits_known) {
        sweep_own_branch(column, known, n_known, missing_rows, n_missing);
    } else {
        sweep_thresholds(column, known, missing_rows, n_missing, false, 1, last);
        const int64_t lowest = asked.asks_missing ? 0 : 1;
        if (n_missing > 0)
            sweep_thresholds(column, known, missing_rows, n_missing, true, lowest, last);
    }
    return true;
}

// Known rows of the left child grow with the position, so missing values go right up to some
// position and left from there on.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::sweep_majority(int32_t column, const Id* known, int64_t n_known,
                                           const Id* missing, int64_t n_missing) {
    int64_t turn = (n_known + 1) / 2;
    if (!store_.weight.empty()) {
        int64_t known_weight = node_.stats.weight, left = 0;
        for (int64_t i = 0; i < n_missing; ++i) known_weight -= store_.weight[missing[i] & kIdMask];
        for (turn = 0; 2 * left < known_weight; ++turn)
            left += store_.weight[known[turn] & kIdMask];
    }
    sweep_thresholds(column, known, missing, n_missing, false, 1, turn - 1);
    sweep_thresholds(column, known, missing, n_missing, true, std::max<int64_t>(turn, 1),
                     n_known - 1);
}

// The gain of three children at each position, one by one.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::sweep_own_branch(int32_t column, const Id* known, int64_t n_known,
                                             const Id* missing, int64_t n_missing) {
    const int64_t width = group_width();
    int64_t* left = child_groups(4);
    int64_t *right = left + width, *absent = right + width, *all = absent + width;
    for (int64_t i = 0; i < n_missing; ++i) sweep_.count(missing[i] & kIdMask, absent);
    for (int64_t i = 0; i < n_known; ++i) sweep_.count(known[i] & kIdMask, all);
    for (int64_t i = 0; i < n_known; ++i) {
        if (i > 0 && (known[i] & kNew) != 0) {
            std::copy_n(all, width, right);
            merge(right, left, -1);
            const ChildGroup children[] = {{left, i}, {right, n_known - i}, {absent, n_missing}};
            consider_own_branch(column, i, children);
        }
        sweep_.count(known[i] & kIdMask, left);
    }
}

// Position i sends the first i known rows left; position 0 (missing left) asks "is it missing?".
// Positions from `lowest` to `highest` are tried.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::sweep_thresholds(int32_t column, const Id* known, const Id* missing,
                                             int64_t n_missing, bool missing_left, int64_t lowest,
                                             int64_t highest) {
    const int64_t already_left = missing_left ? n_missing : 0;
    const int64_t least = context_.settings.min_rows_leaf;
    const int64_t first = std::max(lowest, least - already_left);
    const int64_t last = std::min(highest, node_.rows() - least - already_left);
    if (first > last) return;
    sweep_.clear();
    for (int64_t i = 0; i < already_left; ++i) sweep_.add(Id(missing[i] & kIdMask));
    for (int64_t i = 0; i < first; ++i) sweep_.add(Id(known[i] & kIdMask));
    if constexpr (Sweep::kCostlyGain) raise_floor(known, first, last);
    for (int64_t begin = first; begin <= last; begin += kStopInterval) {
        context_.stop.check();
        const int64_t end = std::min(begin + kStopInterval - 1, last);
        if constexpr (Sweep::kHasFilter) {
            if (sweep_.filters()) {
                sweep_blocks(column, known, begin, end, already_left, missing_left, n_missing > 0);
                continue;
            }
        }
        sweep_positions(column, known, begin, end, already_left, missing_left, n_missing > 0);
    }
}

// A first pass finds the best approximate score, so that the second one computes few exact gains.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::raise_floor(const Id* known, int64_t first, int64_t last)
    requires(Sweep::kCostlyGain)
{
    sweep_.set_floor(-INFINITY);
    if (sweep_.n_present() <= kFewClasses) return;
    const Sweep before = sweep_;
    double floor = -INFINITY;
    for (int64_t i = first; i <= last; ++i) {
        if (i % kStopInterval == 0) context_.stop.check();
        const int64_t lighter = std::min(sweep_.left(), node_.stats.weight - sweep_.left());
        const bool allowed = (known[i] & kNew) != 0 || i == 0;
        if (allowed && static_cast<double>(lighter) >= context_.min_leaf_weight)
            floor = std::max(floor, sweep_.score());
        sweep_.add(Id(known[i] & kIdMask));
    }
    for (int64_t i = first; i <= last; ++i) sweep_.forget(Id(known[i] & kIdMask));
    sweep_ = before;
    sweep_.set_floor(floor);
}

template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::sweep_positions(int32_t column, const Id* known, int64_t first,
                                            int64_t last, int64_t already_left, bool missing_left,
                                            bool missing_chosen) {
    Sweep sweep = sweep_;  // a copy that lives in registers
    for (int64_t i = first; i <= last; ++i) {
        if (sweep.promising() && ((known[i] & kNew) != 0 || i == 0)) [[unlikely]] {
            sweep_ = sweep;
            consider(column, i, already_left + i, missing_left, missing_chosen);
            sweep = sweep_;
        }
        sweep.add(Id(known[i] & kIdMask));
    }
    sweep_ = sweep;
}

// The same, a block of positions at a time: few of them are promising.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::sweep_blocks(int32_t column, const Id* known, int64_t first,
                                         int64_t last, int64_t already_left, bool missing_left,
                                         bool missing_chosen)
    requires(Sweep::kHasFilter)
{
    typename Sweep::Block block;
    for (int64_t i = first; i <= last; i += kBlock) {
        const auto n = static_cast<int>(std::min<int64_t>(kBlock, last + 1 - i));
        uint64_t mask = sweep_.look_ahead(known + i, n, block);
        for (; mask != 0; mask &= mask - 1) {
            const int j = std::countr_zero(mask);
            if ((known[i + j] & kNew) == 0 && i + j > 0) continue;
            sweep_.place(block, j);
            if (sweep_.promising())
                consider(column, i + j, already_left + i + j, missing_left, missing_chosen);
        }
        sweep_.place(block, n);
    }
}

template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::random_sorted(int32_t column, const Id* known, int64_t n_known,
                                          const Id* missing, int64_t n_missing) {
    const uint64_t hash = draw(column);
    const ColumnSettings asked = context_.settings.column(column);
    sweep_.clear();
    const auto gather = [&](const Id* rows, int64_t n) {
        for (int64_t i = 0; i < n; ++i) sweep_.add(Id(rows[i] & kIdMask));
    };
    const double low = value_of(column, known[0]), high = value_of(column, known[n_known - 1]);
    if (low == high) {
        if (asked.missing_follow_majority()) return;
        gather(missing, n_missing);
        consider(column, 0, n_missing, true, true, false, -std::numeric_limits<double>::infinity());
        return;
    }
    const double threshold = random_between(low, high, hash);
    int64_t left = 0, right = n_known;
    while (left < right) {
        const int64_t middle = (left + right) / 2;
        if (value_of(column, known[middle]) < threshold)
            left = middle + 1;
        else
            right = middle;
    }
    if (n_missing > 0 && asked.missing == Fallback::own_branch) {
        int64_t* groups = child_groups(3);
        const ChildGroup children[] = {{groups, left},
                                       {groups + group_width(), n_known - left},
                                       {groups + 2 * group_width(), n_missing}};
        for (int64_t i = 0; i < n_known; ++i)
            sweep_.count(known[i] & kIdMask, groups + (i < left ? 0 : group_width()));
        for (int64_t i = 0; i < n_missing; ++i)
            sweep_.count(missing[i] & kIdMask, groups + 2 * group_width());
        consider_own_branch(column, left, children, threshold);
        return;
    }
    gather(missing, n_missing);
    const int64_t known_weight = node_.stats.weight - sweep_.left();
    sweep_.clear();
    gather(known, left);
    bool missing_left = n_missing > 0 && (mix(hash) & 1) != 0;
    if (asked.missing_follow_majority())
        missing_left = n_missing > 0 && 2 * sweep_.left() >= known_weight;
    if (missing_left) gather(missing, n_missing);
    consider(column, left, left + (missing_left ? n_missing : 0), missing_left, n_missing > 0,
             false, threshold);
}

template <class Id, class Sweep>
void search_with(const NodeTask& task, const Store<Id>& store) {
    if (task.team.size() > 1) {
        search_together(task, [&](int worker) -> std::unique_ptr<ColumnSearch> {
            return std::make_unique<NodeSearch<Id, Sweep>>(task, store, worker);
        });
        return;
    }
    NodeSearch<Id, Sweep> search(task, store, 0);
    search_alone(task, search);
}

}  // namespace silva
