// Directions in the standardised space of a node that separate its targets well.
#pragma once

#include <vector>

#include "core/projections/design.hpp"
#include "core/projections/surrogate.hpp"

namespace silva {

struct Direction {
    std::vector<int> terms;  // of the design, ascending
    std::vector<double> weights;
    double score = 0.0;
    double cut = 0.0;

    bool exists() const { return score > 0.0; }
};

// A denser direction must be better than a sparser one by more than this share of its own quality.
constexpr double kSparseTolerance = 0.02;

struct DirectionLimits {
    int64_t max_columns;
    int64_t max_terms;
};

// Few directions, the most promising first. Proposed are: the ridge direction of the target (more
// classes: of each class against the rest, and the first discriminant; regression: also of the side
// of the mean), thinned out by dropping the term of smallest weight and solving again; logistic
// models of the same terms (two classes); sums and differences of the best few columns. The best of
// them are improved by coordinate descent.
std::vector<Direction> propose_directions(const Design& design, Surrogate& surrogate,
                                          const DirectionLimits& limits, const StopFlag& stop);

}  // namespace silva
