#include "core/search/stats.hpp"
#include "tests/support.hpp"

using namespace silva;

TEST_CASE("stats: a node of one class is pure") {
    NodeStats stats;
    stats.rows = 2;
    stats.weight = 5;
    stats.classes = {0, 5, 0};
    CHECK(stats.pure());
    stats.classes = {1, 4, 0};
    CHECK_FALSE(stats.pure());
}

TEST_CASE("stats: a node of one target value is pure") {
    NodeStats stats;
    stats.rows = stats.weight = 3;
    stats.lowest = stats.highest = -4;
    CHECK(stats.pure());
    stats.highest = -3;
    CHECK_FALSE(stats.pure());
}
