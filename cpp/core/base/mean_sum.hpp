// Means over the trees of a forest: the mean of equal numbers is that number, and no mean leaves
// the range of its numbers. A sum is two float64 numbers, `sum` and what rounding took from it,
// `lost`.
#pragma once

#include <cmath>

namespace silva {

// Adds a number to a sum without error (Knuth's TwoSum).
inline void add_term(double& sum, double& lost, double x) {
    const double next = sum + x, added = next - sum;
    lost += (sum - (next - added)) + (x - added);
    sum = next;
}

// A class share as a multiple of 2^-36 and the rest: two additions in place of six. The coarse sums
// of up to 2^17 trees are exact, and so are the fine sums of 1000 trees where shares are above
// 1e-8.
struct SplitShare {
    double coarse, fine;

    explicit SplitShare(double share) {
        constexpr double grid = 98304.0;  // 1.5 * 2^16: the last bit of a sum with it is 2^-36
        coarse = (share + grid) - grid;
        fine = share - coarse;
    }
};

// (sum + lost) / n. The error before the last rounding is about n^2 2^-106 of the largest number,
// below half a unit in the last place of the mean's bounds for all n up to 2^20.
inline double mean_of_sum(double sum, double lost, double n) {
    const double near = sum / n;
    if (!std::isfinite(lost)) return near;
    return near + (std::fma(-near, n, sum) + lost) / n;
}

}  // namespace silva
