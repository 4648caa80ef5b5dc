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
#include <cstdint>

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

}  // namespace silva
