#include <cmath>

#include "core/projections/directions.hpp"
#include "core/projections/linear_algebra.hpp"
#include "core/projections/oblique.hpp"
#include "core/projections/order.hpp"
#include "core/projections/rounding.hpp"
#include "tests/random_table.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

TEST_CASE("order sorts by value, then index, missing last") {
    Draw draw(1);
    for (const int64_t n : {1, 5, 300, 5000}) {
        std::vector<double> z;
        for (int64_t i = 0; i < n; ++i) {
            const double x =
                draw.pick(std::vector<double>{1.0, 1.0 + 1e-12, -1.0, 1e300, 1e301, 0});
            z.push_back(draw.chance(0.1) ? kNaN : x);
        }
        std::vector<uint32_t> expected(z.size());
        std::iota(expected.begin(), expected.end(), 0u);
        std::stable_sort(expected.begin(), expected.end(), [&](uint32_t a, uint32_t b) {
            if (std::isnan(z[a]) || std::isnan(z[b])) return !std::isnan(z[a]) && std::isnan(z[b]);
            return z[a] < z[b];
        });
        CHECK(Order().of(z.data(), n) == expected);
    }
}

TEST_CASE("a Cholesky factor solves and inverts") {
    const std::vector<double> a{4, 2, 2, 3};
    const Cholesky factor(a, 2);
    double b[] = {8, 7};
    factor.solve(b);
    CHECK(b[0] == doctest::Approx(1.25));
    CHECK(b[1] == doctest::Approx(1.5));
    CHECK(factor.inverse()[3] == doctest::Approx(0.5));
}

TEST_CASE("a sample has one row of each stretch") {
    CHECK(sample_of(3, 5, 1) == std::vector<uint32_t>{0, 1, 2});
    const std::vector<uint32_t> sample = sample_of(100, 10, 9);
    for (uint32_t i = 0; i < 10; ++i) CHECK(sample[i] / 10 == i);
}

TEST_CASE("standardising leaves out what is not finite and keeps any magnitude") {
    for (const double size : {1.0, 1e308, 1e-320}) {
        std::vector<double> values{-size, size, kNaN, kInf};
        const Scaling scaling = standardise(values, {1, 1, 1, 1});
        CHECK(scaling.varies());
        CHECK(values == std::vector<double>{-1, 1, 0, 0});
        CHECK(std::ldexp(scaling.deviation, scaling.exponent) == doctest::Approx(size));
    }
    std::vector<double> constant{5, 5, kNaN};
    CHECK(!standardise(constant, {1, 1, 1}).varies());
}

TEST_CASE("raw weights: first positive, largest 1, rounded") {
    Design design;
    design.terms = {{0, -1}, {2, 3}, {4, -1}};
    design.scalings = {{0.0, 1.0, 0}, {0.0, 0.5, 0}, {0.0, 1.0, 900}};
    Direction direction;
    direction.terms = {0, 1, 2};
    direction.weights = {-1.0 / 3, 2.0 / 3, 1.0};
    const Projection raw = raw_projection(design, direction, 3);
    CHECK(raw.columns == std::vector<int32_t>{0, 2, 4});
    CHECK(raw.codes == std::vector<int32_t>{-1, 3, -1});
    CHECK(raw.weights[0] == 0.25);
    CHECK(raw.weights[1] == -1.0);
    CHECK(raw.weights[2] < 0.0);
    design.scalings[2].exponent = 1020;
    CHECK(raw_projection(design, direction, 3).columns == std::vector<int32_t>{0, 2});
    CHECK(rounded(0.123456, 2) == 0.12);
}

TEST_CASE("the surrogate finds the best cut and the best weight") {
    NodeRows rows;
    rows.n_classes = 2;
    rows.row = {0, 1, 2, 3, 4, 5};
    rows.label = {0, 0, 0, 1, 1, 1};
    Surrogate surrogate(rows, {0, 1, 2, 3, 4, 5}, 1);
    const double z[] = {1, 2, 3, 4, 5, 6};
    CHECK(surrogate.best_cut(z).at == 3.5);
    CHECK(surrogate.best_cut(z).score == doctest::Approx(0.25));
    // rest + w * term < 0 holds for the first three rows alone where 1 < w < 10.
    const double rest[] = {-1, -2, -4, -2, 1, 1}, term[] = {-1, -1, 0, 2, 0, -0.1};
    const SampleCut weight = surrogate.best_weight(rest, term);
    CHECK(weight.score == doctest::Approx(0.25));
    CHECK(weight.at == 5.5);
}

TEST_CASE("a projection is searched like a column of its values") {
    Draw draw(11);
    for (int round = 0; round < 40; ++round) {
        const int64_t n = draw.between(6, 80);
        std::vector<double> a, b, z;
        std::vector<int32_t> label;
        for (int64_t i = 0; i < n; ++i) {
            a.push_back(draw.chance(0.1) ? kNaN : static_cast<double>(draw.below(6)));
            b.push_back(draw.chance(0.1) ? kNaN : static_cast<double>(draw.below(6)));
            z.push_back(a.back() - 0.5 * b.back());
            label.push_back(static_cast<int32_t>(draw.below(3)));
        }
        Table table, column;
        table.n_rows = column.n_rows = n;
        table.columns = {view(a), view(b)};
        column.columns = {view(z)};
        const Target target = class_target(label.data(), nullptr, n, 3);
        const Settings settings = settings_for(table, Criterion::entropy);
        Root root(table, target, settings), expected(column, target, settings);
        expected.search();
        const NodeRows rows = rows_of(root.context, root.prepared.store, root.node);
        ProjectedColumn projected(root.context, root.node, rows);
        const Candidate found =
            projected.search(SplitKind::oblique, Projection{{0, 1}, {-1, -1}, {1, -0.5}, {}, {}});
        CHECK(found.gain == expected.node.best.gain);
        CHECK(found.lighter == expected.node.best.lighter);
        CHECK(found.missing_left == expected.node.best.missing_left);
    }
}
