// The fair comparison between columns: what a set of levels gains by chance is charged.
//
// A column that tells L groups of rows apart (levels, missing values, lone levels together) in a
// node of n rows explains rho = (L - 2) / (n - 2) of the impurity by chance, beyond what any yes/no
// question does, give or take sigma. Where all groups apart explain the share R2, the column
// competes with gain * (1 - (rho + sigma) / R2).
#pragma once

#include <algorithm>
#include <cmath>

#include "core/finders/node_search.hpp"

namespace silva {

// rho + sigma.
inline double chance_share(int64_t n_groups, int64_t n_rows, int64_t n_classes) {
    const double n = static_cast<double>(n_rows);
    const double rho = static_cast<double>(n_groups - 2) / static_cast<double>(n_rows - 2);
    const double degrees = static_cast<double>(std::max<int64_t>(1, n_classes - 1));
    return rho + std::sqrt(2 * rho * (1 - rho) / ((n + 1) * degrees));
}

// Whether the question is chosen by its targets among many, so that its gain is charged. A random
// set is not chosen, and two groups allow one question only.
template <class Id, class Sweep>
bool NodeSearch<Id, Sweep>::is_fitted(const Categories& c) const {
    if (!c.asked.fair || c.n_groups() <= 2) return false;
    return c.asked.form == SplitForm::multiway || !context_.settings.random_splitter;
}

template <class Id, class Sweep>
NodeSpread NodeSearch<Id, Sweep>::node_spread() const {
    const double total = static_cast<double>(node_.stats.weight);
    if constexpr (kValues) {
        const auto shift = static_cast<int64_t>(node_.stats.sum / node_.stats.weight);
        Wide inside = 0;
        for (int64_t i = node_.begin; i < node_.end; ++i) {
            const Id id = store_.rows[i];
            const Wide away = Wide(store_.q[id]) - shift;
            inside += (store_.weight.empty() ? 1 : store_.weight[id]) * away * away;
        }
        const auto sum = static_cast<double>(node_.stats.sum - Wide(shift) * node_.stats.weight);
        return {sum * sum, static_cast<double>(inside) - sum * sum / total, shift};
    } else {
        Wide squares = 0;
        for (int64_t weight : node_.stats.classes) squares += Wide(weight) * weight;
        const auto sum = static_cast<double>(squares);
        return {sum, total - sum / total};
    }
}

// The sum of the squared class weights of a level, or the square of its sum.
template <class Id, class Sweep>
double NodeSearch<Id, Sweep>::squares(const Level& level, const NodeSpread& node) const {
    if constexpr (kValues) {
        const Wide sum = group_sum(scratch_.level.level_groups.data() + level.begin);
        const auto away = static_cast<double>(sum - Wide(node.shift) * level.weight);
        return away * away;
    } else if constexpr (kEntries) {
        Wide sum = 0;
        for (int64_t e = level.begin; e < level.end; ++e)
            sum += Wide(scratch_.level.entries[e].weight) * scratch_.level.entries[e].weight;
        return static_cast<double>(sum);
    } else {
        const int64_t* group = scratch_.level.level_groups.data() + level.begin;
        return static_cast<double>(Wide(group[0]) * group[0] + Wide(group[1]) * group[1]);
    }
}

template <class Id, class Sweep>
Charge NodeSearch<Id, Sweep>::charge_of(const Categories& c) {
    if (!spread_) spread_ = node_spread();
    double sum = 0.0;
    const auto add = [&](const Level& level) {
        sum += squares(level, *spread_) / static_cast<double>(level.weight);
    };
    for (const Level& level : scratch_.level.levels) add(level);
    if (c.has_missing()) add(c.missing);
    if (c.lone.rows > 0) add(c.lone);
    const double total = static_cast<double>(node_.stats.weight);
    const double between = sum - spread_->squares / total;
    const double chance = chance_share(c.n_groups(), node_.rows(), n_present());
    return {between / total, chance * spread_->inside / between, chance * spread_->inside / total};
}

// Finds the best candidate of the column by its gain alone; then its score meets the others.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::ask_fairly(const Categories& c) {
    const Charge charge = charge_of(c);
    if (is_hopeless(charge)) return;
    Candidate outer = std::exchange(best_, Candidate{});
    forget_best();
    ask(c);
    best_.charge = charge.of(best_.gain);
    restore_best(better(best_, outer) ? std::move(best_) : std::move(outer));
}

// Whether even all groups apart would not beat the best candidate so far.
template <class Id, class Sweep>
bool NodeSearch<Id, Sweep>::is_hopeless(const Charge& charge) const {
    const Criterion criterion = context_.settings.criterion;
    if (criterion != Criterion::gini && criterion != Criterion::squared_error) return false;
    if (!best_.exists() || best_.score() <= 0.0) return false;
    return charge.most * (1 - charge.share) < best_.score() * kSlack;
}

}  // namespace silva
