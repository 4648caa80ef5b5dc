// Coded columns and bit columns: whole codes move.
#pragma once

#include <algorithm>
#include <bit>

#include "core/search/finders/group_search.hpp"

namespace silva {

template <class Groups>
bool GroupSearch<Groups>::sweep_coded(int32_t column) {
    const ColumnForm& form = context_.forms[column];
    const int missing_code = form.missing_code();
    const std::vector<int>& occupied = scratch_.occupied;
    const bool has_missing = scratch_.group_rows[missing_code] > 0;
    const bool constant = occupied.size() + (has_missing ? 1 : 0) < 2;
    const ColumnSettings asked = context_.settings.column(column);
    if (!constant) {
        if (context_.settings.random_splitter) {
            random_coded(column, occupied, missing_code);
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

// Position: the lowest code that goes right; -1 (missing left) asks "is it missing?". Missing
// values that follow the majority are tried with the heavier side only.
template <class Groups>
void GroupSearch<Groups>::sweep_codes(int32_t column, const std::vector<int>& occupied,
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

template <class Groups>
void GroupSearch<Groups>::random_coded(int32_t column, const std::vector<int>& occupied,
                                       int missing_code) {
    const std::vector<double>& levels = context_.forms[column].levels;
    const double low = levels[occupied.front()], high = levels[occupied.back()];
    const uint64_t hash = draw(column);
    const double threshold = low < high ? random_between(low, high, hash) : NAN;
    int64_t position = -1;  // the lowest code on the right
    int64_t* groups = child_groups(2);
    ChildGroup sides[] = {{groups, 0},
                          {groups + group_width(), 0},
                          {group(missing_code), scratch_.group_rows[missing_code]}};
    for (int code : occupied) {
        const bool is_left = levels[code] < threshold;
        merge(groups + (is_left ? 0 : group_width()), group(code), 1);
        sides[is_left ? 0 : 1].rows += scratch_.group_rows[code];
        if (low < high && !is_left && position < 0) position = code;
    }
    consider_random(column, position, hash, threshold, sides);
}

// A random threshold, which sends the known rows to sides[0] and sides[1]; with none of them on the
// left the question is "is it missing?".
template <class Groups>
void GroupSearch<Groups>::consider_random(int32_t column, int64_t position, uint64_t hash,
                                          double threshold, std::span<const ChildGroup, 3> sides) {
    const auto& [left_group, left_rows] = sides[0];
    const auto& [missing_group, missing_rows] = sides[2];
    const ColumnSettings asked = context_.settings.column(column);
    const bool has_missing = missing_rows > 0;
    sweep_.clear();
    if (has_missing) sweep_.add_group(missing_group);
    if (left_rows == 0) {
        if (!asked.missing_follow_majority())
            consider(column, position, missing_rows, true, true, false, threshold);
        return;
    }
    if (has_missing && asked.missing == Fallback::own_branch) {
        consider_own_branch(column, position, sides, threshold);
        return;
    }
    const int64_t known_weight = node_.stats.weight - sweep_.left();
    sweep_.clear();
    sweep_.add_group(left_group);
    const bool missing_left =
        has_missing && (asked.missing_follow_majority() ? 2 * sweep_.left() >= known_weight
                                                        : (mix(hash) & 1) != 0);
    if (missing_left) sweep_.add_group(missing_group);
    consider(column, position, left_rows + (missing_left ? missing_rows : 0), missing_left,
             has_missing, false, threshold);
}

template <class Groups>
uint64_t GroupSearch<Groups>::sweep_bits(uint64_t wanted,
                                         const std::vector<int32_t>& column_of_bit) {
    uint64_t constant = 0;
    for (uint64_t rest = wanted; rest != 0; rest &= rest - 1) {
        const int bit = std::countr_zero(rest);
        const int64_t set_rows = scratch_.bit_rows[bit];
        if (set_rows == 0 || set_rows == node_.rows())
            constant |= uint64_t{1} << bit;
        else
            one_bit(column_of_bit[bit], bit_group(bit), set_rows);
        end_column(column_of_bit[bit]);
    }
    return constant;
}

// The set rows are gathered. They hold the lower value if the column is inverted.
template <class Groups>
void GroupSearch<Groups>::one_bit(int32_t column, const int64_t* set_group, int64_t set_rows) {
    const ColumnForm& form = context_.forms[column];
    sweep_.clear();
    sweep_.add_group(set_group);
    if (!sweep_.promising()) return;
    const SplitForm asked = context_.settings.column(column).form;
    if (asked == SplitForm::threshold) {
        const double low = form.levels[0], high = form.levels[1];
        const double threshold =
            context_.settings.random_splitter ? random_between(low, high, draw(column)) : NAN;
        consider(column, 1, set_rows, false, false, !form.inverted, threshold);
        return;
    }
    const auto low = static_cast<int64_t>(form.levels[0]);
    const auto high = static_cast<int64_t>(form.levels[1]);
    bool is_best = false;
    if (asked == SplitForm::onevsrest) {
        is_best = consider(column, low, set_rows, false, false, form.inverted);
        is_best |= consider(column, high, set_rows, false, false, !form.inverted);
    } else {
        const int64_t set = sweep_.left(), rest = node_.stats.weight - set;
        const bool high_listed = form.inverted ? rest <= set : set <= rest;
        is_best = consider(column, high_listed ? high : low, set_rows, false, false,
                           high_listed != form.inverted);
    }
    if (is_best) best_.kind = SplitKind::subset;
}

}  // namespace silva
