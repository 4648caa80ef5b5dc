#include "core/projections/projection.hpp"

#include <cmath>
#include <limits>

namespace silva {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double finite_or_nan(double value) { return std::isfinite(value) ? value : kNaN; }

double offset(const ProjectionView& p, const double* x, int64_t j) {
    return (x[j] - p.center[j]) * p.weights[j];
}

double euclidean(const ProjectionView& p, const double* x) {
    double sum = 0.0;
    for (int64_t j = 0; j < p.n; ++j) {
        const double u = offset(p, x, j);
        sum += u * u;
    }
    return std::sqrt(sum);
}

double manhattan(const ProjectionView& p, const double* x) {
    double sum = 0.0;
    for (int64_t j = 0; j < p.n; ++j) sum += std::abs(offset(p, x, j));
    return sum;
}

double cosine(const ProjectionView& p, const double* x) {
    double product = 0.0, row_squares = 0.0, center_squares = 0.0;
    for (int64_t j = 0; j < p.n; ++j) {
        const double a = x[j] * p.weights[j], b = p.center[j] * p.weights[j];
        product += a * b;
        row_squares += a * a;
        center_squares += b * b;
    }
    if (row_squares == 0.0 || center_squares == 0.0) return 1.0;
    return 1.0 - product / (std::sqrt(row_squares) * std::sqrt(center_squares));
}

double mahalanobis(const ProjectionView& p, const double* x) {
    double sum = 0.0;
    for (int64_t i = 0; i < p.n; ++i) {
        const double u = offset(p, x, i);
        const double* row = p.matrix + i * p.n;
        for (int64_t j = 0; j < p.n; ++j) sum += u * row[j] * offset(p, x, j);
    }
    return sum < 0.0 ? 0.0 : std::sqrt(sum);
}

bool any_missing(const ProjectionView& p, const double* x) {
    for (int64_t j = 0; j < p.n; ++j)
        if (std::isnan(x[j])) return true;
    return false;
}

double distance(const ProjectionView& p, const double* x) {
    switch (p.metric) {
        case Metric::euclidean: return euclidean(p, x);
        case Metric::manhattan: return manhattan(p, x);
        case Metric::cosine: return cosine(p, x);
        case Metric::mahalanobis: return mahalanobis(p, x);
    }
    __builtin_unreachable();
}

}  // namespace

ProjectionView view_of(const Projection& projection) {
    return {static_cast<int64_t>(projection.columns.size()),
            projection.columns.data(),
            projection.codes.data(),
            projection.weights.data(),
            projection.center.data(),
            projection.matrix.data(),
            projection.metric};
}

double oblique_value(const ProjectionView& p, const double* x) {
    double sum = 0.0;
    for (int64_t j = 0; j < p.n; ++j) {
        if (std::isnan(x[j])) return kNaN;
        const double value = p.codes[j] < 0 ? x[j] : static_cast<double>(x[j] == p.codes[j]);
        sum += p.weights[j] * value;
    }
    return finite_or_nan(sum);
}

double distance_value(const ProjectionView& p, const double* x) {
    if (any_missing(p, x)) return kNaN;
    return finite_or_nan(distance(p, x));
}

}  // namespace silva
