// Finder for sorted columns: thresholds between neighbouring values, or one value against the rest.
#pragma once

#include <algorithm>
#include <bit>

#include "core/finders/node_search.hpp"

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
    } else if (context_.forms[column].kind == Kind::categorical) {
        sweep_runs(column, list, n_known, missing_rows, n_missing);
    } else {
        sweep_thresholds(column, list, n_known, missing_rows, n_missing, false);
        if (n_missing > 0) sweep_thresholds(column, list, n_known, missing_rows, n_missing, true);
    }
    return true;
}

// Position i sends the first i known rows left; position 0 (missing left) asks "is it missing?".
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::sweep_thresholds(int32_t column, const Id* known, int64_t n_known,
                                             const Id* missing, int64_t n_missing,
                                             bool missing_left) {
    const int64_t already_left = missing_left ? n_missing : 0;
    const int64_t least = context_.settings.min_rows_leaf;
    const int64_t first = std::max<int64_t>(missing_left ? 0 : 1, least - already_left);
    const int64_t last = std::min(n_known - 1, node_.rows() - least - already_left);
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

// One value against the rest: the run of equal values is gathered, and is the right child.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::sweep_runs(int32_t column, const Id* known, int64_t n_known,
                                       const Id* missing, int64_t n_missing) {
    const auto gather = [&](const Id* rows, int64_t n) {
        for (int64_t i = 0; i < n; ++i) sweep_.add(Id(rows[i] & kIdMask));
    };
    const bool has_missing = n_missing > 0;
    if (has_missing) {
        sweep_.clear();
        gather(missing, n_missing);
        if (n_known > 0) consider(column, -1, n_missing, false, true, true);
    }
    for (int64_t begin = 0, end; begin < n_known; begin = end) {
        for (end = begin + 1; end < n_known && (known[end] & kNew) == 0;) ++end;
        const auto code = static_cast<int64_t>(value_of(column, known[begin]));
        sweep_.clear();
        gather(known + begin, end - begin);
        const bool others_left = end - begin < node_.rows();
        if (others_left) consider(column, code, end - begin, has_missing, has_missing, true);
        if (!has_missing || end - begin == n_known) continue;
        gather(missing, n_missing);
        consider(column, code, end - begin + n_missing, false, true, true);
    }
}

template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::random_sorted(int32_t column, const Id* known, int64_t n_known,
                                          const Id* missing, int64_t n_missing) {
    const uint64_t hash = draw(column);
    const bool missing_left = n_missing > 0 && (mix(hash) & 1) != 0;
    sweep_.clear();
    const auto gather = [&](const Id* rows, int64_t n) {
        for (int64_t i = 0; i < n; ++i) sweep_.add(Id(rows[i] & kIdMask));
    };
    if (context_.forms[column].kind == Kind::categorical) {
        std::vector<int64_t> starts;
        for (int64_t i = 0; i < n_known; ++i)
            if (i == 0 || (known[i] & kNew) != 0) starts.push_back(i);
        starts.push_back(n_known);
        const auto chosen = static_cast<size_t>(hash % (starts.size() - 1));
        const int64_t begin = starts[chosen], end = starts[chosen + 1];
        const bool all_known = end - begin == n_known;
        gather(known + begin, end - begin);
        const bool with_missing = n_missing > 0 && !missing_left && !all_known;
        if (with_missing) gather(missing, n_missing);
        consider(column, static_cast<int64_t>(value_of(column, known[begin])),
                 end - begin + (with_missing ? n_missing : 0), !with_missing && n_missing > 0,
                 n_missing > 0, true);
        return;
    }
    const double low = value_of(column, known[0]), high = value_of(column, known[n_known - 1]);
    if (low == high) {
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
    gather(known, left);
    if (missing_left) gather(missing, n_missing);
    consider(column, left, left + (missing_left ? n_missing : 0), missing_left, n_missing > 0,
             false, threshold);
}

}  // namespace silva
