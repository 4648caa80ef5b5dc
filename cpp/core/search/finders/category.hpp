// Columns of categories: one level against the rest, all levels apart, random questions.
#pragma once

#include <utility>

#include "core/search/finders/group_search.hpp"

namespace silva {

template <class Groups>
void GroupSearch<Groups>::add_level(const Level& level) {
    if constexpr (kEntries) {
        for (int64_t e = level.begin; e < level.end; ++e)
            sweep_.add_class(scratch_.level.entries[e].label, scratch_.level.entries[e].weight);
    } else {
        sweep_.add_group(scratch_.level.level_groups.data() + level.begin);
    }
}

template <class Groups>
void GroupSearch<Groups>::add_followers(const Categories& c) {
    if (c.missing_follow()) add_level(c.missing);
    if (c.lone.rows > 0) add_level(c.lone);
}

template <class Groups>
void GroupSearch<Groups>::ask(const Categories& c) {
    if (c.asked.form == SplitForm::multiway)
        all_apart(c);
    else if (c.drawn)
        random_categories(c);
    else if (c.asked.form == SplitForm::onevsrest)
        one_against_rest(c);
    else
        subsets(c);
}

// The sets of a column are written down once the best one is known.
template <class Groups>
void GroupSearch<Groups>::describe(const Categories& c) {
    if (best_.column != c.column || c.drawn) return;
    if (c.asked.form == SplitForm::subset) describe_subset(c);
}

// Finds the best candidate of the column by its gain alone; then its score meets the others.
template <class Groups>
void GroupSearch<Groups>::ask_fairly(const Categories& c) {
    const double chance = chance_of(c);
    if (is_hopeless(most_score(chance))) return;
    const Charge charge = charge_of(c, chance);
    if (is_hopeless(charge.most_score())) return;
    Candidate outer = std::exchange(best_, Candidate{});
    forget_best();
    ask(c);
    best_.charge = charge.of(best_.gain);
    if (better(best_, outer)) {
        describe(c);
        set_best();
    } else {
        restore_best(std::move(outer));
    }
}

template <class Groups>
void GroupSearch<Groups>::missing_against_rest(const Categories& c) {
    sweep_.clear();
    add_level(c.missing);
    if (sweep_.promising() && consider(c.column, -1, c.missing.rows, false, true, true))
        best_.kind = SplitKind::subset;
}

template <class Groups>
void GroupSearch<Groups>::one_against_rest(const Categories& c) {
    const bool lonely = c.n_known == 1;
    if (c.has_missing() && (!c.apart || (c.own_branch() && lonely))) missing_against_rest(c);
    if (c.apart && lonely) return;
    for (const Level& level : scratch_.level.levels) one_level(c, level);
}

// The level goes right, the others left. Missing values are tried on both sides, or follow the
// heavier one.
template <class Groups>
void GroupSearch<Groups>::one_level(const Categories& c, const Level& level) {
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

template <class Groups>
void GroupSearch<Groups>::random_categories(const Categories& c) {
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
