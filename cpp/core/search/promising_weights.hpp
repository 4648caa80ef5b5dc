// The filter of a block of neighbouring positions for two classes and weighted rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/simd/kernels.hpp"

namespace silva {

// A position of a sweep has `sum` of class 1 and `l` of both classes on its left, in units of
// weight. promising: (|total * sum - ones * l| + forgiven)^2 >= bound * l * (total - l), where
// `forgiven` is what the products can lose to rounding.
struct WeightFilter {
    double total, ones;
    double bound;

    double forgiven() const { return 4e-16 * total * ones; }
};

// What is on the left: `sum` of class 1 among `left` of both, in units of weight.
struct WeightPosition {
    int64_t sum, left;
};

inline bool is_promising(const WeightFilter& f, const WeightPosition& at) {
    const double sum = static_cast<double>(at.sum), l = static_cast<double>(at.left);
    const double reached = std::fabs(f.total * sum - f.ones * l) + f.forgiven();
    return reached * reached >= f.bound * l * (f.total - l);
}

// No position on the way from `first` over `ones` of class 1 and `zeros` of class 0 can be
// promising if none of these four is: what is compared is convex in the weights of both classes on
// the left, so its maximum over all orders of the rows is at a corner.
inline bool has_promising_corner(const WeightFilter& f, const WeightPosition& first, int64_t ones,
                                 int64_t zeros) {
    const auto [sum, left] = first;
    return is_promising(f, first) || is_promising(f, {sum + ones, left + ones}) ||
           is_promising(f, {sum, left + zeros}) ||
           is_promising(f, {sum + ones, left + ones + zeros});
}

// The promising ones among at most 64 positions of a sorted list, as a mask. `weights` has the
// weight of each id, below zero for class 0; `values` becomes those of the entries. `at` is what is
// on the left before the block.
template <class Id>
uint64_t promising_weights(const WeightFilter& f, const int64_t* weights, const Id* entries, int n,
                           WeightPosition at, int64_t* values) {
    const auto sums = simd::kernels().positions.of<Id>().weights(weights, entries, n, values);
    if (!has_promising_corner(f, at, sums.ones, sums.both - sums.ones)) return 0;
    uint64_t mask = 0;
    for (int j = 0; j < n; ++j) {
        mask |= static_cast<uint64_t>(is_promising(f, at)) << j;
        at.sum += std::max<int64_t>(values[j], 0);
        at.left += std::abs(values[j]);
    }
    return mask;
}

}  // namespace silva
