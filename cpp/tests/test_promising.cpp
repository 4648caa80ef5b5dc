#include "core/promising.hpp"
#include "support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

uint64_t plainly(const PositionFilter& filter, const std::vector<int64_t>& sums,
                 int64_t first_left) {
    uint64_t mask = 0;
    for (size_t j = 0; j < sums.size(); ++j) {
        const double l = static_cast<double>(first_left) + static_cast<double>(j);
        const double deviation = filter.scale * static_cast<double>(sums[j]) - filter.per_row * l;
        if (deviation * deviation >= filter.bound * l * (filter.total - l))
            mask |= uint64_t{1} << j;
    }
    return mask;
}

uint64_t dispatched(const PositionFilter& filter, const std::vector<int64_t>& sums,
                    int64_t first_left) {
    return promising_positions(filter, sums.data(), static_cast<int>(sums.size()), first_left);
}

}  // namespace

TEST_CASE("promising: equals the plain loop for blocks of any length") {
    Draw draw(14);
    int hits = 0, misses = 0;
    for (int round = 0; round < 3000; ++round) {
        std::vector<int64_t> sums(static_cast<size_t>(draw.below(65)));
        const int64_t reach = draw.pick<int64_t>({10, 1000, int64_t{1} << 61});
        for (int64_t& sum : sums) sum = draw.between(-reach, reach);
        const int64_t first_left = draw.between(0, 1000);
        PositionFilter filter;
        filter.scale = draw.pick<double>({1.0, 2000.0});
        filter.per_row = draw.unit() * filter.scale;
        filter.total = static_cast<double>(first_left + draw.between(70, 2000));
        const double most = filter.scale * static_cast<double>(reach);
        filter.bound = draw.unit() * most * most / (filter.total * filter.total);
        const uint64_t expected = plainly(filter, sums, first_left);
        REQUIRE(dispatched(filter, sums, first_left) == expected);
        hits += std::popcount(expected);
        misses += static_cast<int>(sums.size()) - std::popcount(expected);
    }
    CHECK(hits > 1000);
    CHECK(misses > 1000);
}

TEST_CASE("promising: one position is found wherever it is") {
    const PositionFilter filter{1.0, 0.0, 200.0, 1.0};
    for (size_t n = 1; n <= 64; ++n) {
        std::vector<int64_t> sums(n, 1);
        CHECK(dispatched(filter, sums, 10) == 0);
        for (size_t j = 0; j < n; ++j) {
            sums[j] = -1000;
            REQUIRE(dispatched(filter, sums, 10) == uint64_t{1} << j);
            sums[j] = 1;
        }
    }
}

TEST_CASE("promising: reaching the bound exactly is enough") {
    CHECK(dispatched({1.0, 0.0, 20.0, 1.0}, {6}, 2) == 1);  // 36 = 1 * 2 * 18
    CHECK(dispatched({1.0, 0.0, 20.0, 1.0}, {5}, 2) == 0);
    CHECK(dispatched({1.0, 3.0, 20.0, 1.0}, {12}, 2) == 1);  // 12 - 3 * 2
    CHECK(dispatched({2.0, 3.0, 20.0, 1.0}, {6}, 2) == 1);
    CHECK(dispatched({1.0, 0.0, 20.0, 0.0}, {0}, 2) == 1);
    CHECK(dispatched({1.0, 0.0, 20.0, -1.0}, {0}, 2) == 1);
}

TEST_CASE("promising: nothing in an empty block") {
    CHECK(dispatched({1.0, 0.0, 20.0, -1.0}, {}, 2) == 0);
}
