#include "core/optimal/node.hpp"
#include "optimal_sample.hpp"

using namespace silva::optimal;
using silva::test::Draw;
using silva::test::OptimalSample;

namespace {

using Row = std::tuple<int32_t, int32_t, int64_t, int64_t, int64_t>;

// Rank in the first column, class, weight, count and reach, in a fixed order.
std::vector<Row> rows_of(const Problem& problem) {
    std::vector<Row> rows;
    for (int64_t i = 0; i < problem.rows(); ++i)
        rows.emplace_back(problem.rank(0, i), problem.label[i], problem.weight[i], problem.count[i],
                          problem.reach[i]);
    std::sort(rows.begin(), rows.end());
    return rows;
}

int64_t sum(const std::vector<int64_t>& values) {
    int64_t total = 0;
    for (const int64_t value : values) total += value;
    return total;
}

}  // namespace

TEST_CASE("rows of equal ranks and class become one") {
    const OptimalSample sample{4,           1, 2, {0, 1, 0, 1}, {2}, {0, 1, 0, 0}, {1, 2, 3, 5},
                               {0, 1, 1, 0}};
    const Problem problem = sample.problem();
    CHECK(rows_of(problem) == std::vector<Row>{{0, 0, 4, 2, 4}, {1, 0, 5, 1, 5}, {1, 1, 2, 1, 2}});
    CHECK(sum(problem.floor) == 2);
    CHECK(problem.total_count == 4);
    CHECK_FALSE(problem.is_unit);
}

TEST_CASE("weights of two classes hold their costs, other costs stay") {
    const OptimalSample two{2, 1, 2, {0, 1}, {2}, {0, 1}, {1, 1}, {0, 7, 3, 0}};
    CHECK(rows_of(two.problem()) == std::vector<Row>{{0, 0, 7, 1, 7}, {1, 1, 3, 1, 3}});
    CHECK(two.problem().is_plain);
    const OptimalSample three{3,   1,         3,         {0, 1, 2},
                              {3}, {0, 1, 2}, {1, 1, 2}, {0, 2, 3, 1, 0, 1, 4, 1, 0}};
    const Problem problem = three.problem();
    CHECK_FALSE(problem.is_plain);
    CHECK(rows_of(problem) == std::vector<Row>{{0, 0, 1, 1, 3}, {1, 1, 1, 1, 1}, {2, 2, 2, 1, 8}});
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
