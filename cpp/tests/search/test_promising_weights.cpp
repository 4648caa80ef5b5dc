#include <cmath>

#include "core/search/promising_weights.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

template <class Id>
void check_blocks(uint64_t seed) {
    Draw draw(seed);
    int hits = 0, misses = 0;
    for (int round = 0; round < 3000; ++round) {
        const int64_t reach = draw.pick<int64_t>({3, 1000, int64_t{1} << 30});
        std::vector<int64_t> weights(300);
        WeightPosition all{0, 0};
        for (int64_t& w : weights) {
            w = draw.between(1, reach) * (draw.chance(0.4) ? 1 : -1);
            all.sum += std::max<int64_t>(w, 0);
            all.left += std::abs(w);
        }
        const auto n = static_cast<int>(draw.below(65));
        std::vector<Id> entries(static_cast<size_t>(n));
        for (Id& entry : entries) {
            entry = static_cast<Id>(draw.below(300));
            if (draw.chance(0.7)) entry |= Id(Id(1) << (8 * sizeof(Id) - 1));
        }
        const WeightPosition first{all.sum / 3, all.left / 2};
        const double total = 3 * static_cast<double>(all.left);
        const WeightFilter filter{total, 2 * static_cast<double>(all.sum),
                                  draw.unit() * draw.unit() * total * total / 50};
        std::vector<int64_t> values(64, 0);
        const uint64_t mask =
            promising_weights(filter, weights.data(), entries.data(), n, first, values.data());
        WeightPosition at = first;
        for (int j = 0; j < n; ++j) {
            const bool expected = is_promising(filter, at);
            REQUIRE(((mask >> j & 1) != 0) == expected);
            (expected ? hits : misses) += 1;
            const Id id = entries[static_cast<size_t>(j)] & Id(~(Id(1) << (8 * sizeof(Id) - 1)));
            REQUIRE(values[static_cast<size_t>(j)] == weights[id]);
            at.sum += std::max<int64_t>(weights[id], 0);
            at.left += std::abs(weights[id]);
        }
        REQUIRE((n == 64 || mask >> n == 0));
    }
    CHECK(hits > 1000);
    CHECK(misses > 1000);
}

}  // namespace

TEST_CASE("promising weights: every promising position of a block is found, for both widths") {
    check_blocks<uint16_t>(81);
    check_blocks<uint32_t>(82);
}
