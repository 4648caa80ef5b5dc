#include "core/search/finders/row_counts.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace silva {
namespace {

// The code of a level from its place in the table of counts: missing and lone come last.
int32_t level_code(int32_t slot, int32_t n_codes) {
    return slot < n_codes ? slot : slot == n_codes ? kMissingLevel : kLoneLevel;
}

}  // namespace

// Fills the groups of the codes that occur, and lists those codes (missing excluded).
template <class Id, class Counter>
void RowCounts<Id, Counter>::count_codes(const uint8_t* codes, int missing_code) {
    scratch_.groups.resize(kMaxCodes * group_width(), 0);
    scratch_.group_rows.resize(kMaxCodes, 0);
    const Counter counter = counter_;  // copies that live in registers
    const Id* rows = store_.rows.data();
    int64_t* const groups = scratch_.groups.data();
    int64_t* const group_rows = scratch_.group_rows.data();
    const int64_t width = group_width();
    for (int64_t i = node_.begin, end = node_.end; i < end; ++i) {
        const Id id = rows[i];
        const uint8_t code = codes[id];
        ++group_rows[code];
        counter.count(id, groups + code * width);
    }
    scratch_.occupied.clear();
    for (int code = 0; code < missing_code; ++code)
        if (scratch_.group_rows[code] > 0) scratch_.occupied.push_back(code);
}

// Tells for each occupied code whether a threshold below it is allowed: not between two
// neighbouring values whose rows all have one and the same target.
template <class Id, class Counter>
void RowCounts<Id, Counter>::mark_breakpoints(const uint8_t* codes,
                                              const std::vector<int>& occupied) {
    scratch_.pure_targets.resize(kMaxCodes);
    scratch_.breakpoint.assign(kMaxCodes, 2);  // 2: no row seen, 1: mixed targets, 0: one target
    for (int64_t i = node_.begin; i < node_.end; ++i) {
        const Id id = store_.rows[i];
        uint8_t& state = scratch_.breakpoint[codes[id]];
        if (state == 2) scratch_.pure_targets[codes[id]] = counter_.target(id);
        state = state == 1 || scratch_.pure_targets[codes[id]] != counter_.target(id) ? 1 : 0;
    }
    for (size_t i = occupied.size(); i-- > 1;) {
        const int below = occupied[i - 1], code = occupied[i];
        if (scratch_.breakpoint[below] != 0 ||
            scratch_.pure_targets[below] != scratch_.pure_targets[code])
            scratch_.breakpoint[code] = 1;
    }
}

template <class Id, class Counter>
void RowCounts<Id, Counter>::count_bits(const uint64_t* words, uint64_t wanted) {
    scratch_.bit_groups.assign(64 * group_width(), 0);
    scratch_.bit_rows.assign(64, 0);
    for (int64_t i = node_.begin; i < node_.end; ++i) {
        const Id id = store_.rows[i];
        for (uint64_t word = words[id] & wanted; word != 0; word &= word - 1) {
            const int bit = std::countr_zero(word);
            ++scratch_.bit_rows[bit];
            counter_.count(id, scratch_.bit_groups.data() + bit * group_width());
        }
    }
}

// Lists the occupied codes in ascending order and counts their rows and groups. The rows of two
// classes of unit weight are known by their groups.
template <class Id, class Counter>
template <class Code>
void RowCounts<Id, Counter>::count_levels(const Code* codes, int32_t n_codes) {
    LevelScratch& scratch = scratch_.level;
    const auto slots = static_cast<size_t>(n_codes) + 2;
    const auto width = static_cast<size_t>(group_width());
    if (scratch.rows.size() < slots) scratch.rows.resize(slots, 0);
    if (scratch.groups.size() < slots * width) scratch.groups.resize(slots * width, 0);
    const bool weighted = !store_.weight.empty(), scan = node_.rows() >= n_codes / 4;
    if (weighted && scratch.squares.size() < slots) scratch.squares.resize(slots, 0);
    const Counter counter = counter_;  // copies that live in registers
    const Id *begin = store_.rows.data() + node_.begin, *end = begin + node_.rows();
    int64_t* const groups = scratch.groups.data();
    int32_t* const rows = scratch.rows.data();
    for (const Id* id = begin; id != end; ++id) counter.count(*id, groups + codes[*id] * width);
    if (kTwoClasses && !weighted && scan) {
        for (size_t slot = 0; slot < slots; ++slot) {
            rows[slot] = static_cast<int32_t>(groups[2 * slot] + groups[2 * slot + 1]);
            if (rows[slot] > 0) scratch.occupied.push_back(static_cast<int32_t>(slot));
        }
        return;
    }
    for (const Id* id = begin; id != end; ++id)
        if (rows[codes[*id]]++ == 0 && !scan)
            scratch.occupied.push_back(static_cast<int32_t>(codes[*id]));
    if (weighted)
        for (const Id* id = begin; id != end; ++id)
            scratch.squares[codes[*id]] += Wide(store_.weight[*id]) * store_.weight[*id];
    if (!scan) {
        std::sort(scratch.occupied.begin(), scratch.occupied.end());
        return;
    }
    for (int32_t code = 0; code <= n_codes + 1; ++code)
        if (rows[code] > 0) scratch.occupied.push_back(code);
}

// Adds the level of an occupied code; leaves what was counted for it zero.
template <class Id, class Counter>
void RowCounts<Id, Counter>::take_level(int32_t code, int32_t slot) {
    LevelScratch& scratch = scratch_.level;
    Level& level = scratch.levels.emplace_back();
    level.code = code;
    level.rows = std::exchange(scratch.rows[slot], 0);
    if (!store_.weight.empty()) level.squares = std::exchange(scratch.squares[slot], 0);
    int64_t* group = scratch.groups.data() + slot * group_width();
    if constexpr (kEntries) {
        level.begin = static_cast<int32_t>(scratch.entries.size());
        for (int32_t k = 0; k < group_width(); ++k) {
            if (group[k] == 0) continue;
            level.weight += group[k];
            scratch.entries.emplace_back(k, std::exchange(group[k], 0));
        }
        level.end = static_cast<int32_t>(scratch.entries.size());
    } else {
        level.begin = static_cast<int32_t>(scratch.level_groups.size());
        level.weight = kValues ? group[0] : group[0] + group[1];
        for (int64_t k = 0; k < group_width(); ++k)
            scratch.level_groups.push_back(std::exchange(group[k], 0));
    }
}

// The same levels where there are too many codes and classes for a table of them.
template <class Id, class Counter>
template <class Code>
void RowCounts<Id, Counter>::sort_into_entries(const Code* codes, int32_t n_codes) {
    LevelScratch& scratch = scratch_.level;
    std::vector<std::pair<uint64_t, int64_t>> cells;
    cells.reserve(static_cast<size_t>(node_.rows()));
    for (int64_t i = node_.begin; i < node_.end; ++i) {
        const Id id = store_.rows[i];
        const auto label = static_cast<uint64_t>(counter_.target(id));
        const int64_t weight = store_.weight.empty() ? 1 : store_.weight[id];
        cells.push_back({static_cast<uint64_t>(codes[id]) << 32 | label, weight});
    }
    context_.stop.check();
    std::sort(cells.begin(), cells.end());
    for (size_t i = 0; i < cells.size(); ++i) {
        const int32_t code = level_code(static_cast<int32_t>(cells[i].first >> 32), n_codes);
        const auto at = static_cast<int32_t>(scratch.entries.size());
        if (i == 0 || cells[i].first >> 32 != cells[i - 1].first >> 32)
            scratch.levels.push_back({code, 0, 0, at, at});
        Level& level = scratch.levels.back();
        if (level.end > level.begin && cells[i].first == cells[i - 1].first) {
            scratch.entries.back().weight += cells[i].second;
        } else {
            scratch.entries.push_back({static_cast<int32_t>(cells[i].first), cells[i].second});
            ++level.end;
        }
        ++level.rows;
        level.weight += cells[i].second;
        level.squares += Wide(cells[i].second) * cells[i].second;
    }
}

// Fills scratch_.level.levels with the known levels and returns what has none.
template <class Id, class Counter>
Absent RowCounts<Id, Counter>::list_levels(int32_t column) {
    const int32_t n_codes = context_.forms[column].n_codes;
    LevelScratch& scratch = scratch_.level;
    scratch.levels.clear();
    scratch.entries.clear();
    scratch.level_groups.clear();
    scratch.occupied.clear();
    if (kEntries &&
        ((int64_t{n_codes} + 2) * group_width() > kDenseCells || group_width() > kDenseClasses)) {
        store_.with_levels(column, [&](const auto* codes) { sort_into_entries(codes, n_codes); });
    } else {
        store_.with_levels(column, [&](const auto* codes) { count_levels(codes, n_codes); });
        for (int32_t slot : scratch.occupied) take_level(level_code(slot, n_codes), slot);
    }
    Absent absent;
    const auto take_last = [&](int32_t code, Level& level) {
        if (scratch.levels.empty() || scratch.levels.back().code != code) return;
        level = scratch.levels.back();
        scratch.levels.pop_back();
    };
    take_last(kLoneLevel, absent.lone);
    take_last(kMissingLevel, absent.missing);
    return absent;
}

template <class Id, class Counter>
NodeSpread RowCounts<Id, Counter>::node_spread() const {
    const int64_t total = node_.stats.weight;
    if constexpr (kValues) {
        const auto mean = static_cast<int64_t>(node_.stats.sum / total);
        Wide inside = 0;
        for (int64_t i = node_.begin; i < node_.end; ++i) {
            const Id id = store_.rows[i];
            const Wide away = Wide(store_.q[id]) - mean;
            inside += (store_.weight.empty() ? 1 : store_.weight[id]) * away * away;
        }
        const auto rest = static_cast<double>(node_.stats.sum - Wide(mean) * total);
        const double variance =
            static_cast<double>(inside) - rest * rest / static_cast<double>(total);
        return {variance, 0};
    } else {
        Wide squares = 0;
        for (int64_t weight : node_.stats.classes) squares += Wide(weight) * weight;
        const auto impurity = static_cast<double>(Wide(total) * total - squares);
        return {impurity / static_cast<double>(total), squares};
    }
}

// A copy of the list in which values are new only where the target changes: not between two
// neighbouring values whose rows all have one and the same target.
template <class Id, class Counter>
const Id* RowCounts<Id, Counter>::at_breakpoints(const Id* list, int64_t n_known) {
    std::vector<Id>& copy = std::get<std::vector<Id>>(scratch_.list);
    copy.assign(list, list + n_known);
    bool pure_before = false;
    int64_t target_before = 0;
    for (int64_t begin = 0, end; begin < n_known; begin = end) {
        const int64_t target = counter_.target(list[begin] & kIdMask);
        bool pure = true;
        for (end = begin + 1; end < n_known && (list[end] & kNew) == 0; ++end)
            pure &= counter_.target(list[end] & kIdMask) == target;
        if (begin > 0 && pure && pure_before && target == target_before) copy[begin] &= kIdMask;
        pure_before = pure;
        target_before = target;
    }
    return copy.data();
}

#define SILVA_INSTANTIATE(Id)                                             \
    template class RowCounts<Id, ClassCounter<Id, GroupLayout::classes>>; \
    template class RowCounts<Id, ClassCounter<Id, GroupLayout::entries>>; \
    template class RowCounts<Id, ValueCounter>;
SILVA_INSTANTIATE(uint16_t)
SILVA_INSTANTIATE(uint32_t)
#undef SILVA_INSTANTIATE

}  // namespace silva
