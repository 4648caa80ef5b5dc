// Finder for sets of categories against the rest: levels in an order, whose prefixes are tried.
// With two classes, or values, the order by share or mean holds the best set of all.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/finders/node_search.hpp"
#include "core/finders/short_keys.hpp"

namespace silva {

template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::add_to_set(const Categories& c, const Level& level, LevelSet& set,
                                       int sign) const {
    set.rows += sign * level.rows;
    set.weight += sign * level.weight;
    if (level.code < 0) return;
    set.known += sign;
    if (level.code == c.lowest) set.has_lowest = sign > 0;
}

// Whether a set is the side that a split lists, its child 1: the lighter one, of equals the one
// without the lowest code; missing values if they are alone.
template <class Id, class Sweep>
bool NodeSearch<Id, Sweep>::is_listed(const Categories& c, const LevelSet& set) const {
    if (set.known == 0 || set.known == c.n_known) return set.known == 0;
    const int64_t rest = c.weight - set.weight;
    return set.weight != rest ? set.weight < rest : !set.has_lowest;
}

template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::subsets(const Categories& c) {
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
    if (best_.column == c.column) describe_subset(c);
}

template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::ordered_subsets(const Categories& c) {
    order_by_target();
    sweep_order(c, 0);
    if (best_.column == c.column) gather_prefix(best_.position);
}

// ---- orders ------------------------------------------------------------------------------------

// By the share of the second class that is present, or by the mean.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::order_by_target() {
    LevelScratch& scratch = scratch_.level;
    if constexpr (kEntries) {
        const auto& classes = node_.stats.classes;
        const auto last = std::find_if(classes.rbegin(), classes.rend(),
                                       [](int64_t weight) { return weight > 0; });
        order_by_class(static_cast<int32_t>(classes.rend() - last) - 1);
    } else if constexpr (kValues) {
        scratch.keys.clear();
        for (size_t i = 0; i < scratch.levels.size(); ++i) {
            const Level& level = scratch.levels[i];
            const Wide sum = group_sum(scratch.level_groups.data() + level.begin);
            scratch.keys.emplace_back(static_cast<double>(sum) / static_cast<double>(level.weight),
                                      sum, level.weight, static_cast<int32_t>(i));
        }
        order_exactly();
    } else {
        scratch.numerators.clear();
        for (const Level& level : scratch.levels)
            scratch.numerators.push_back(scratch.level_groups[level.begin + 1]);
        order_by_share();
    }
}

// By numerator / weight.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::order_by_share() {
    if (order_by_short_share()) return;
    LevelScratch& scratch = scratch_.level;
    scratch.keys.clear();
    for (size_t i = 0; i < scratch.levels.size(); ++i) {
        const int64_t numerator = scratch.numerators[i], weight = scratch.levels[i].weight;
        scratch.keys.emplace_back(static_cast<double>(numerator) / static_cast<double>(weight),
                                  numerator, weight, static_cast<int32_t>(i));
    }
    order_exactly();
}

// Shares a / b with b below 2^(bits / 2) differ by more than 2^-bits, so their first bits say all
// about their order. False when those are too many.
template <class Id, class Sweep>
bool NodeSearch<Id, Sweep>::order_by_short_share() {
    LevelScratch& scratch = scratch_.level;
    int64_t most = 0;
    for (const Level& level : scratch.levels) most = std::max(most, level.weight);
    const int bits = 2 * std::bit_width(static_cast<uint64_t>(most));
    if (bits > 31) return false;
    const double scale = std::ldexp(1.0, bits);
    scratch.short_keys.resize(scratch.levels.size());
    for (size_t i = 0; i < scratch.levels.size(); ++i) {
        const double share = static_cast<double>(scratch.numerators[i]) * scale /
                             static_cast<double>(scratch.levels[i].weight);
        scratch.short_keys[i] = static_cast<uint64_t>(share) << 32 | i;
    }
    sort_short_keys(scratch.short_keys, scratch.other_keys, bits + 1);
    scratch.order.resize(scratch.levels.size());
    for (size_t i = 0; i < scratch.levels.size(); ++i)
        scratch.order[i] = static_cast<int32_t>(scratch.short_keys[i]);
    return true;
}

// Sorts the keys, compared exactly; equals in order of their codes.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::order_exactly() {
    LevelScratch& scratch = scratch_.level;
    context_.stop.check();
    std::sort(scratch.keys.begin(), scratch.keys.end(), [](const OrderKey& a, const OrderKey& b) {
        const double apart = std::fabs(a.approximate - b.approximate);
        if (apart > 1e-14 * (std::fabs(a.approximate) + std::fabs(b.approximate)))
            return a.approximate < b.approximate;
        const Wide x = a.numerator * b.denominator, y = b.numerator * a.denominator;
        return x != y ? x < y : a.index < b.index;
    });
    scratch.order.clear();
    for (const OrderKey& key : scratch.keys) scratch.order.push_back(key.index);
}

// ---- prefixes ----------------------------------------------------------------------------------

// Tries the first i levels of scratch_.level.order against the others, at first_position + i.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::sweep_order(const Categories& c, int64_t first_position) {
    if (c.own_branch()) return sweep_prefixes_own_branch(c, first_position);
    sweep_prefixes(c, first_position, false);
    if (c.has_followers()) sweep_prefixes(c, first_position, true);
}

// Followers belong to the side that is not listed: a pass without them and a pass with them try
// each prefix once.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::sweep_prefixes(const Categories& c, int64_t first_position,
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

template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::sweep_prefixes_own_branch(const Categories& c, int64_t first_position) {
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
template <class Id, class Sweep>
bool NodeSearch<Id, Sweep>::offer(const Categories& c, const int64_t* group, const LevelSet& set,
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

// ---- the chosen set ----------------------------------------------------------------------------

template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::gather_prefix(int64_t length) {
    LevelScratch& scratch = scratch_.level;
    scratch.gathered.assign(scratch.levels.size(), 0);
    for (int64_t i = 0; i < length; ++i) scratch.gathered[scratch.order[i]] = 1;
}

// Writes down the sides of the column's best candidate, whose levels are marked in `gathered`.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::describe_subset(const Categories& c) {
    LevelScratch& scratch = scratch_.level;
    best_.kind = SplitKind::subset;
    if (best_.position < 0) scratch.gathered.assign(scratch.levels.size(), 0);
    LevelSet set;
    for (size_t i = 0; i < scratch.levels.size(); ++i)
        if (scratch.gathered[i] != 0) add_to_set(c, scratch.levels[i], set);
    const bool listed = best_.position >= 0 && is_listed(c, set);
    const bool keeps_rest = c.asked.unseen != Fallback::majority;
    SplitDetail detail;
    best_.missing_left = best_.position >= 0 && c.apart && !best_.own_branch;
    for (size_t i = 0; i < scratch.levels.size(); ++i) {
        const bool in_codes = best_.position >= 0 && (scratch.gathered[i] != 0) == listed;
        if (scratch.levels[i].code < 0)
            best_.missing_left = !in_codes;
        else if (in_codes)
            detail.codes.push_back(scratch.levels[i].code);
        else if (keeps_rest)
            detail.rest.push_back(scratch.levels[i].code);
    }
    best_.detail = std::make_shared<const SplitDetail>(std::move(detail));
}

// A fair coin for each level.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::random_subset(const Categories& c) {
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
    scratch.sums.assign(static_cast<size_t>(group_width()), 0);
    LevelSet set;
    for (size_t i = 0; i < levels.size(); ++i) {
        if (scratch.gathered[i] == 0) continue;
        add_level_to(levels[i], scratch.sums.data());
        add_to_set(c, levels[i], set);
    }
    if (offer(c, scratch.sums.data(), set, 0)) describe_subset(c);
}

}  // namespace silva
