#include "core/optimal/node.hpp"
#include "tests/optimal_sample.hpp"

using namespace silva::optimal;
using silva::test::Draw;
using silva::test::OptimalSample;

namespace {

// Ranks and class of a row, and what the problem says of it.
using Row = std::pair<std::vector<int32_t>, std::vector<int64_t>>;

std::vector<Row> sorted_rows(const Problem& problem) {
    std::vector<Row> rows;
    for (int64_t i = 0; i < problem.rows(); ++i) {
        rows.push_back({{}, {problem.weight[i], problem.count[i], problem.floor[i]}});
        for (int32_t c = 0; c < problem.columns; ++c)
            rows.back().first.push_back(problem.rank(c, i));
        rows.back().first.push_back(problem.label[i]);
    }
    std::sort(rows.begin(), rows.end());
    return rows;
}

OptimalSample wide_sample(Draw& draw) {
    OptimalSample made{
        draw.between(1, 60),        static_cast<int32_t>(draw.between(0, 90)), 3, {}, {}, {}, {},
        {0, 1, 1, 1, 0, 1, 1, 1, 0}};
    const int64_t points = draw.between(1, made.rows);
    std::vector<int64_t> point;
    for (int64_t i = 0; i < made.rows; ++i) point.push_back(draw.below(points));
    for (int32_t c = 0; c < made.columns; ++c) {
        const int64_t levels = draw.pick<int64_t>({1, 2, 2, 3, 8, 1000});
        std::vector<int32_t> at_point;
        for (int64_t i = 0; i < points; ++i)
            at_point.push_back(static_cast<int32_t>(draw.below(levels)));
        for (const int64_t at : point) made.ranks.push_back(at_point[at]);
        made.levels.push_back(static_cast<int32_t>(levels));
    }
    for (int64_t i = 0; i < made.rows; ++i) {
        made.labels.push_back(static_cast<int32_t>(draw.below(3)));
        made.weights.push_back(draw.between(1, 3));
    }
    return made;
}

// By a map of the rows. The floor stands at the first class of each point.
std::vector<Row> merged_slowly(const OptimalSample& sample) {
    std::map<std::vector<int32_t>, std::map<int32_t, std::pair<int64_t, int64_t>>> points;
    for (int64_t i = 0; i < sample.rows; ++i) {
        std::vector<int32_t> ranks;
        for (int32_t c = 0; c < sample.columns; ++c)
            ranks.push_back(sample.ranks[c * sample.rows + i]);
        auto& [weight, count] = points[ranks][sample.labels[i]];
        weight += sample.weights[i], count += 1;
    }
    std::vector<Row> rows;
    for (const auto& [ranks, classes] : points) {
        int64_t total = 0, most = 0;
        for (const auto& [label, sums] : classes)
            total += sums.first, most = std::max(most, sums.first);
        for (const auto& [label, sums] : classes) {
            const bool is_first = label == classes.begin()->first;
            rows.push_back({ranks, {sums.first, sums.second, is_first ? total - most : 0}});
            rows.back().first.push_back(label);
        }
    }
    return rows;
}

}  // namespace

TEST_CASE("rows of equal ranks and class become one, however many columns there are") {
    Draw draw(11);
    for (int round = 0; round < 300; ++round) {
        const OptimalSample sample = wide_sample(draw);
        CHECK(sorted_rows(sample.problem()) == merged_slowly(sample));
    }
}

TEST_CASE("rows of equal ranks and class become one") {
    const OptimalSample sample{4,           1, 2, {0, 1, 0, 1}, {2}, {0, 1, 0, 0}, {1, 2, 3, 5},
                               {0, 1, 1, 0}};
    const Problem problem = sample.problem();
    REQUIRE(problem.rows() == 3);
    const std::vector<Row> expected{{{0, 0}, {4, 2, 0}}, {{1, 0}, {5, 1, 2}}, {{1, 1}, {2, 1, 0}}};
    CHECK(sorted_rows(problem) == expected);
    CHECK(problem.total_count == 4);
    CHECK_FALSE(problem.is_unit);
}

TEST_CASE("weights of two classes hold their costs, other costs stay") {
    const OptimalSample two{2, 1, 2, {0, 1}, {2}, {0, 1}, {1, 1}, {0, 7, 3, 0}};
    const std::vector<Row> expected{{{0, 0}, {7, 1, 0}}, {{1, 1}, {3, 1, 0}}};
    CHECK(sorted_rows(two.problem()) == expected);
    CHECK(two.problem().is_plain);
    const OptimalSample three{3,   1,         3,         {0, 1, 2},
                              {3}, {0, 1, 2}, {1, 1, 2}, {0, 2, 3, 1, 0, 1, 4, 1, 0}};
    const Problem problem = three.problem();
    CHECK_FALSE(problem.is_plain);
    REQUIRE(problem.rows() == 3);
    for (int64_t row = 0; row < 3; ++row)
        CHECK(problem.reach[row] == std::vector<int64_t>{3, 1, 8}[problem.label[row]]);
    CHECK(problem.least_error == std::vector<int64_t>{2, 1, 1});
    const int64_t weights[] = {1, 1, 2};
    CHECK(problem.leaf_cost(weights) == 4);  // predict 1 (2 + 2) or 2 (3 + 1)
}

TEST_CASE("what rows of one set can cost beyond another") {
    Draw draw(5);
    for (int round = 0; round < 200; ++round) {
        const Problem problem = silva::test::optimal_sample(draw, 40).problem();
        NodeFacts facts;
        set_all_rows(problem, facts.set);
        measure_set(problem, facts);
        CHECK(facts.rows == problem.rows());
        CHECK(facts.reach == problem.total_reach);
        RowSet some = facts.set;
        int64_t beyond = 0;
        for (int64_t row = 0; row < problem.rows(); ++row)
            if (draw.chance(0.5)) {
                some[row / 64] ^= uint64_t{1} << (row % 64);
                beyond += problem.reach[row];
            }
        CHECK(reach_beyond(problem, facts.set, some) == beyond);
        CHECK(reach_beyond(problem, some, facts.set) == 0);
    }
}
