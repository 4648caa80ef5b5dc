// The fair comparison between columns: what a set of levels gains by chance is charged.
//
// A column that tells L groups of rows apart (levels, missing values, lone levels together) in a
// node of n rows explains rho = (L - 2) / (n - 2) of the impurity by chance, beyond what any yes/no
// question does, give or take sigma. Where all groups apart explain the share R2, the column
// competes with gain * (1 - (rho + sigma) / R2). Where weights differ, L and n are the numbers of
// groups and rows of equal weight that would explain as much by chance: with Q the sum of squared
// weights and W that of weights, n = W / (Q / W) and L = (sum of Q_g / W_g) / (Q / W).
#pragma once

#include <algorithm>
#include <cmath>

#include "core/finders/node_search.hpp"

namespace silva {

// Groups and rows of equal weight.
struct Evidence {
    double groups, rows;
};

// rho + sigma; 1 where each row is a group.
inline double chance_share(const Evidence& evidence, int64_t n_classes) {
    const auto [groups, rows] = evidence;
    if (groups <= 2 || rows <= groups) return groups > 2 ? 1.0 : 0.0;
    const double rho = (groups - 2) / (rows - 2);
    const auto degrees = static_cast<double>(std::max<int64_t>(1, n_classes - 1));
    return rho + std::sqrt(2 * rho * (1 - rho) / ((rows + 1) * degrees));
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

// What a group adds to the spread between groups: the squared imbalance of its classes, or of its
// sum, over its weight. Sums of squares only, so that nothing cancels.
template <class Id, class Sweep>
double NodeSearch<Id, Sweep>::spread_of(const Level& level) const {
    const int64_t total = node_.stats.weight;
    const auto weight = static_cast<double>(level.weight);
    double sum = 0.0;
    if constexpr (kValues) {
        const Wide own = group_sum(scratch_.level.level_groups.data() + level.begin);
        const auto away = static_cast<double>(own * total - node_.stats.sum * level.weight);
        sum = away * away;
    } else {
        Wide absent = spread_->squares;  // squared weights of the classes that the group lacks
        for_classes(level, [&](size_t k, int64_t own) {
            const int64_t all = node_.stats.classes[k];
            const double away = imbalance(own, total, all, level.weight);
            sum += away * away;
            absent -= Wide(all) * all;
        });
        sum += weight * weight * static_cast<double>(absent);
    }
    return sum / weight;
}

template <class Id, class Sweep>
template <class F>
void NodeSearch<Id, Sweep>::for_classes(const Level& level, F&& f) const {
    if constexpr (kEntries) {
        for (int64_t e = level.begin; e < level.end; ++e)
            f(static_cast<size_t>(scratch_.level.entries[e].label),
              scratch_.level.entries[e].weight);
    } else {
        for (size_t k = 0; k < node_.stats.classes.size(); ++k)
            f(k, scratch_.level.level_groups[static_cast<size_t>(level.begin) + k]);
    }
}

template <class Id, class Sweep>
template <class F>
void NodeSearch<Id, Sweep>::for_groups(const Categories& c, F&& f) const {
    for (const Level& level : scratch_.level.levels) f(level);
    if (c.has_missing()) f(c.missing);
    if (c.lone.rows > 0) f(c.lone);
}

template <class Id, class Sweep>
Evidence NodeSearch<Id, Sweep>::evidence_of(const Categories& c) const {
    if (store_.weight.empty())
        return {static_cast<double>(c.n_groups()), static_cast<double>(node_.rows())};
    Wide squares = 0;
    double groups = 0.0;
    for_groups(c, [&](const Level& level) {
        squares += level.squares;
        groups += static_cast<double>(level.squares) / static_cast<double>(level.weight);
    });
    const auto total = static_cast<double>(node_.stats.weight);
    const double unit = static_cast<double>(squares) / total;
    return {groups / unit, total / unit};
}

template <class Id, class Sweep>
Charge NodeSearch<Id, Sweep>::charge_of(const Categories& c) {
    if (!spread_) spread_ = node_spread();
    double sum = 0.0;
    for_groups(c, [&](const Level& level) { sum += spread_of(level); });
    const auto total = static_cast<double>(node_.stats.weight);
    const double most = sum / (total * total * total), impurity = spread_->inside / total;
    const double chance = chance_share(evidence_of(c), n_present());
    return {most, chance * impurity / most, chance * impurity};
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
