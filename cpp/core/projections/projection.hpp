// The number that an oblique or a distance split compares with its threshold. Growth and prediction
// call the same functions, so that both see the same bits.
#pragma once

#include <cstdint>

#include "core/tree/tree_builder.hpp"

namespace silva {

// A projection whose arrays belong to somebody else; `n` is the number of its entries. An oblique
// projection may name a column more than once (several levels), a distance names each once.
struct ProjectionView {
    int64_t n = 0;
    const int32_t* columns = nullptr;
    const int32_t* codes = nullptr;   // oblique: -1 the value itself, else 1 where it is this code
    const double* weights = nullptr;  // oblique: weights; distance: scales
    const double* center = nullptr;   // distance
    const double* matrix = nullptr;   // distance, Mahalanobis: n * n, row by row
    Metric metric = Metric::euclidean;  // distance
};

// Valid as long as the projection lives unchanged.
ProjectionView view_of(const Projection& projection);

// Both take one row: x[j] is the value or code in columns[j], NaN where it is missing or unseen.
// Both give NaN where any x[j] is NaN or the result is not finite: such a row counts as missing.

// ((w0 * x0 + w1 * x1) + w2 * x2) ...
double oblique_value(const ProjectionView& projection, const double* x);

// With u = (x - center) * scale and sums in stored order. Euclidean: sqrt(sum u * u). Manhattan:
// sum |u|. Cosine, with a = x * scale and b = center * scale: 1 - (sum a * b) / (|a| * |b|), 1
// where either norm is 0. Mahalanobis: the root of the sum over i, then j, of (u_i * M_ij) * u_j, a
// negative sum counting as 0.
double distance_value(const ProjectionView& projection, const double* x);

}  // namespace silva
