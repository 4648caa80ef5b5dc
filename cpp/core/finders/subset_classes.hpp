// Sets of categories where there are more than two classes: all sets of a few levels; else sets
// that some orders of the levels suggest, improved level by level.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/finders/node_search.hpp"

namespace silva {

// Position: the set as a mask of the levels in order of their codes. The last level is never in it,
// because a set and the others are one candidate.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::all_subsets(const Categories& c) {
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
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::likely_subsets(const Categories& c) {
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

// No set of levels gains more than all levels apart: the criteria of classes are concave.
template <class Id, class Sweep>
bool NodeSearch<Id, Sweep>::can_be_best(const Categories& c) {
    if (!best_.exists()) return true;
    ChildrenGain apart(context_.settings.criterion, node_.stats);
    const auto add = [&](const Level& level) {
        int64_t* group = child_groups(1);
        add_level_to(level, group);
        apart.add(group);
    };
    for (const Level& level : scratch_.level.levels) add(level);
    if (c.apart) add(c.missing);
    if (c.lone.rows > 0) add(c.lone);
    return apart.gain() >= best_.score() * kSlack;
}

// Levels change sides one by one while that is better.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::improve_subset(const Categories& c, int64_t position) {
    LevelScratch& scratch = scratch_.level;
    const auto width = static_cast<size_t>(group_width());
    scratch.sums.assign(width, 0);
    LevelSet set;
    for (size_t i = 0; i < scratch.levels.size(); ++i) {
        if (scratch.gathered[i] == 0) continue;
        add_level_to(scratch.levels[i], scratch.sums.data());
        add_to_set(c, scratch.levels[i], set);
    }
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

// The classes by whose shares levels are ordered: all of them, or the heaviest of many.
template <class Id, class Sweep>
std::vector<int32_t> NodeSearch<Id, Sweep>::ordered_classes() const {
    const std::vector<int64_t>& weight = node_.stats.classes;
    std::vector<int32_t> labels;
    for (size_t k = 0; k < weight.size(); ++k)
        if (weight[k] > 0) labels.push_back(static_cast<int32_t>(k));
    if (labels.size() <= kOrderedClasses) return labels;
    std::stable_sort(labels.begin(), labels.end(),
                     [&](int32_t a, int32_t b) { return weight[a] > weight[b]; });
    labels.resize(kOrderedClasses);
    return labels;
}

template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::order_by_class(int32_t label) {
    LevelScratch& scratch = scratch_.level;
    scratch.numerators.clear();
    for (const Level& level : scratch.levels) {
        int64_t weight = 0;
        for (int64_t e = level.begin; e < level.end; ++e)
            if (scratch.entries[e].label == label) weight = scratch.entries[e].weight;
        scratch.numerators.push_back(weight);
    }
    order_by_share();
}

// By the first principal component of the levels' class shares, each level with its weight.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::order_by_component() {
    LevelScratch& scratch = scratch_.level;
    const std::vector<int64_t>& node = node_.stats.classes;
    const double total = static_cast<double>(node_.stats.weight);
    std::vector<double> axis(node.size(), 0.0), next(node.size());
    uint64_t n_present = 0;
    for (size_t k = 0; k < node.size(); ++k)
        if (node[k] > 0) axis[k] = unit_draw(mix(n_present++)) - 0.5;
    const auto project = [&](const Level& level) {
        double sum = 0.0;
        for (int64_t e = level.begin; e < level.end; ++e)
            sum += static_cast<double>(scratch.entries[e].weight) * axis[scratch.entries[e].label];
        return sum / static_cast<double>(level.weight);
    };
    constexpr int n_rounds = 30;
    for (int round = 0; round < n_rounds; ++round) {
        double center = 0.0;
        for (size_t k = 0; k < node.size(); ++k)
            center += static_cast<double>(node[k]) / total * axis[k];
        std::fill(next.begin(), next.end(), 0.0);
        double sum = 0.0;
        for (const Level& level : scratch.levels) {
            const double score = project(level) - center;
            sum += score * static_cast<double>(level.weight);
            for (int64_t e = level.begin; e < level.end; ++e)
                next[scratch.entries[e].label] +=
                    score * static_cast<double>(scratch.entries[e].weight);
        }
        double length = 0.0;
        for (size_t k = 0; k < node.size(); ++k) {
            next[k] -= sum * (static_cast<double>(node[k]) / total);
            length += next[k] * next[k];
        }
        if (!(length > 0.0)) break;
        for (size_t k = 0; k < node.size(); ++k) axis[k] = next[k] / std::sqrt(length);
    }
    std::vector<std::pair<double, int32_t>> scores;
    for (size_t i = 0; i < scratch.levels.size(); ++i)
        scores.push_back({project(scratch.levels[i]), static_cast<int32_t>(i)});
    std::sort(scores.begin(), scores.end());
    scratch.order.clear();
    for (const auto& [score, index] : scores) scratch.order.push_back(index);
}

}  // namespace silva
