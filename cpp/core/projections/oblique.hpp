// The best oblique split of a node.
#pragma once

#include "core/projections/directions.hpp"
#include "core/projections/projected.hpp"

namespace silva {

constexpr int64_t kSampleRows = 8192;  // larger nodes propose from a sample of so many rows
constexpr int64_t kRowsForTerm = 3;    // a term of a projection needs so many rows of the node

// Weights of raw values: the first is positive, the largest absolute value is 1, all are rounded to
// `digits` significant digits; what vanishes is left out.
Projection raw_projection(const Design& design, const Direction& direction, int digits);

// `to_beat`: gains up to here are of no use.
Candidate best_oblique(const SearchContext& context, const StoreNode& node, const NodeRows& rows,
                       ProjectedColumn& column, double to_beat);

}  // namespace silva
