// Distance splits: prototypes among the rows of a node, in a space scaled once for the fit.
#pragma once

#include <vector>

#include "core/projections/projected.hpp"
#include "core/tree/settings.hpp"

namespace silva {

// Scale: 1 / standard deviation of the finite values of a column over all training rows, rounded to
// six digits; 1 where that is no positive finite number. Mahalanobis: the inverse of the
// correlation matrix of the scaled columns with a hundredth added to its diagonal.
struct DistanceSpace {
    std::vector<double> scale;
    std::vector<double> matrix;  // only when Mahalanobis is asked for
};

DistanceSpace distance_space(const Table& table, const Target& target,
                             const DistanceSettings& settings, const StopFlag& stop);

// Prototypes: for each class of the node (the heaviest ten), in regression for the rows up to the
// mean and those above it, the row nearest to their centre (the mean; Manhattan: the median of each
// column); and rows drawn by the seed, the node's path and the number of the draw.
Candidate best_distance(const SearchContext& context, const StoreNode& node, const NodeRows& rows,
                        ProjectedColumn& column, double to_beat);

}  // namespace silva
