#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "core/columns/row_draws.hpp"

using namespace silva;

TEST_CASE("draws with replacement add up") {
    Array<uint32_t> counts;
    draw_counts(5, 100, 250, true, counts);
    CHECK(counts.size() == 100);
    CHECK(std::accumulate(counts.data(), counts.data() + 100, 0u) == 250);
}

TEST_CASE("draws without replacement take different rows") {
    Array<uint32_t> counts;
    for (const int64_t n : {1, 37, 99, 100, 1000}) {
        draw_counts(6, 100, n, false, counts);
        CHECK(std::accumulate(counts.data(), counts.data() + 100, 0) == std::min<int64_t>(n, 100));
        CHECK(*std::max_element(counts.data(), counts.data() + 100) == 1);
    }
}
