#include <algorithm>
#include <cmath>

#include "core/grow/grower.hpp"
#include "core/projections/projection.hpp"
#include "tests/random_table.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

// Two columns of numbers and a label for each row.
struct Points {
    std::vector<double> x, y;
    std::vector<int32_t> label;

    void add(double a, double b, int32_t k) {
        x.push_back(a);
        y.push_back(b);
        label.push_back(k);
    }
    Table table() const {
        Table table;
        table.n_rows = static_cast<int64_t>(x.size());
        table.columns = {view(x), view(y)};
        return table;
    }
    int64_t size() const { return static_cast<int64_t>(x.size()); }
};

// A grid where the label says on which side of a line a point is.
Points diagonal() {
    Points points;
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) points.add(i, 100.0 * j, 2 * i > j + 4 ? 1 : 0);
    return points;
}

// Points around (3, 30): two rings and the middle.
Points circle() {
    Points points;
    points.add(3.0, 30.0, 1);
    for (int i = 0; i < 12; ++i) {
        const double angle = i * 0.5235987755982988;
        points.add(3 + std::cos(angle), 30 + 10 * std::sin(angle), 1);
        points.add(3 + 3 * std::cos(angle), 30 + 30 * std::sin(angle), 0);
    }
    return points;
}

Settings oblique(double margin = 0.1) {
    Settings settings;
    settings.max_columns = 2;
    settings.oblique = ObliqueSettings{{0, 1}, 5, margin, 10};
    return settings;
}

Settings distance(Metric metric) {
    Settings settings;
    settings.max_columns = 2;
    settings.distance = DistanceSettings{{0, 1}, {metric}, 4, 0.1};
    return settings;
}

TreeArrays grow_points(const Points& points, const Settings& settings, int threads = 1) {
    const Target target = class_target(points.label.data(), nullptr, points.size(), 2);
    return grow(points.table(), target, settings, threads, StopFlag());
}

bool root_is(const TreeArrays& tree, SplitKind kind) {
    return tree.split_kind[0] == static_cast<int8_t>(kind);
}

bool is_finite(const TreeArrays& tree) {
    const auto finite = [](const std::vector<double>& values) {
        return std::all_of(values.begin(), values.end(), [](double x) { return !std::isnan(x); });
    };
    return finite(tree.oblique_weight) && finite(tree.oblique_threshold) &&
           finite(tree.distance_center) && finite(tree.distance_scale) &&
           finite(tree.distance_threshold) && finite(tree.gain);
}

}  // namespace

TEST_CASE("a diagonal is one oblique split of raw values") {
    const TreeArrays tree = grow_points(diagonal(), oblique());
    CHECK(tree.split_kind.size() == 3);
    REQUIRE(root_is(tree, SplitKind::oblique));
    CHECK(tree.oblique_column == std::vector<int32_t>{0, 1});
    CHECK(tree.oblique_code == std::vector<int32_t>{-1, -1});
    CHECK(tree.oblique_weight[0] == 1.0);
    const Points points = diagonal();
    for (int64_t i = 0; i < points.size(); ++i) {
        const double z =
            tree.oblique_weight[0] * points.x[i] + tree.oblique_weight[1] * points.y[i];
        CHECK((z >= tree.oblique_threshold[0]) == (points.label[i] == 1));
    }
}

TEST_CASE("an oblique split must beat the ordinary one by the margin") {
    Points points;
    for (int i = 0; i < 20; ++i) points.add(i, (7 * i) % 20, i < 10 ? 0 : 1);
    CHECK(root_is(grow_points(points, oblique()), SplitKind::threshold));
    Settings ordinary = oblique();
    ordinary.oblique.reset();
    const TreeArrays plain = grow_points(diagonal(), ordinary);
    const TreeArrays tree = grow_points(diagonal(), oblique(0.0));
    const double ratio = tree.gain[0] / plain.gain[0];
    CHECK(root_is(grow_points(diagonal(), oblique(0.99 * (ratio - 1))), SplitKind::oblique));
    CHECK(root_is(grow_points(diagonal(), oblique(1.01 * (ratio - 1))), SplitKind::threshold));
}

TEST_CASE("a circle is one euclidean or mahalanobis split around a training row") {
    const Points points = circle();
    for (const Metric metric : {Metric::euclidean, Metric::mahalanobis}) {
        const TreeArrays tree = grow_points(points, distance(metric));
        CHECK(tree.split_kind.size() == 3);
        REQUIRE(root_is(tree, SplitKind::distance));
        CHECK(tree.distance_metric[0] == static_cast<int8_t>(metric));
        CHECK(tree.distance_center == std::vector<double>{3.0, 30.0});
        CHECK(tree.distance_matrix.size() == (metric == Metric::mahalanobis ? 4u : 0u));
    }
}

TEST_CASE("a diamond is one manhattan split") {
    Points points;
    points.add(0, 0, 1);
    for (int i = 0; i <= 4; ++i)
        for (const int sign : {-1, 1})
            for (const int other : {-1, 1}) {
                points.add(sign * i, other * (4 - i), 1);
                points.add(sign * (i + 0.5), other * (4.5 - i), 0);
            }
    const TreeArrays tree = grow_points(points, distance(Metric::manhattan));
    CHECK(tree.split_kind.size() == 3);
    CHECK(root_is(tree, SplitKind::distance));
    CHECK(tree.distance_center == std::vector<double>{0.0, 0.0});
}

TEST_CASE("a sector is one cosine split") {
    Points points;
    for (int ray = 0; ray < 12; ++ray)
        for (const double length : {1.0, 2.0, 4.0, 8.0}) {
            const double angle = 0.3 + ray * 0.5235987755982988;
            points.add(length * std::cos(angle), length * std::sin(angle), ray < 3 ? 1 : 0);
        }
    const TreeArrays tree = grow_points(points, distance(Metric::cosine));
    CHECK(tree.split_kind.size() == 3);
    CHECK(root_is(tree, SplitKind::distance));
}

TEST_CASE("rows with a missing value learn a side of an oblique split") {
    Points points = diagonal();
    for (int i = 0; i < 6; ++i) points.add(i, kNaN, 1);
    const TreeArrays tree = grow_points(points, oblique());
    REQUIRE(root_is(tree, SplitKind::oblique));
    CHECK(tree.oblique_missing[0] == 1);
    CHECK(tree.split_kind.size() == 3);
}

TEST_CASE("the strictest policy of the columns of an oblique split holds") {
    Points points = diagonal();
    for (int i = 0; i < 6; ++i) points.add(i, kNaN, 1);
    for (int i = 0; i < 40; ++i) points.add(0, 700, 0);
    const auto root = [&](const Points& some, Fallback of_x, Fallback of_y) {
        Settings settings = oblique();
        settings.max_depth = 1;
        settings.set_columns({{SplitForm::threshold, of_x, Fallback::majority},
                              {SplitForm::threshold, of_y, Fallback::majority}});
        TreeArrays tree = grow_points(some, settings);
        REQUIRE(root_is(tree, SplitKind::oblique));
        return std::pair(tree.child_start[1], tree.oblique_missing[0]);
    };
    using enum Fallback;
    CHECK(root(points, learn, learn) == std::pair<int64_t, int8_t>(2, 1));
    CHECK(root(points, majority, learn) == std::pair<int64_t, int8_t>(2, 0));
    CHECK(root(points, majority, own_branch) == std::pair<int64_t, int8_t>(3, 2));
    CHECK(root(points, stop, own_branch) == std::pair<int64_t, int8_t>(2, kStop));
    CHECK(root(points, learn, error) == std::pair<int64_t, int8_t>(2, kStop));
    CHECK(root(diagonal(), learn, own_branch) == std::pair<int64_t, int8_t>(2, kStop));
    CHECK(root(diagonal(), learn, majority) == std::pair<int64_t, int8_t>(2, 0));
}

TEST_CASE("indicators of categories take part in oblique splits") {
    std::vector<double> x;
    std::vector<int32_t> colour, label;
    for (int i = 0; i < 60; ++i) {
        x.push_back(i % 20);
        colour.push_back(i / 20);
        label.push_back(x.back() + (i / 20 == 1 ? 5 : 0) > 12 ? 1 : 0);
    }
    Table table;
    table.n_rows = 60;
    table.columns = {view(x), view(colour, Kind::categorical)};
    table.columns[1].n_levels = 3;
    const Target target = class_target(label.data(), nullptr, 60, 2);
    Settings settings = oblique(0.0);
    settings.set_columns({{}, {SplitForm::subset, Fallback::learn, Fallback::majority}});
    const TreeArrays tree = grow(table, target, settings, 1, StopFlag());
    REQUIRE(root_is(tree, SplitKind::oblique));
    CHECK(tree.oblique_code == std::vector<int32_t>{-1, 1});
    CHECK(tree.split_kind.size() == 3);
    Settings few_levels = settings;
    few_levels.oblique->max_levels = 2;
    CHECK(grow(table, target, few_levels, 1, StopFlag()).oblique_column.empty());
}

TEST_CASE("a plane of targets is cut across its slope") {
    std::vector<double> x, y, value;
    for (int i = 0; i < 15; ++i)
        for (int j = 0; j < 15; ++j) {
            x.push_back(i);
            y.push_back(0.01 * j);
            value.push_back(i + j);
        }
    Table table;
    table.n_rows = 225;
    table.columns = {view(x), view(y)};
    Settings settings = oblique();
    settings.criterion = Criterion::squared_error;
    settings.max_depth = 1;
    const Target target = value_target(value.data(), nullptr, 225, true);
    const TreeArrays tree = grow(table, target, settings, 1, StopFlag());
    REQUIRE(root_is(tree, SplitKind::oblique));
    CHECK(tree.oblique_weight[0] / tree.oblique_weight[1] == doctest::Approx(0.01));
}

TEST_CASE("projections are the same for any number of threads") {
    Draw draw(7);
    Points points;
    for (int i = 0; i < 6000; ++i) {
        const double x = draw.unit(), y = draw.unit();
        points.add(x, y, x + y + 0.3 * draw.unit() > 1.2 ? 1 : 0);
    }
    Settings settings = oblique(0.0);
    settings.distance = DistanceSettings{{0, 1}, {Metric::euclidean, Metric::cosine}, 3, 0.0};
    settings.max_depth = 6;
    const TreeArrays one = grow_points(points, settings, 1);
    const TreeArrays four = grow_points(points, settings, 4);
    CHECK(same(one, four));
    CHECK(one.oblique_weight == four.oblique_weight);
    CHECK(one.distance_center == four.distance_center);
    CHECK(one.distance_threshold == four.distance_threshold);
}

TEST_CASE("extreme values give finite rules") {
    Draw draw(3);
    for (const double size : {1e308, 1e-310, 1.0}) {
        Points points;
        for (int i = 0; i < 200; ++i) {
            const double x = draw.unit() - 0.5, y = draw.unit() - 0.5;
            points.add(x * size, y * 1e-300, x + y > 0 ? 1 : 0);
        }
        points.x[0] = kInf;
        points.x[1] = -kMax;
        points.y[2] = kTiny;
        CHECK(is_finite(grow_points(points, oblique(0.0))));
        for (int metric = 0; metric < 4; ++metric)
            CHECK(is_finite(grow_points(points, distance(static_cast<Metric>(metric)))));
    }
}
