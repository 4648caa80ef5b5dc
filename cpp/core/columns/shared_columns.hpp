// What all trees of a forest read of the columns: made once, never changed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "core/base/array.hpp"
#include "core/base/pool.hpp"
#include "core/columns/table.hpp"
#include "core/columns/target.hpp"
#include "core/columns/value_codes.hpp"
#include "core/tree/settings.hpp"

namespace silva {

// The missing values of a column: they have a rank of their own, above those of all others.
struct MissingValues {
    static constexpr uint32_t kNone = ~uint32_t{0};

    uint32_t rank = kNone;
    // Unless one of these, both sides are tried, and "is it missing?".
    bool follow_majority = false, own_branch = false;

    bool exist() const { return rank != kNone; }
};

// One column by id. For thresholds that are searched, the ranks of its values among all its
// distinct ones, or one bit of a word; for thresholds that are drawn, the codes of its values. For
// categories, these are their codes, below `n_codes`, which stands for missing ones.
struct SharedColumn {
    bool constant = true;
    Array<uint16_t> rank16;
    Array<uint32_t> rank32;  // more than 65,536 ranks
    int64_t n_ranks = 0;     // of values that are not missing
    MissingValues missing;
    std::vector<double> levels;  // values by rank, where they are few
    int block = -1, bit = 0;     // a column of two values: which word, which bit of it
    bool inverted = false;       // a set bit is the lower value
    int32_t n_codes = 0;         // of categories; otherwise 0
    ValueCodes coded;

    const Array<uint16_t>& category_codes() const { return rank16.empty() ? coded.codes : rank16; }
    bool is_categories() const { return n_codes > 0; }
    // Whether a value can be told by its rank here and in every part of the table.
    bool has_levels() const { return is_categories() || (!levels.empty() && rank32.empty()); }
};

struct SharedColumns {
    std::vector<SharedColumn> columns;
    std::vector<Array<uint64_t>> words;               // by block
    std::vector<std::vector<int32_t>> column_of_bit;  // by block and bit

    bool have_categories() const {
        return std::any_of(columns.begin(), columns.end(),
                           [](const SharedColumn& column) { return column.is_categories(); });
    }
    // Whether a node may have missing values that become a child of their own.
    bool have_own_branches() const {
        return std::ranges::any_of(columns, [](const SharedColumn& column) {
            return column.missing.exist() && column.missing.own_branch;
        });
    }
    bool have_levels() const {
        return std::all_of(columns.begin(), columns.end(), [](const SharedColumn& column) {
            return column.constant || column.has_levels();
        });
    }
    // Whether nodes that draw so many of the columns copy theirs alone: a column that is copied for
    // one node costs as much as many that move with the rows.
    bool are_wide_for(int64_t max_columns) const {
        constexpr int64_t columns_of_one = 24;
        return std::ssize(columns) > columns_of_one * max_columns;
    }
};

// Fills `out` for the rows that `target` keeps. False where a column is sparse, where codes of
// categories would need more than 16 bits, and where thresholds are drawn beside multiway splits of
// more than 256 levels: then `out` is of no use.
bool share_columns(const Table& table, const Target& target, const Settings& settings, Team& team,
                   const StopFlag& stop, SharedColumns& out);

}  // namespace silva
