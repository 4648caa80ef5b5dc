#include <doctest/doctest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/random.hpp"
#include "core/search/column_draws.hpp"

using namespace silva;

TEST_CASE("the first columns of an order, and then one after the other") {
    for (const int64_t n : {2, 5, 8, 20, 31, 54, 64, 65, 200}) {
        ColumnDraws draws(n);
        for (uint64_t seed = 0; seed < 30; ++seed) {
            std::vector<std::pair<uint64_t, int32_t>> order;
            for (int32_t c = 0; c < n; ++c)
                order.push_back({mix(seed, static_cast<uint64_t>(c)), c});
            std::sort(order.begin(), order.end());
            const int64_t limit = 1 + static_cast<int64_t>(seed) % (n - 1);
            std::vector<int32_t> wanted;
            for (int64_t i = 0; i < limit; ++i) wanted.push_back(order[i].second);
            std::sort(wanted.begin(), wanted.end());
            const auto first = draws.first(seed, limit);
            CHECK(std::vector<int32_t>(first.begin(), first.end()) == wanted);
            for (int64_t i = limit; i < n; ++i) CHECK(draws.next() == order[i].second);
            CHECK(draws.next() == -1);
            const uint64_t alive = mix(seed);
            const auto is_alive = [&](int32_t c) { return c >= 64 || (alive >> c & 1) != 0; };
            std::erase_if(wanted, [&](int32_t c) { return !is_alive(c); });
            const auto living = draws.first(seed, limit, alive);
            CHECK(std::vector<int32_t>(living.begin(), living.end()) == wanted);
            for (int64_t i = limit; i < n; ++i)
                if (is_alive(order[i].second)) CHECK(draws.next(alive) == order[i].second);
            CHECK(draws.next(alive) == -1);
        }
    }
}
