#include <cmath>

#include "core/projections/projection.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

Projection weights(std::vector<int32_t> codes, std::vector<double> weights) {
    Projection projection;
    projection.columns.resize(codes.size());
    projection.codes = std::move(codes);
    projection.weights = std::move(weights);
    return projection;
}

Projection prototype(Metric metric, std::vector<double> center, std::vector<double> scale,
                     std::vector<double> matrix = {}) {
    Projection projection;
    projection.metric = metric;
    projection.columns.resize(center.size());
    projection.center = std::move(center);
    projection.weights = std::move(scale);
    projection.matrix = std::move(matrix);
    return projection;
}

double oblique(const Projection& projection, const std::vector<double>& x) {
    return oblique_value(view_of(projection), x.data());
}
double distance(const Projection& projection, const std::vector<double>& x) {
    return distance_value(view_of(projection), x.data());
}

const std::vector<Metric> kMetrics = {Metric::euclidean, Metric::manhattan, Metric::cosine,
                                      Metric::mahalanobis};

}  // namespace

TEST_CASE("projection: weights of values and of levels") {
    const Projection mixed = weights({-1, 2, 3, -1}, {0.5, 10.0, 100.0, -2.0});
    CHECK(oblique(mixed, {4.0, 2.0, 2.0, 1.0}) == 10.0);
    CHECK(oblique(mixed, {4.0, 3.0, 3.0, 1.0}) == 100.0);
    CHECK(oblique(mixed, {4.0, 0.0, 0.0, 1.0}) == 0.0);
}

TEST_CASE("projection: the sum runs in stored order") {
    const Projection p = weights({-1, -1, -1}, {1.0, 1.0, 1.0});
    CHECK(oblique(p, {1e17, 1.0, -1e17}) == 0.0);
    CHECK(oblique(p, {1e17, -1e17, 1.0}) == 1.0);
    const double a = 0.1, b = 0.7, c = 1.0 / 3.0;
    CHECK(bits(oblique(p, {a, b, c})) == bits((a + b) + c));
}

TEST_CASE("projection: products are rounded before they are added") {
    const double x = 1.0 + 0x1p-30;
    CHECK(oblique(weights({-1, -1}, {x, -1.0}), {x, 1.0 + 0x1p-29}) == 0.0);
}

TEST_CASE("projection: missing values and results that are not finite") {
    const Projection p = weights({-1, 0}, {2.0, 0.0});
    CHECK(std::isnan(oblique(p, {kNaN, 0.0})));
    CHECK(std::isnan(oblique(p, {1.0, kNaN})));
    CHECK(std::isnan(oblique(p, {kInf, 0.0})));
    CHECK(std::isnan(oblique(p, {kMax, 0.0})));
    CHECK(oblique(p, {1.0, 0.0}) == 2.0);
    for (const Metric metric : kMetrics) {
        const Projection d = prototype(metric, {1.0, 2.0}, {1.0, 1.0}, {1.0, 0.0, 0.0, 1.0});
        CHECK(std::isnan(distance(d, {kNaN, 1.0})));
        CHECK(std::isnan(distance(d, {1.0, kNaN})));
        CHECK(std::isnan(distance(d, {kInf, 1.0})));
        CHECK(std::isfinite(distance(d, {1.0, 1.0})));
    }
    CHECK(std::isnan(distance(prototype(Metric::euclidean, {0.0}, {1.0}), {1e200})));
    CHECK(std::isnan(distance(prototype(Metric::cosine, {0.0}, {1.0}), {kNaN})));
}

TEST_CASE("projection: each metric") {
    const std::vector<double> center = {1.0, 2.0}, scale = {3.0, 0.5};
    const std::vector<double> x = {2.0, 10.0};  // u = (3, 4), a = (6, 5), b = (3, 1)
    CHECK(distance(prototype(Metric::euclidean, center, scale), x) == 5.0);
    CHECK(distance(prototype(Metric::manhattan, center, scale), x) == 7.0);
    CHECK(distance(prototype(Metric::cosine, center, scale), x) ==
          1.0 - 23.0 / (std::sqrt(61.0) * std::sqrt(10.0)));
    CHECK(distance(prototype(Metric::mahalanobis, center, scale, {2.0, 1.0, 0.5, 3.0}), x) ==
          std::sqrt(2.0 * 9 + 1.0 * 12 + 0.5 * 12 + 3.0 * 16));
}

TEST_CASE("projection: zero norms and negative sums") {
    CHECK(distance(prototype(Metric::cosine, {0.0, 0.0}, {1.0, 1.0}), {1.0, 2.0}) == 1.0);
    CHECK(distance(prototype(Metric::cosine, {1.0, 2.0}, {1.0, 1.0}), {0.0, 0.0}) == 1.0);
    CHECK(distance(prototype(Metric::cosine, {1.0}, {0.0}), {1.0}) == 1.0);
    CHECK(distance(prototype(Metric::mahalanobis, {0.0}, {1.0}, {-1.0}), {3.0}) == 0.0);
}
