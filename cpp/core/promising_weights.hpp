// The filter of a block of neighbouring positions for two classes and weighted rows.
#pragma once

#include <cstdint>

namespace silva {

// A position of a sweep has `sum` of class 1 and `l` of both classes on its left, in units of
// weight. promising: (|total * sum - ones * l| + forgiven)^2 >= bound * l * (total - l), where
// `forgiven` is what the products can lose to rounding.
struct WeightFilter {
    double total, ones;
    double bound;

    double forgiven() const { return 4e-16 * total * ones; }
};

// The promising ones among at most 64 positions of a sorted list, as a mask. `weights` has the
// weight of each id, below zero for class 0; `values` becomes those of the entries. Before the
// block, `first_left` is on the left, `first_sum` of it of class 1.
uint64_t promising_weights(const WeightFilter& filter, const int64_t* weights,
                           const uint16_t* entries, int n, int64_t first_sum, int64_t first_left,
                           int64_t* values);
uint64_t promising_weights(const WeightFilter& filter, const int64_t* weights,
                           const uint32_t* entries, int n, int64_t first_sum, int64_t first_left,
                           int64_t* values);

}  // namespace silva
