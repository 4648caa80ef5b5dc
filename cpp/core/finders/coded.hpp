// Finder for coded columns: rows are counted by code, then whole codes move.
#pragma once

#include <algorithm>
#include <bit>

#include "core/finders/node_search.hpp"

namespace silva {

// Fills the groups of the codes that occur, and lists those codes (missing excluded).
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::count_codes(const uint8_t* codes, int missing_code) {
    scratch_.groups.resize(kMaxCodes * group_width(), 0);
    scratch_.group_rows.resize(kMaxCodes, 0);
    const Sweep sweep = sweep_;  // copies that live in registers
    const Id* rows = store_.rows.data();
    int64_t* const groups = scratch_.groups.data();
    int64_t* const group_rows = scratch_.group_rows.data();
    const int64_t width = group_width();
    for (int64_t i = node_.begin, end = node_.end; i < end; ++i) {
        const Id id = rows[i];
        const uint8_t code = codes[id];
        ++group_rows[code];
        sweep.count(id, groups + code * width);
    }
    scratch_.occupied.clear();
    if (node_.rows() >= kScanRows) {
        for (int code = 0; code <= missing_code; ++code)
            if (scratch_.group_rows[code] > 0) scratch_.occupied.push_back(code);
    } else {
        uint64_t seen[kMaxCodes / 64] = {};
        for (int64_t i = node_.begin; i < node_.end; ++i) {
            const uint8_t code = codes[store_.rows[i]];
            seen[code / 64] |= uint64_t{1} << (code % 64);
        }
        for (int word = 0; word < kMaxCodes / 64; ++word)
            for (uint64_t rest = seen[word]; rest != 0; rest &= rest - 1)
                scratch_.occupied.push_back(64 * word + std::countr_zero(rest));
    }
    if (!scratch_.occupied.empty() && scratch_.occupied.back() == missing_code)
        scratch_.occupied.pop_back();
}

// Leaves all groups empty, as count_codes expects them.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::clear_codes(int missing_code) {
    scratch_.occupied.push_back(missing_code);
    for (int code : scratch_.occupied) {
        std::fill_n(group(code), group_width(), 0);
        scratch_.group_rows[code] = 0;
    }
}

template <class Id, class Sweep>
bool NodeSearch<Id, Sweep>::coded(int32_t column) {
    const ColumnForm& form = context_.forms[column];
    const int missing_code = form.missing_code();
    count_codes(store_.codes[column].data(), missing_code);
    const std::vector<int>& occupied = scratch_.occupied;
    const bool has_missing = scratch_.group_rows[missing_code] > 0;
    const bool constant = occupied.size() + (has_missing ? 1 : 0) < 2;
    const ColumnSettings asked = context_.settings.column(column);
    if (!constant) {
        if (context_.settings.breakpoints) mark_breakpoints(store_.codes[column].data(), occupied);
        if (context_.settings.random_splitter) {
            random_coded(column, occupied, missing_code, has_missing);
        } else if (has_missing && asked.missing == Fallback::own_branch && occupied.size() > 1) {
            sweep_codes_own_branch(column, occupied, missing_code);
        } else {
            sweep_codes(column, occupied, missing_code, has_missing, false);
            if (has_missing) sweep_codes(column, occupied, missing_code, has_missing, true);
        }
    }
    clear_codes(missing_code);
    return !constant;
}

// Tells for each occupied code whether a threshold below it is allowed: not between two
// neighbouring values whose rows all have one and the same target.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::mark_breakpoints(const uint8_t* codes,
                                             const std::vector<int>& occupied) {
    scratch_.pure_targets.resize(kMaxCodes);
    scratch_.breakpoint.assign(kMaxCodes, 2);  // 2: no row seen, 1: mixed targets, 0: one target
    for (int64_t i = node_.begin; i < node_.end; ++i) {
        const Id id = store_.rows[i];
        uint8_t& state = scratch_.breakpoint[codes[id]];
        if (state == 2) scratch_.pure_targets[codes[id]] = target_of(id);
        state = state == 1 || scratch_.pure_targets[codes[id]] != target_of(id) ? 1 : 0;
    }
    for (size_t i = occupied.size(); i-- > 1;) {
        const int below = occupied[i - 1], code = occupied[i];
        if (scratch_.breakpoint[below] != 0 ||
            scratch_.pure_targets[below] != scratch_.pure_targets[code])
            scratch_.breakpoint[code] = 1;
    }
}

// Position: the lowest code that goes right; -1 (missing left) asks "is it missing?". Missing
// values that follow the majority are tried with the heavier side only.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::sweep_codes(int32_t column, const std::vector<int>& occupied,
                                        int missing_code, bool has_missing, bool missing_left) {
    const bool by_majority =
        has_missing && context_.settings.column(column).missing_follow_majority();
    int64_t known_weight = 0, missing_weight = 0, rows = 0;
    if (has_missing) {
        sweep_.clear();
        sweep_.add_group(group(missing_code));
        missing_weight = sweep_.left();
        known_weight = node_.stats.weight - missing_weight;
    }
    if (missing_left) {
        rows = scratch_.group_rows[missing_code];
        if (!by_majority && sweep_.promising()) consider(column, -1, rows, true, true);
    } else {
        sweep_.clear();
    }
    for (size_t i = 0; i + 1 < occupied.size(); ++i) {
        sweep_.add_group(group(occupied[i]));
        rows += scratch_.group_rows[occupied[i]];
        if (by_majority) {
            const int64_t known_left = sweep_.left() - (missing_left ? missing_weight : 0);
            if (missing_left != (2 * known_left >= known_weight)) continue;
        }
        if (sweep_.promising() && is_breakpoint(occupied[i + 1]))
            consider(column, occupied[i + 1], rows, missing_left, has_missing);
    }
}

// The gain of three children at each position, one by one.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::sweep_codes_own_branch(int32_t column, const std::vector<int>& occupied,
                                                   int missing_code) {
    const int64_t width = group_width();
    int64_t* left = child_groups(2);
    int64_t* right = left + width;
    int64_t left_rows = 0, right_rows = 0;
    for (int code : occupied) {
        merge(right, group(code), 1);
        right_rows += scratch_.group_rows[code];
    }
    for (size_t i = 0; i + 1 < occupied.size(); ++i) {
        const int64_t rows = scratch_.group_rows[occupied[i]];
        merge(left, group(occupied[i]), 1);
        merge(right, group(occupied[i]), -1);
        left_rows += rows;
        right_rows -= rows;
        if (!is_breakpoint(occupied[i + 1])) continue;
        const ChildGroup children[] = {{left, left_rows},
                                       {right, right_rows},
                                       {group(missing_code), scratch_.group_rows[missing_code]}};
        consider_own_branch(column, occupied[i + 1], children);
    }
}

template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::random_coded(int32_t column, const std::vector<int>& occupied,
                                         int missing_code, bool has_missing) {
    const ColumnForm& form = context_.forms[column];
    const ColumnSettings asked = context_.settings.column(column);
    const uint64_t hash = draw(column);
    const int64_t missing_rows = scratch_.group_rows[missing_code];
    const double low = form.levels[occupied.front()], high = form.levels[occupied.back()];
    sweep_.clear();
    sweep_.add_group(group(missing_code));
    if (low == high) {
        if (!asked.missing_follow_majority()) consider(column, -1, missing_rows, true, true);
        return;
    }
    const int64_t known_weight = node_.stats.weight - sweep_.left();
    const double threshold = random_between(low, high, hash);
    const auto first_right = std::find_if(occupied.begin(), occupied.end(),
                                          [&](int code) { return form.levels[code] >= threshold; });
    int64_t rows = 0;
    sweep_.clear();
    for (auto code = occupied.begin(); code != first_right; ++code) {
        sweep_.add_group(group(*code));
        rows += scratch_.group_rows[*code];
    }
    if (has_missing && asked.missing == Fallback::own_branch) {
        int64_t* groups = child_groups(2);
        for (auto code = occupied.begin(); code != occupied.end(); ++code)
            merge(groups + (code < first_right ? 0 : group_width()), group(*code), 1);
        const ChildGroup children[] = {{groups, rows},
                                       {groups + group_width(), node_.rows() - missing_rows - rows},
                                       {group(missing_code), missing_rows}};
        consider_own_branch(column, *first_right, children, threshold);
        return;
    }
    bool missing_left = has_missing && (mix(hash) & 1) != 0;
    if (asked.missing_follow_majority())
        missing_left = has_missing && 2 * sweep_.left() >= known_weight;
    if (missing_left) {
        sweep_.add_group(group(missing_code));
        rows += missing_rows;
    }
    consider(column, *first_right, rows, missing_left, has_missing, false, threshold);
}

}  // namespace silva
