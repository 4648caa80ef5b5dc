// A split that could be made, and the total order among such splits.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/criterion.hpp"
#include "core/table.hpp"

namespace silva {

// Every training choice, already resolved to numbers.
struct Settings {
    Criterion criterion = Criterion::gini;
    bool random_splitter = false;
    int64_t max_depth = std::numeric_limits<int64_t>::max();
    int64_t min_rows_split = 2;
    int64_t min_rows_leaf = 1;
    double min_weight_fraction_leaf = 0.0;
    int64_t max_leaves = 0;  // 0: no limit, depth-first growth; else best-first
    double min_impurity_decrease = 0.0;
    double min_gain = 0.0;
    int64_t max_columns = 0;  // drawn for each node; 0 draws one, as 1 does
    uint64_t seed = 0;
};

// `position` orders the candidates of one column: the number of known rows (sorted columns) or the
// first code (others) right of a threshold, or the code of a one-vs-rest split; -1 is the lowest.
struct Candidate {
    double gain = -1.0;
    int64_t lighter = 0;
    int32_t column = -1;
    int64_t position = 0;
    bool missing_left = false;
    bool missing_chosen = false;  // the node has missing values of this column
    double threshold = std::numeric_limits<double>::quiet_NaN();

    bool exists() const { return column >= 0; }
};

// Larger gain, larger lighter child, lower column, lower position, missing left.
inline bool better(const Candidate& a, const Candidate& b) {
    if (a.gain != b.gain) return a.gain > b.gain;
    if (!b.exists()) return a.exists();
    if (a.lighter != b.lighter) return a.lighter > b.lighter;
    if (a.column != b.column) return a.column < b.column;
    if (a.position != b.position) return a.position < b.position;
    return a.missing_left && !b.missing_left;
}

// The midpoint of two neighbouring values, guarded so that a < t <= b always holds.
inline double threshold_between(double a, double b) {
    double middle = (a + b) / 2;
    if (!std::isfinite(middle)) middle = a / 2 + b / 2;
    return middle > a && middle <= b ? middle : b;
}

}  // namespace silva
