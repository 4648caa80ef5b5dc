// Finder for columns of categories: rows are counted by code, only occupied codes are visited.
// Here: the counting, one level against the rest, all levels apart, random questions.
#pragma once

#include <algorithm>
#include <map>
#include <utility>

#include "core/finders/node_search.hpp"

namespace silva {

// ---- counting ----------------------------------------------------------------------------------

// The code of a level from its place in the table of counts: missing and lone come last.
inline int32_t level_code(int32_t slot, int32_t n_codes) {
    return slot < n_codes ? slot : slot == n_codes ? kMissingLevel : kLoneLevel;
}

// Lists the occupied codes in ascending order and counts their rows and groups.
template <class Id, class Sweep>
template <class Code>
void NodeSearch<Id, Sweep>::count_levels(const Code* codes, int32_t n_codes) {
    LevelScratch& scratch = scratch_.level;
    const auto slots = static_cast<size_t>(n_codes) + 2;
    const auto width = static_cast<size_t>(group_width());
    if (scratch.rows.size() < slots) scratch.rows.resize(slots, 0);
    if (scratch.groups.size() < slots * width) scratch.groups.resize(slots * width, 0);
    const bool weighted = !store_.weight.empty();
    if (weighted && scratch.squares.size() < slots) scratch.squares.resize(slots, 0);
    const bool scan = node_.rows() >= n_codes / 4;
    for (int64_t i = node_.begin; i < node_.end; ++i) {
        const Id id = store_.rows[i];
        const auto code = static_cast<int32_t>(codes[id]);
        if (scratch.rows[code]++ == 0 && !scan) scratch.occupied.push_back(code);
        sweep_.count(id, scratch.groups.data() + static_cast<size_t>(code) * width);
        if (weighted) scratch.squares[code] += Wide(store_.weight[id]) * store_.weight[id];
    }
    if (!scan) {
        std::sort(scratch.occupied.begin(), scratch.occupied.end());
        return;
    }
    for (int32_t code = 0; code <= n_codes + 1; ++code)
        if (scratch.rows[code] > 0) scratch.occupied.push_back(code);
}

// Adds the level of an occupied code; leaves what was counted for it zero.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::take_level(int32_t code, int32_t slot) {
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
        level.weight = kValues ? group[0] : level.rows;
        for (int64_t k = 0; k < group_width(); ++k)
            scratch.level_groups.push_back(std::exchange(group[k], 0));
    }
}

// Two classes of unit weight: one addition a row.
template <class Id, class Sweep>
template <class Code>
void NodeSearch<Id, Sweep>::count_two_classes(const Code* codes, int32_t n_codes) {
    LevelScratch& scratch = scratch_.level;
    if (scratch.cells.size() < static_cast<size_t>(n_codes) + 2)
        scratch.cells.resize(static_cast<size_t>(n_codes) + 2, 0);
    uint64_t* cells = scratch.cells.data();
    const uint8_t* label = store_.label8.data();
    const Id* rows = store_.rows.data() + node_.begin;
    const int64_t n = node_.rows();
    const auto take = [&](int32_t slot) {
        const uint64_t cell = std::exchange(cells[slot], 0);
        if (cell == 0) return;
        const auto all = static_cast<int32_t>(cell), ones = static_cast<int32_t>(cell >> 32);
        scratch.levels.emplace_back(level_code(slot, n_codes), all, all,
                                    static_cast<int32_t>(scratch.level_groups.size()), 0);
        scratch.level_groups.push_back(all - ones);
        scratch.level_groups.push_back(ones);
    };
    if (n >= n_codes / 4) {
        for (int64_t i = 0; i < n; ++i)
            cells[codes[rows[i]]] += 1 + (static_cast<uint64_t>(label[rows[i]]) << 32);
        for (int32_t slot = 0; slot <= n_codes + 1; ++slot) take(slot);
        return;
    }
    for (int64_t i = 0; i < n; ++i) {
        const auto slot = static_cast<int32_t>(codes[rows[i]]);
        if (cells[slot] == 0) scratch.occupied.push_back(slot);
        cells[slot] += 1 + (static_cast<uint64_t>(label[rows[i]]) << 32);
    }
    std::sort(scratch.occupied.begin(), scratch.occupied.end());
    for (int32_t slot : scratch.occupied) take(slot);
}

// The same levels where there are too many codes and classes for a table of them.
template <class Id, class Sweep>
template <class Code>
void NodeSearch<Id, Sweep>::sort_into_entries(const Code* codes, int32_t n_codes) {
    LevelScratch& scratch = scratch_.level;
    std::vector<std::pair<uint64_t, int64_t>> cells;
    cells.reserve(static_cast<size_t>(node_.rows()));
    for (int64_t i = node_.begin; i < node_.end; ++i) {
        const Id id = store_.rows[i];
        const auto label = static_cast<uint64_t>(target_of(id));
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
template <class Id, class Sweep>
template <class Code>
Absent NodeSearch<Id, Sweep>::list_levels(const Code* codes, int32_t n_codes) {
    LevelScratch& scratch = scratch_.level;
    scratch.levels.clear();
    scratch.entries.clear();
    scratch.level_groups.clear();
    scratch.occupied.clear();
    if constexpr (kTwoClasses) {
        count_two_classes(codes, n_codes);
    } else if (kEntries && ((int64_t{n_codes} + 2) * group_width() > kDenseCells ||
                            group_width() > kDenseClasses)) {
        sort_into_entries(codes, n_codes);
    } else {
        count_levels(codes, n_codes);
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

template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::add_level(const Level& level) {
    if constexpr (kEntries) {
        for (int64_t e = level.begin; e < level.end; ++e)
            sweep_.add_class(scratch_.level.entries[e].label, scratch_.level.entries[e].weight);
    } else {
        sweep_.add_group(scratch_.level.level_groups.data() + level.begin);
    }
}

template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::add_level_to(const Level& level, int64_t* group, int sign) const {
    if constexpr (kEntries) {
        for (int64_t e = level.begin; e < level.end; ++e)
            group[scratch_.level.entries[e].label] += sign * scratch_.level.entries[e].weight;
    } else {
        merge(group, scratch_.level.level_groups.data() + level.begin, sign);
    }
}

// Adds the rows of one level to another.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::join(Level& to, const Level& from) {
    LevelScratch& scratch = scratch_.level;
    to.rows += from.rows;
    to.weight += from.weight;
    to.squares += from.squares;
    if constexpr (kEntries) {
        std::map<int32_t, int64_t> weights;
        for (const Level& level : {to, from})
            for (int64_t e = level.begin; e < level.end; ++e)
                weights[scratch.entries[e].label] += scratch.entries[e].weight;
        to.begin = static_cast<int32_t>(scratch.entries.size());
        for (const auto& [label, weight] : weights) scratch.entries.push_back({label, weight});
        to.end = static_cast<int32_t>(scratch.entries.size());
    } else {
        merge(scratch.level_groups.data() + to.begin, scratch.level_groups.data() + from.begin, 1);
    }
}

template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::add_followers(const Categories& c) {
    if (c.missing_follow()) add_level(c.missing);
    if (c.lone.rows > 0) add_level(c.lone);
}

// ---- what is asked -----------------------------------------------------------------------------

template <class Id, class Sweep>
bool NodeSearch<Id, Sweep>::categories(int32_t column) {
    const int32_t n_codes = context_.forms[column].n_codes;
    LevelScratch& scratch = scratch_.level;
    const Array<uint16_t>& codes = store_.level16[column];
    auto [missing, lone] = codes.empty() ? list_levels(store_.level32[column].data(), n_codes)
                                         : list_levels(codes.data(), n_codes);
    const ColumnSettings asked = context_.settings.column(column);
    if (missing.rows > 0 && lone.rows > 0 && asked.lone_follow_missing())
        join(missing, std::exchange(lone, Level{}));
    const auto n_known = static_cast<int64_t>(scratch.levels.size());
    const bool lone_against_missing = lone.rows > 0 && missing.rows > 0;
    if (n_known + (missing.rows > 0 ? 1 : 0) < 2 && !lone_against_missing) return false;
    const bool apart = missing.rows > 0 && asked.missing != Fallback::learn;
    const int64_t weight = node_.stats.weight - lone.weight - (apart ? missing.weight : 0);
    const int32_t lowest = n_known > 0 ? scratch.levels[0].code : 0;
    const Categories c{column, asked, missing, lone, apart, n_known, lowest, weight};
    if (is_fitted(c))
        ask_fairly(c);
    else
        ask(c);
    return true;
}

template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::ask(const Categories& c) {
    if (c.asked.form == SplitForm::multiway)
        all_apart(c);
    else if (context_.settings.random_splitter)
        random_categories(c);
    else if (c.asked.form == SplitForm::onevsrest)
        one_against_rest(c);
    else
        subsets(c);
}

template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::missing_against_rest(const Categories& c) {
    sweep_.clear();
    add_level(c.missing);
    if (sweep_.promising() && consider(c.column, -1, c.missing.rows, false, true, true))
        best_.kind = SplitKind::subset;
}

template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::one_against_rest(const Categories& c) {
    const bool lonely = c.n_known == 1;
    if (c.has_missing() && (!c.apart || (c.own_branch() && lonely))) missing_against_rest(c);
    if (c.apart && lonely) return;
    for (const Level& level : scratch_.level.levels) one_level(c, level);
}

// The level goes right, the others left. Missing values are tried on both sides, or follow the
// heavier one.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::one_level(const Categories& c, const Level& level) {
    if (c.own_branch()) {
        scratch_.level.sums.assign(static_cast<size_t>(group_width()), 0);
        add_level_to(level, scratch_.level.sums.data());
        if (offer_own_branch(c, scratch_.level.sums.data(), level.rows, true, level.code))
            best_.kind = SplitKind::subset;
        return;
    }
    const bool joins = 2 * level.weight > c.weight;
    sweep_.clear();
    add_level(level);
    bool is_best = false;
    if ((!c.apart || !joins) && sweep_.promising())
        is_best =
            consider(c.column, level.code, level.rows, c.has_missing(), c.has_missing(), true);
    if (c.apart ? joins : c.has_missing() && c.n_known > 1) {
        add_level(c.missing);
        if (sweep_.promising())
            is_best |=
                consider(c.column, level.code, level.rows + c.missing.rows, false, true, true);
    }
    if (is_best) best_.kind = SplitKind::subset;
}

// The set of levels whose group is given against the other levels, missing values apart.
template <class Id, class Sweep>
bool NodeSearch<Id, Sweep>::offer_own_branch(const Categories& c, const int64_t* group,
                                             int64_t rows, bool listed, int64_t position) {
    int64_t* rest = child_groups(3);
    int64_t* list = rest + group_width();
    int64_t* absent = list + group_width();
    add_level_to(c.missing, absent);
    int64_t list_rows = rows;
    if (listed) {
        merge(list, group, 1);
    } else {
        add_node_to(list);
        for (const int64_t* other : {static_cast<const int64_t*>(absent), group})
            merge(list, other, -1);
        if (c.lone.rows > 0) add_level_to(c.lone, list, -1);
        list_rows = node_.rows() - rows - c.missing.rows - c.lone.rows;
    }
    add_node_to(rest);
    for (const int64_t* other : {absent, list}) merge(rest, other, -1);
    const int64_t rest_rows = node_.rows() - list_rows - c.missing.rows;
    const ChildGroup children[] = {{rest, rest_rows}, {list, list_rows}, {absent, c.missing.rows}};
    return consider_own_branch(c.column, position, children);
}

// A child for each level, in order of their codes. Missing values join the heaviest one or are the
// last child; lone levels join the heaviest child of all.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::all_apart(const Categories& c) {
    const bool own_branch = c.has_missing() && (!c.apart || c.own_branch());
    const bool joins = c.has_missing() && !own_branch;
    const std::vector<Level>& levels = scratch_.level.levels;
    if (c.n_known + (own_branch ? 1 : 0) < 2) return;
    size_t heaviest = 0;
    for (size_t i = 1; i < levels.size(); ++i)
        if (levels[i].weight > levels[heaviest].weight) heaviest = i;
    ChildrenGain gain(context_.settings.criterion, node_.stats);
    int64_t n_large = 0;
    const bool missing_heaviest = own_branch && c.missing.weight > levels[heaviest].weight;
    const size_t lone_child = missing_heaviest ? levels.size() : heaviest;
    const auto add_child = [&](const Level& level, size_t i) {
        int64_t* group = child_groups(1);
        int64_t rows = 0;
        const auto take = [&](const Level& part) {
            add_level_to(part, group);
            rows += part.rows;
        };
        take(level);
        if (joins && i == heaviest) take(c.missing);
        if (c.lone.rows > 0 && i == lone_child) take(c.lone);
        gain.add(group);
        n_large += is_large(rows, gain.weight_of(group)) ? 1 : 0;
    };
    for (size_t i = 0; i < levels.size(); ++i) add_child(levels[i], i);
    if (own_branch) add_child(c.missing, levels.size());
    Candidate candidate;
    candidate.gain = gain.gain();
    if (n_large < 2 || candidate.gain < 0.0) return;
    candidate.lighter = gain.lightest();
    candidate.split_info = gain.split_info();
    candidate.column = c.column;
    candidate.kind = SplitKind::multiway;
    candidate.position = static_cast<int64_t>(heaviest);
    candidate.lone_child = static_cast<int32_t>(lone_child);
    candidate.missing_chosen = c.has_missing();
    candidate.own_branch = own_branch;
    if (!keep_if_better(std::move(candidate))) return;
    SplitDetail detail;
    for (const Level& level : levels) detail.codes.push_back(level.code);
    best_.detail = std::make_shared<const SplitDetail>(std::move(detail));
}

template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::random_categories(const Categories& c) {
    if (c.n_known < 2) {
        if (c.has_missing() && !c.missing_follow()) missing_against_rest(c);
        if (best_.column == c.column && c.asked.form == SplitForm::subset) describe_subset(c);
        return;
    }
    if (c.asked.form == SplitForm::subset) return random_subset(c);
    const uint64_t hash = draw(c.column);
    const Level& level = scratch_.level.levels[hash % scratch_.level.levels.size()];
    if (c.apart || !c.has_missing()) return one_level(c, level);
    const bool missing_left = (mix(hash) & 1) != 0;
    sweep_.clear();
    add_level(level);
    if (!missing_left) add_level(c.missing);
    if (consider(c.column, level.code, level.rows + (missing_left ? 0 : c.missing.rows),
                 missing_left, true, true))
        best_.kind = SplitKind::subset;
}

}  // namespace silva
