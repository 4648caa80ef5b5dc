// Sets of categories against the rest: levels in an order, whose prefixes are tried.
// With two classes, or values, the order by share or mean holds the best set of all. With more
// classes: all sets of a few levels; else sets that some orders of the levels suggest, improved
// level by level.
#pragma once

#include <algorithm>
#include <bit>
#include <utility>

#include "core/search/finders/group_search.hpp"

namespace silva {

template <class Groups>
void GroupSearch<Groups>::subsets(const Categories& c) {
    std::vector<Level>& levels = scratch_.level.levels;
    if (c.n_known == 0 || (c.apart && c.n_known == 1)) {
        if (c.has_missing() && !c.missing_follow()) missing_against_rest(c);
    } else {
        if (c.has_missing() && !c.apart) levels.insert(levels.begin(), c.missing);
        const bool few = static_cast<int64_t>(levels.size()) <= kExhaustiveLevels;
        if (context_.target.n_classes > 2 && few)
            all_subsets(c);
        else if (n_present() <= 2)
            ordered_subsets(c);
        else
            likely_subsets(c);
    }
}

template <class Groups>
void GroupSearch<Groups>::ordered_subsets(const Categories& c) {
    order_by_target();
    sweep_order(c, 0);
    if (best_.column == c.column) gather_prefix(best_.position);
}

// Tries the first i levels of scratch_.level.order against the others, at first_position + i.
template <class Groups>
void GroupSearch<Groups>::sweep_order(const Categories& c, int64_t first_position) {
    if (c.own_branch()) return sweep_prefixes_own_branch(c, first_position);
    sweep_prefixes(c, first_position, false);
    if (c.has_followers()) sweep_prefixes(c, first_position, true);
}

// Followers belong to the side that is not listed: a pass without them and a pass with them try
// each prefix once.
template <class Groups>
void GroupSearch<Groups>::sweep_prefixes(const Categories& c, int64_t first_position,
                                         bool with_followers) {
    const LevelScratch& scratch = scratch_.level;
    LevelSet set;  // of the first `counted` levels, brought up to date where a prefix is promising
    size_t counted = 0;
    sweep_.clear();
    if (with_followers) add_followers(c);
    for (size_t i = 0; i + 1 < scratch.order.size(); ++i) {
        add_level(scratch.levels[scratch.order[i]]);
        if (!sweep_.promising()) continue;
        for (; counted <= i; ++counted) add_to_set(c, scratch.levels[scratch.order[counted]], set);
        const bool listed = is_listed(c, set);
        if (c.has_followers() && listed == with_followers) continue;
        consider(c.column, first_position + static_cast<int64_t>(i) + 1,
                 set.rows + (with_followers ? c.follower_rows() : 0), false, c.has_missing(),
                 listed);
    }
}

template <class Groups>
void GroupSearch<Groups>::sweep_prefixes_own_branch(const Categories& c, int64_t first_position) {
    LevelScratch& scratch = scratch_.level;
    scratch.sums.assign(static_cast<size_t>(group_width()), 0);
    LevelSet set;
    for (size_t i = 0; i + 1 < scratch.order.size(); ++i) {
        const Level& level = scratch.levels[scratch.order[i]];
        add_level_to(level, scratch.sums.data());
        add_to_set(c, level, set);
        offer(c, scratch.sums.data(), set, first_position + static_cast<int64_t>(i) + 1);
    }
}

// Takes one set of levels, whose group is given, as a candidate.
template <class Groups>
bool GroupSearch<Groups>::offer(const Categories& c, const int64_t* group, const LevelSet& set,
                                int64_t position) {
    const bool listed = is_listed(c, set);
    if (c.own_branch()) return offer_own_branch(c, group, set.rows, listed, position);
    sweep_.clear();
    sweep_.add_group(group);
    const bool with_followers = c.has_followers() && !listed;
    if (with_followers) add_followers(c);
    return sweep_.promising() &&
           consider(c.column, position, set.rows + (with_followers ? c.follower_rows() : 0), false,
                    c.has_missing(), listed);
}

// Position: the set as a mask of the levels in order of their codes. The last level is never in it,
// because a set and the others are one candidate.
template <class Groups>
void GroupSearch<Groups>::all_subsets(const Categories& c) {
    LevelScratch& scratch = scratch_.level;
    const auto width = static_cast<size_t>(group_width());
    const size_t n_sets = size_t{1} << (scratch.levels.size() - 1);
    scratch.sums.assign(n_sets * width, 0);
    LevelSet sets[size_t{1} << (kExhaustiveLevels - 1)];
    for (size_t mask = 1; mask < n_sets; ++mask) {
        const Level& level = scratch.levels[std::countr_zero(mask)];
        const size_t others = mask & (mask - 1);
        int64_t* sum = scratch.sums.data() + mask * width;
        std::copy_n(scratch.sums.data() + others * width, width, sum);
        add_level_to(level, sum);
        sets[mask] = sets[others];
        add_to_set(c, level, sets[mask]);
        offer(c, sum, sets[mask], static_cast<int64_t>(mask));
    }
    if (best_.column != c.column) return;
    scratch.gathered.assign(scratch.levels.size(), 0);
    for (size_t i = 0; i < scratch.levels.size(); ++i)
        scratch.gathered[i] = (best_.position >> i) & 1;
}

// The best set is looked for without regard to other columns, so that what is found does not depend
// on which columns were searched before.
template <class Groups>
void GroupSearch<Groups>::likely_subsets(const Categories& c) {
    if (!can_be_best(c)) return;
    LevelScratch& scratch = scratch_.level;
    Candidate outer = std::exchange(best_, Candidate{});
    forget_best();
    int64_t position = 0;
    const auto try_order = [&] {
        sweep_order(c, position);
        if (best_.position > position) gather_prefix(best_.position - position);
        position += static_cast<int64_t>(scratch.levels.size());
    };
    order_by_component();
    try_order();
    for (int32_t label : ordered_classes()) {
        order_by_class(label);
        try_order();
    }
    if (best_.exists()) improve_subset(c, position);
    restore_best(better(best_, outer) ? std::move(best_) : std::move(outer));
}

// Levels change sides one by one while that is better.
template <class Groups>
void GroupSearch<Groups>::improve_subset(const Categories& c, int64_t position) {
    LevelScratch& scratch = scratch_.level;
    LevelSet set = sum_gathered(c);
    for (bool improved = true; std::exchange(improved, false);) {
        context_.stop.check();
        for (size_t i = 0; i < scratch.levels.size(); ++i) {
            const int sign = scratch.gathered[i] != 0 ? -1 : 1;
            LevelSet changed = set;
            add_to_set(c, scratch.levels[i], changed, sign);
            if (changed.rows == 0 || changed.weight == c.weight) continue;
            add_level_to(scratch.levels[i], scratch.sums.data(), sign);
            if (offer(c, scratch.sums.data(), changed, ++position)) {
                set = changed;
                scratch.gathered[i] ^= 1;
                improved = true;
            } else {
                add_level_to(scratch.levels[i], scratch.sums.data(), -sign);
            }
        }
    }
}

// A fair coin for each level.
template <class Groups>
void GroupSearch<Groups>::random_subset(const Categories& c) {
    LevelScratch& scratch = scratch_.level;
    std::vector<Level>& levels = scratch.levels;
    const uint64_t hash = draw(c.column);
    if (c.has_missing() && !c.apart) levels.insert(levels.begin(), c.missing);
    scratch.gathered.assign(levels.size(), 0);
    int64_t n_gathered = 0;
    for (size_t i = 0; i < levels.size(); ++i) {
        scratch.gathered[i] = mix(hash, static_cast<uint64_t>(levels[i].code)) & 1;
        n_gathered += scratch.gathered[i];
    }
    if (n_gathered == 0 || n_gathered == static_cast<int64_t>(levels.size())) {
        std::fill(scratch.gathered.begin(), scratch.gathered.end(), uint8_t{0});
        scratch.gathered[hash % levels.size()] = 1;
    }
    const LevelSet set = sum_gathered(c);
    if (offer(c, scratch.sums.data(), set, 0)) describe_subset(c);
}

}  // namespace silva
