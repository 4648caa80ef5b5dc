// When a node becomes a leaf: the stopping rules of every tree.
#pragma once

#include <cstdint>

#include "core/base/pool.hpp"
#include "core/search/criterion.hpp"
#include "core/search/open_node.hpp"
#include "core/tree/settings.hpp"

namespace silva {

struct GrowthRules {
    const Settings& settings;
    double root_weight;
    double target_unit;  // of the integer targets, see target.hpp; 1 for classes
    const StopFlag& stop;

    // Depth-first unless the number of leaves is limited.
    bool best_first() const { return settings.max_leaves > 0; }
    bool allows_leaves(int64_t leaves) const {
        return settings.max_leaves == 0 || leaves <= settings.max_leaves;
    }
    // Known before the search. Pure nodes become leaves too, but only a layout knows which are.
    bool must_be_leaf(const OpenNode& node) const {
        return node.depth >= settings.max_depth || node.rows() < settings.min_rows_split ||
               node.rows() < 2 * settings.min_rows_leaf;
    }
    // The gain as the tree stores it.
    double in_target_units(double gain) const {
        return silva::in_target_units(gain, settings.criterion, target_unit);
    }
    // `weight` is that of the node. Both minimums are 0 by default: a gain of 0 is enough.
    bool gains_enough(double gain, int64_t weight) const {
        const double shown = in_target_units(gain);
        const double share = static_cast<double>(weight) / root_weight;
        return shown >= settings.min_gain && share * shown >= settings.min_impurity_decrease;
    }
};

}  // namespace silva
