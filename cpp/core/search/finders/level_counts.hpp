// The levels of a column in a node, and what their rows count for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/pool.hpp"
#include "core/columns/marked_rows.hpp"
#include "core/search/finders/column_search.hpp"

namespace silva {

// `Rows` are the rows of a node with their codes, one after the other:
//   kLayout              the layout of a group
//   size()               how many there are
//   code(i)              of row i; n_codes: missing, n_codes + 1: a lone level
//   count(i, group)      adds row i to a group
//   weighted, weight(i)  what row i weighs; without `weighted` that is 1
//   target(i)            its class
template <class Rows>
class LevelCounts {
  public:
    LevelCounts(const Rows& rows, int64_t width, LevelScratch& scratch, const StopFlag& stop)
        : rows_(rows), width_(width), scratch_(scratch), stop_(stop) {}

    // Fills scratch.levels with the known levels and returns what has none.
    Absent list(int32_t n_codes) {
        scratch_.levels.clear();
        scratch_.entries.clear();
        scratch_.level_groups.clear();
        scratch_.occupied.clear();
        if (kEntries && ((int64_t{n_codes} + 2) * width_ > kDenseCells || width_ > kDenseClasses)) {
            sort_into_entries(n_codes);
        } else {
            count(n_codes);
            for (const int32_t slot : scratch_.occupied) take(level_code(slot, n_codes), slot);
        }
        Absent absent;
        take_last(kLoneLevel, absent.lone);
        take_last(kMissingLevel, absent.missing);
        return absent;
    }

  private:
    static constexpr int64_t kDenseCells = int64_t{1} << 21;  // counted by code up to here
    static constexpr int64_t kDenseClasses = 1024;            // the same
    static constexpr bool kTwoClasses = Rows::kLayout == GroupLayout::classes;
    static constexpr bool kValues = Rows::kLayout == GroupLayout::values;
    static constexpr bool kEntries = Rows::kLayout == GroupLayout::entries;

    // The code of a level from its place in the table of counts: missing and lone come last.
    static int32_t level_code(int32_t slot, int32_t n_codes) {
        return slot < n_codes ? slot : slot == n_codes ? kMissingLevel : kLoneLevel;
    }

    // Counts the rows and groups of the codes that occur, and lists them in ascending order. The
    // rows of two classes of unit weight are known by their groups.
    void count(int32_t n_codes) {
        const auto slots = static_cast<size_t>(n_codes) + 2;
        const auto width = static_cast<size_t>(width_);
        if (scratch_.rows.size() < slots) scratch_.rows.resize(slots, 0);
        if (scratch_.groups.size() < slots * width) scratch_.groups.resize(slots * width, 0);
        const Rows in = rows_;  // a copy that lives in registers
        const int64_t n = in.size();
        if (in.weighted && scratch_.squares.size() < slots) scratch_.squares.resize(slots, 0);
        int64_t* const groups = scratch_.groups.data();
        int32_t* const rows = scratch_.rows.data();
        const bool by_groups = kTwoClasses && !in.weighted && n >= n_codes / 4;
        Wide* const squares = scratch_.squares.data();
        for (int64_t i = 0; i < n; ++i) {
            const size_t slot = in.code(i);
            in.count(i, groups + slot * width);
            if (!by_groups) ++rows[slot];
            if (in.weighted) squares[slot] += Wide(in.weight(i)) * in.weight(i);
        }
        if (by_groups)
            for (size_t slot = 0; slot < slots; ++slot)
                rows[slot] = static_cast<int32_t>(groups[2 * slot] + groups[2 * slot + 1]);
        list_occupied(n_codes);
    }

    // Looks at all codes where there are many rows, at words of 64 codes where there are fewer, and
    // sorts those of few rows.
    void list_occupied(int32_t n_codes) {
        std::vector<int32_t>& occupied = scratch_.occupied;
        const int64_t n = rows_.size();
        if (n >= n_codes / 4) {
            for (int32_t slot = 0; slot <= n_codes + 1; ++slot)
                if (scratch_.rows[slot] > 0) occupied.push_back(slot);
        } else if (n >= n_codes / 64) {
            std::vector<uint64_t>& seen = scratch_.seen;
            seen.assign(static_cast<size_t>(n_codes + 2) / 64 + 1, 0);
            for (int64_t i = 0; i < n; ++i)
                seen[rows_.code(i) / 64] |= uint64_t{1} << rows_.code(i) % 64;
            for_each_row(seen, [&](int64_t slot) { occupied.push_back(static_cast<int>(slot)); });
        } else {
            for (int64_t i = 0; i < n; ++i) occupied.push_back(static_cast<int32_t>(rows_.code(i)));
            std::sort(occupied.begin(), occupied.end());
            occupied.erase(std::unique(occupied.begin(), occupied.end()), occupied.end());
        }
    }

    // Adds the level of an occupied code; leaves what was counted for it zero.
    void take(int32_t code, int32_t slot) {
        Level& level = scratch_.levels.emplace_back();
        level.code = code;
        level.rows = std::exchange(scratch_.rows[slot], 0);
        if (rows_.weighted) level.squares = std::exchange(scratch_.squares[slot], 0);
        int64_t* group = scratch_.groups.data() + slot * width_;
        if constexpr (kEntries) {
            level.begin = static_cast<int32_t>(scratch_.entries.size());
            for (int32_t k = 0; k < width_; ++k) {
                if (group[k] == 0) continue;
                level.weight += group[k];
                scratch_.entries.push_back({k, std::exchange(group[k], 0)});
            }
            level.end = static_cast<int32_t>(scratch_.entries.size());
        } else {
            level.begin = static_cast<int32_t>(scratch_.level_groups.size());
            level.weight = kValues ? group[0] : group[0] + group[1];
            for (int64_t k = 0; k < width_; ++k)
                scratch_.level_groups.push_back(std::exchange(group[k], 0));
        }
    }

    // The same levels where there are too many codes and classes for a table of them.
    void sort_into_entries(int32_t n_codes) {
        std::vector<std::pair<uint64_t, int64_t>> cells;
        cells.reserve(static_cast<size_t>(rows_.size()));
        for (int64_t i = 0; i < rows_.size(); ++i)
            cells.push_back({static_cast<uint64_t>(rows_.code(i)) << 32 |
                                 static_cast<uint64_t>(rows_.target(i)),
                             rows_.weight(i)});
        stop_.check();
        std::sort(cells.begin(), cells.end());
        for (size_t i = 0; i < cells.size(); ++i) {
            const int32_t code = level_code(static_cast<int32_t>(cells[i].first >> 32), n_codes);
            const auto at = static_cast<int32_t>(scratch_.entries.size());
            if (i == 0 || cells[i].first >> 32 != cells[i - 1].first >> 32)
                scratch_.levels.push_back({code, 0, 0, at, at});
            Level& level = scratch_.levels.back();
            if (level.end > level.begin && cells[i].first == cells[i - 1].first) {
                scratch_.entries.back().weight += cells[i].second;
            } else {
                scratch_.entries.push_back({static_cast<int32_t>(cells[i].first), cells[i].second});
                ++level.end;
            }
            ++level.rows;
            level.weight += cells[i].second;
            level.squares += Wide(cells[i].second) * cells[i].second;
        }
    }

    void take_last(int32_t code, Level& level) {
        if (scratch_.levels.empty() || scratch_.levels.back().code != code) return;
        level = scratch_.levels.back();
        scratch_.levels.pop_back();
    }

    const Rows& rows_;
    int64_t width_;  // numbers in a group
    LevelScratch& scratch_;
    const StopFlag& stop_;
};

// What the charge of a column needs to know of a node of classes.
inline NodeSpread class_spread(const NodeStats& node) {
    Wide squares = 0;
    for (int64_t weight : node.classes) squares += Wide(weight) * weight;
    const auto impurity = static_cast<double>(Wide(node.weight) * node.weight - squares);
    return {impurity / static_cast<double>(node.weight), squares};
}

// The same of values; value(i) and weight(i) are those of the i-th row.
template <class Value, class Weight>
NodeSpread value_spread(const NodeStats& node, Value&& value, Weight&& weight) {
    const auto mean = static_cast<int64_t>(node.sum / node.weight);
    Wide inside = 0;
    for (int64_t i = 0; i < node.rows; ++i) {
        const Wide away = Wide(value(i)) - mean;
        inside += weight(i) * away * away;
    }
    const auto rest = static_cast<double>(node.sum - Wide(mean) * node.weight);
    return {static_cast<double>(inside) - rest * rest / static_cast<double>(node.weight), 0};
}

}  // namespace silva
