#include "core/search/finders/fair.hpp"

#include <algorithm>
#include <cmath>

#include "core/search/finders/column_search.hpp"

namespace silva {
namespace {

// Calls f(class, weight) for the classes of a level.
template <class F>
void for_classes(const Level& level, GroupLayout layout, const LevelScratch& scratch,
                 size_t n_classes, F&& f) {
    if (layout == GroupLayout::entries) {
        for (int64_t e = level.begin; e < level.end; ++e)
            f(static_cast<size_t>(scratch.entries[e].label), scratch.entries[e].weight);
    } else {
        for (size_t k = 0; k < n_classes; ++k)
            f(k, scratch.level_groups[static_cast<size_t>(level.begin) + k]);
    }
}

template <class F>
void for_groups(const Categories& c, const std::vector<Level>& levels, F&& f) {
    for (const Level& level : levels) f(level);
    if (c.has_missing()) f(c.missing);
    if (c.lone.rows > 0) f(c.lone);
}

// Levels that know the squares of their weights.
Evidence weighted_evidence(const Categories& c, const std::vector<Level>& levels,
                           int64_t node_weight) {
    Wide squares = 0;
    double groups = 0.0;
    for_groups(c, levels, [&](const Level& level) {
        squares += level.squares;
        groups += static_cast<double>(level.squares) / static_cast<double>(level.weight);
    });
    const auto total = static_cast<double>(node_weight);
    const double unit = static_cast<double>(squares) / total;
    return {groups / unit, total / unit};
}

}  // namespace

// Whether the question is chosen by its targets among many, so that its gain is charged. A random
// set is not chosen, and two groups allow one question only.
bool ColumnSearch::is_fitted(const Categories& c) const {
    if (!c.asked.fair || c.n_groups() <= 2) return false;
    return c.asked.form == SplitForm::multiway || !context_.settings.random_splitter;
}

// What a group adds to the spread between groups: the squared imbalance of its classes, or of its
// sum, over its weight. Sums of squares only, so that nothing cancels.
double ColumnSearch::spread_of(const Level& level) const {
    const int64_t total = node_.stats.weight;
    const auto weight = static_cast<double>(level.weight);
    double sum = 0.0;
    if (layout_ == GroupLayout::values) {
        const Wide own = group_sum(scratch_.level.level_groups.data() + level.begin);
        const auto away = static_cast<double>(own * total - node_.stats.sum * level.weight);
        sum = away * away;
    } else {
        Wide absent = spread_->squares;  // squared weights of the classes that the group lacks
        for_classes(level, layout_, scratch_.level, node_.stats.classes.size(),
                    [&](size_t k, int64_t own) {
                        const int64_t all = node_.stats.classes[k];
                        const double away = imbalance(own, total, all, level.weight);
                        sum += away * away;
                        absent -= Wide(all) * all;
                    });
        sum += weight * weight * static_cast<double>(absent);
    }
    return sum / weight;
}

double ColumnSearch::chance_of(const Categories& c) const {
    const Evidence evidence =
        weighted_ ? weighted_evidence(c, scratch_.level.levels, node_.stats.weight)
                  : Evidence{static_cast<double>(c.n_groups()), static_cast<double>(node_.rows())};
    return chance_share(evidence, n_present());
}

Charge ColumnSearch::charge_of(const Categories& c, double chance) const {
    double sum = 0.0;
    for_groups(c, scratch_.level.levels, [&](const Level& level) { sum += spread_of(level); });
    const auto total = static_cast<double>(node_.stats.weight);
    const double most = sum / (total * total * total), impurity = spread_->inside / total;
    return {most, chance * impurity / most, chance * impurity};
}

// No groups explain more than the impurity of the node, less what chance explains.
double ColumnSearch::most_score(double chance) const {
    return spread_->inside / static_cast<double>(node_.stats.weight) * (1 - chance);
}

// Whether no score up to the given one would beat the best candidate so far.
bool ColumnSearch::is_hopeless(double most_score) const {
    const Criterion criterion = context_.settings.criterion;
    if (criterion != Criterion::gini && criterion != Criterion::squared_error) return false;
    if (!best_.exists() || best_.score() <= 0.0) return false;
    return most_score < best_.score() * kSlack;
}

}  // namespace silva
