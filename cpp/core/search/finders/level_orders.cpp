#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "core/search/finders/column_search.hpp"
#include "core/search/finders/short_keys.hpp"

namespace silva {

// By the share of the second class that is present, or by the mean.
void ColumnSearch::order_by_target() {
    LevelScratch& scratch = scratch_.level;
    if (layout_ == GroupLayout::entries) {
        const auto& classes = node_.stats.classes;
        const auto last = std::find_if(classes.rbegin(), classes.rend(),
                                       [](int64_t weight) { return weight > 0; });
        order_by_class(static_cast<int32_t>(classes.rend() - last) - 1);
    } else if (layout_ == GroupLayout::values) {
        scratch.keys.clear();
        for (size_t i = 0; i < scratch.levels.size(); ++i) {
            const Level& level = scratch.levels[i];
            const Wide sum = group_sum(scratch.level_groups.data() + level.begin);
            scratch.keys.push_back({static_cast<double>(sum) / static_cast<double>(level.weight),
                                    sum, level.weight, static_cast<int32_t>(i)});
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
void ColumnSearch::order_by_share() {
    if (order_by_short_share()) return;
    LevelScratch& scratch = scratch_.level;
    scratch.keys.clear();
    for (size_t i = 0; i < scratch.levels.size(); ++i) {
        const int64_t numerator = scratch.numerators[i], weight = scratch.levels[i].weight;
        scratch.keys.push_back({static_cast<double>(numerator) / static_cast<double>(weight),
                                numerator, weight, static_cast<int32_t>(i)});
    }
    order_exactly();
}

// Shares a / b with b below 2^(bits / 2) differ by more than 2^-bits, so their first bits say all
// about their order: they are sorted with the index of the level in one word. False when the bits
// are too many.
bool ColumnSearch::order_by_short_share() {
    LevelScratch& scratch = scratch_.level;
    int64_t most = 0;
    for (const Level& level : scratch.levels) most = std::max(most, level.weight);
    const int bits = 2 * std::bit_width(static_cast<uint64_t>(most));
    if (bits > 31) return false;
    const double scale = std::ldexp(1.0, bits);
    scratch.short_keys.clear();
    for (size_t i = 0; i < scratch.levels.size(); ++i) {
        const double share = static_cast<double>(scratch.numerators[i]) * scale /
                             static_cast<double>(scratch.levels[i].weight);
        scratch.short_keys.push_back(static_cast<uint64_t>(share) << 32 | i);
    }
    std::vector<uint64_t> other;
    sort_short_keys(scratch.short_keys, other, bits + 1);
    scratch.order.clear();
    for (const uint64_t key : scratch.short_keys)
        scratch.order.push_back(static_cast<int32_t>(key));
    return true;
}

// Sorts the keys, compared exactly; equals in order of their codes.
void ColumnSearch::order_exactly() {
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

// The classes by whose shares levels are ordered: all of them, or the heaviest of many.
std::vector<int32_t> ColumnSearch::ordered_classes() const {
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

void ColumnSearch::order_by_class(int32_t label) {
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
void ColumnSearch::order_by_component() {
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
