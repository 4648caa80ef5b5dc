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
    if (!constant) {
        if (context_.settings.random_splitter) {
            random_coded(column, occupied, missing_code, has_missing);
        } else if (form.kind == Kind::categorical) {
            one_vs_rest(column, occupied, missing_code, has_missing);
        } else {
            sweep_codes(column, occupied, missing_code, has_missing, false);
            if (has_missing) sweep_codes(column, occupied, missing_code, has_missing, true);
        }
    }
    clear_codes(missing_code);
    return !constant;
}

// Position: the lowest code that goes right; -1 (missing left) asks "is it missing?".
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::sweep_codes(int32_t column, const std::vector<int>& occupied,
                                        int missing_code, bool has_missing, bool missing_left) {
    sweep_.clear();
    int64_t rows = 0;
    if (missing_left) {
        sweep_.add_group(group(missing_code));
        rows = scratch_.group_rows[missing_code];
        if (sweep_.promising()) consider(column, -1, rows, true, true);
    }
    for (size_t i = 0; i + 1 < occupied.size(); ++i) {
        sweep_.add_group(group(occupied[i]));
        rows += scratch_.group_rows[occupied[i]];
        if (sweep_.promising()) consider(column, occupied[i + 1], rows, missing_left, has_missing);
    }
}

template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::one_vs_rest(int32_t column, const std::vector<int>& occupied,
                                        int missing_code, bool has_missing) {
    const int64_t missing_rows = scratch_.group_rows[missing_code];
    const auto code_of = [&](int level) {
        return static_cast<int64_t>(context_.forms[column].levels[level]);
    };
    if (has_missing) {
        sweep_.clear();
        sweep_.add_group(group(missing_code));
        consider(column, -1, missing_rows, false, true, true);
    }
    for (int level : occupied) {
        sweep_.clear();
        sweep_.add_group(group(level));
        consider(column, code_of(level), scratch_.group_rows[level], has_missing, has_missing,
                 true);
        if (!has_missing || occupied.size() == 1) continue;
        sweep_.add_group(group(missing_code));
        consider(column, code_of(level), scratch_.group_rows[level] + missing_rows, false, true,
                 true);
    }
}

template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::random_coded(int32_t column, const std::vector<int>& occupied,
                                         int missing_code, bool has_missing) {
    const ColumnForm& form = context_.forms[column];
    const uint64_t hash = draw(column);
    const bool missing_left = has_missing && (mix(hash) & 1) != 0;
    const int64_t missing_rows = scratch_.group_rows[missing_code];
    sweep_.clear();
    if (form.kind == Kind::categorical) {
        const int level = occupied[hash % occupied.size()];
        const bool with_missing = has_missing && !missing_left && occupied.size() > 1;
        sweep_.add_group(group(level));
        if (with_missing) sweep_.add_group(group(missing_code));
        consider(column, static_cast<int64_t>(form.levels[level]),
                 scratch_.group_rows[level] + (with_missing ? missing_rows : 0),
                 has_missing && !with_missing, has_missing, true);
        return;
    }
    const double low = form.levels[occupied.front()], high = form.levels[occupied.back()];
    if (low == high) {
        sweep_.add_group(group(missing_code));
        consider(column, -1, missing_rows, true, true);
        return;
    }
    const double threshold = random_between(low, high, hash);
    int64_t rows = missing_left ? missing_rows : 0;
    if (missing_left) sweep_.add_group(group(missing_code));
    size_t i = 0;
    for (; form.levels[occupied[i]] < threshold; ++i) {
        sweep_.add_group(group(occupied[i]));
        rows += scratch_.group_rows[occupied[i]];
    }
    consider(column, occupied[i], rows, missing_left, has_missing, false, threshold);
}

}  // namespace silva
