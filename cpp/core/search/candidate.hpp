// A split that could be made, and the total order among such splits.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>

#include "core/search/criterion.hpp"
#include "core/tree/settings.hpp"

namespace silva {

// What the order of splits depends on. `position` orders the splits of one column:
//   threshold    the known rows left of it (sorted columns), or the lowest code or rank right of it
//   one-vs-rest  the code of the level; -1 for "is it missing?"
//   subset       its number among the sets of the column
//   multiway     the child that missing values join (a column has only one such split)
struct Merit {
    double gain = -1.0;
    double charge = 0.0;  // the part of the gain that chance would explain, see finders/fair.hpp
    int64_t lighter = 0;  // weight of the lightest child
    int64_t position = 0;
    int32_t column = -1;
    bool missing_left = false;

    bool exists() const { return column >= 0; }
    // What columns are compared by.
    double score() const { return gain - charge; }
    // A charge that leaves nothing of a gain is a reason to draw more columns.
    bool is_settled() const { return score() > 0.0 || charge == 0.0; }
};

// Whether a comes before b: larger score, heavier lightest child, lower column, lower position,
// missing left. Gain ratio uses it inside a column only (ratio.hpp).
inline bool better(const Merit& a, const Merit& b) {
    if (!a.exists() || !b.exists()) return a.exists();
    if (a.score() != b.score()) return a.score() > b.score();
    if (a.lighter != b.lighter) return a.lighter > b.lighter;
    if (a.column != b.column) return a.column < b.column;
    if (a.position != b.position) return a.position < b.position;
    return a.missing_left && !b.missing_left;
}

// A split of any kind.
struct Candidate : Merit {
    SplitKind kind = SplitKind::threshold;
    bool missing_chosen = false;  // the node has missing values of this column
    bool own_branch = false;      // these values are a child of their own, the last one
    double threshold = std::numeric_limits<double>::quiet_NaN();
    double split_info = 0.0;                    // entropy of more than two children's weights
    int32_t lone_child = 0;                     // multiway: the child that lone levels join
    std::shared_ptr<const SplitDetail> detail;  // sets of codes, projections
};

// The midpoint of two neighbouring values, guarded so that a < t <= b always holds.
inline double threshold_between(double a, double b) {
    double middle = (a + b) / 2;
    if (!std::isfinite(middle)) middle = a / 2 + b / 2;
    return middle > a && middle <= b ? middle : b;
}

}  // namespace silva
