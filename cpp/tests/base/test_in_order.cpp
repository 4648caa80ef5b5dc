#include <doctest/doctest.h>

#include <vector>

#include "core/base/in_order.hpp"
#include "core/base/pool.hpp"

using namespace silva;

TEST_CASE("items are taken in their order, whoever is ready first") {
    InOrder order(4, 4);
    std::vector<int64_t> taken;
    const auto take = [&](int64_t item) { taken.push_back(item); };
    order.ready(2, take);
    order.ready(1, take);
    CHECK(taken.empty());
    order.ready(0, take);
    CHECK(taken == std::vector<int64_t>{0, 1, 2});
    order.ready(3, take);
    CHECK(taken.back() == 3);
}

TEST_CASE("many threads, one order") {
    constexpr int64_t n = 500;
    InOrder order(n, 3);
    std::vector<int64_t> taken;
    Team team(4);
    team.for_each(n, [&](int64_t item, int) {
        order.wait_for_room(item);
        order.ready(item, [&](int64_t i) { taken.push_back(i); });
    });
    CHECK(taken.size() == n);
    for (int64_t i = 0; i < n; ++i) CHECK(taken[i] == i);
}

TEST_CASE("who waits for room is let go when an item fails") {
    InOrder order(10, 1);
    order.fail();
    order.wait_for_room(9);
}
