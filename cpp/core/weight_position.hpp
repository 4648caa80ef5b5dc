// Positions of a sweep over weighted rows of two classes: could one be better than the best?
#pragma once

#include <cmath>
#include <cstdint>

#include "core/promising_weights.hpp"

namespace silva {

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

}  // namespace silva
