#include <cmath>

#include "core/leaf/leaf_statistics.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

const StopFlag kGo;

Wide pair_at(const std::vector<int64_t>& pairs, int64_t i) {
    return (Wide(pairs[2 * i]) << 64) | static_cast<uint64_t>(pairs[2 * i + 1]);
}

}  // namespace

TEST_CASE("leaf_statistics: classes by leaf, rows of weight zero and of no leaf left out") {
    const std::vector<int32_t> labels = {0, 1, 2, 1, 1, 0};
    const std::vector<double> weights = {1, 2, 3, 0, 5, 6};
    const std::vector<int64_t> leaf = {0, 2, 2, 0, -1, 0};
    const Target target = class_target(labels.data(), weights.data(), 6, 3);
    Team alone(1);
    const TreeArrays found = leaf_statistics(target, leaf.data(), 3, alone, kGo);
    CHECK(found.leaf_rows == std::vector<int64_t>{2, 0, 2});
    CHECK(found.class_start == std::vector<int64_t>{0, 1, 1, 3});
    CHECK(found.class_code == std::vector<int32_t>{0, 1, 2});
    CHECK(found.class_weight == std::vector<int64_t>{7, 2, 3});
}

TEST_CASE("leaf_statistics: moments and exact means, for any number of threads") {
    Draw draw(3);
    std::vector<double> values, weights;
    std::vector<int64_t> leaf;
    constexpr int64_t n_leaves = 200;
    for (int row = 0; row < 1000; ++row) {
        values.push_back(std::ldexp(draw.unit() - 0.5, static_cast<int>(draw.below(40))));
        weights.push_back(static_cast<double>(draw.below(4)));
        leaf.push_back(draw.between(-1, n_leaves - 2));
    }
    const Target target = value_target(values.data(), weights.data(), 1000, true);
    Team alone(1), team(3);
    const TreeArrays found = leaf_statistics(target, leaf.data(), n_leaves, alone, kGo);
    CHECK(same(found, leaf_statistics(target, leaf.data(), n_leaves, team, kGo)));
    CHECK(found.leaf_rows.back() == 0);
    CHECK(found.moment_value.back() == 0.0);
    for (int64_t i = 0; i < n_leaves; ++i) {
        Wide sum = 0, squares = 0;
        int64_t weight = 0;
        std::vector<int64_t> rows;
        for (int64_t id = 0; id < target.n_rows; ++id) {
            if (leaf[target.row_of(id)] != i) continue;
            weight += target.weight[id];
            sum += Wide(target.weight[id]) * target.q[id];
            squares += Wide(target.weight[id]) * target.q[id] * target.q[id];
            rows.push_back(target.row_of(id));
        }
        CHECK(found.leaf_rows[i] == static_cast<int64_t>(rows.size()));
        CHECK(found.moment_weight[i] == weight);
        CHECK(bool(pair_at(found.moment_sum, i) == sum));
        CHECK(bool(pair_at(found.moment_squares, i) == squares));
        if (!rows.empty()) CHECK(found.moment_value[i] == exact_mean(target, rows));
    }
}

TEST_CASE("leaf_statistics: the mean is rounded once and stays in range") {
    const std::vector<double> values = {0.1, 0.2, 0.3, 1e308, 1.5e308, 0.1, 0.1};
    const Target target = value_target(values.data(), nullptr, 7, true);
    const auto mean = [&](const std::vector<int64_t>& rows) { return exact_mean(target, rows); };
    CHECK(mean({0, 1, 2}) == 0.2);
    CHECK(mean({3, 4}) == 1.25e308);
    CHECK(mean({0, 5, 6}) == 0.1);
    CHECK(mean({2}) == 0.3);
}

TEST_CASE("leaf_statistics: gains of two and of three children, and of the node above") {
    TreeArrays tree;  // 0: (1 leaf, 2: (3, 4, 5 leaves))
    tree.child_start = {0, 2, 2, 5, 5, 5, 5};
    tree.leaf_rows = {4, 2, 1, 1};
    tree.class_start = {0, 1, 2, 3, 4};
    tree.class_code = {0, 1, 0, 1};
    tree.class_weight = {4, 2, 1, 1};
    const std::vector<double> gini = split_gains(tree, Criterion::gini, 2, 1.0);
    CHECK(gini[0] == doctest::Approx(0.46875 - 0.5 * 0.375));
    CHECK(gini[2] == doctest::Approx(0.375));
    CHECK(gini[1] == 0.0);
    CHECK(split_gains(tree, Criterion::error, 2, 1.0)[0] == doctest::Approx(0.25));
    CHECK(split_gains(tree, Criterion::entropy, 2, 1.0)[2] == doctest::Approx(0.811278));
}

TEST_CASE("leaf_statistics: gains of values, in units of the target") {
    TreeArrays tree;
    tree.child_start = {0, 2, 2, 2};
    tree.leaf_rows = {1, 1};
    tree.moment_weight = {1, 1};
    tree.moment_sum = {-1, -2, 0, 2};
    CHECK(split_gains(tree, Criterion::squared_error, 0, 0.5)[0] == 1.0);
    CHECK(split_gains(tree, Criterion::poisson, 0, 0.5)[0] == 0.0);
    tree.moment_weight = {1, 0};
    CHECK(split_gains(tree, Criterion::squared_error, 0, 0.5)[0] == 0.0);
}

TEST_CASE("leaf_statistics: a stop is heard") {
    const std::vector<int32_t> labels = {0};
    const std::vector<int64_t> leaf = {0};
    const Target target = class_target(labels.data(), nullptr, 1, 1);
    StopFlag stop;
    stop.set();
    Team alone(1);
    CHECK_THROWS_AS(leaf_statistics(target, leaf.data(), 1, alone, stop), Interrupted);
}
