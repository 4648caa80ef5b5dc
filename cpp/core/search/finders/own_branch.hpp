// Thresholds beside a child of missing values.
//
// Three children gain what missing values apart from known ones do, and what the threshold does
// among the known rows: a sweep of these alone says which positions are promising.
#pragma once

#include "core/search/finders/column_search.hpp"

namespace silva {

// The known rows of a node, beside the missing ones.
struct KnownPart {
    NodeStats stats;
    double gain_apart;      // of the two parts; negative: the criterion does not allow them
    double node_per_known;  // weights
    double rounding;        // of gains whose terms cancel

    // What a threshold must gain among these rows if the node is to gain so much. Forgives every
    // rounding.
    double least_gain(double gain) const {
        const double slack = 1e-9 * (std::fabs(gain) + gain_apart) + rounding;
        return std::max(-1.0, (gain - gain_apart - slack) * node_per_known);
    }
};

// `Order` has the rows of the node in order of their values, missing ones last:
//   n_known, n_missing   how many there are
//   is_new(i)            known row i has another value than the one before it
//   position(i)          of the split before known row i
//   count(i, group)      adds row i to a group
//   add(i, sweep)        moves known row i to the left
// new_sweep(stats) is a sweep over the known rows, which have these statistics.
template <class Order, class NewSweep>
void ColumnSearch::sweep_own_branch(int32_t column, const Order& order, NewSweep&& new_sweep) {
    const auto width = static_cast<size_t>(group_width());
    const int64_t n_known = order.n_known, n = n_known + order.n_missing;
    int64_t* left = child_groups(4);
    int64_t *right = left + width, *absent = right + width, *all = absent + width;
    for (int64_t i = n_known; i < n; ++i) order.count(i, absent);
    add_node_to(all);
    merge(all, absent, -1);
    const KnownPart known = known_part(all, absent, n_known);
    if (known.gain_apart < 0.0) return;
    auto sweep = new_sweep(known.stats);
    const auto set_bound = [&] { sweep.set_best(known.least_gain(best_.score())); };
    set_bound();
    for (int64_t i = 0; i < n_known; ++i) {
        if (i % kStopInterval == 0) context_.stop.check();
        if (i > 0 && order.is_new(i) && sweep.promising()) {
            std::copy_n(all, width, right);
            merge(right, left, -1);
            const ChildGroup children[] = {
                {left, i}, {right, n_known - i}, {absent, order.n_missing}};
            if (consider_own_branch(column, order.position(i), children)) set_bound();
        }
        order.count(i, left);
        order.add(i, sweep);
    }
}

}  // namespace silva
