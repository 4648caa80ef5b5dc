#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "core/forest/sorted_keys.hpp"

using namespace silva;

TEST_CASE("positions in the order of their ranks") {
    std::mt19937 random(1);
    KeyScratch scratch;
    for (const int64_t n : {1, 2, 15, 16, 17, 64, 65, 128, 129, 192, 193, 1000})
        for (const uint32_t range : {1u, 200u, 70000u, 20000000u}) {
            std::vector<uint32_t> ranks(static_cast<size_t>(n));
            for (uint32_t& rank : ranks) rank = 7 + random() % (range + 1);
            const uint64_t* keys = sorted_keys(ranks.data(), n, 7u, 7 + range, scratch);
            std::vector<uint8_t> seen(ranks.size(), 0);
            for (int64_t i = 0; i < n; ++i) {
                const auto at = static_cast<uint32_t>(keys[i]);
                CHECK((ranks[at] - 7) == (keys[i] >> 32));
                CHECK(++seen[at] == 1);
                if (i > 0) CHECK((keys[i - 1] >> 32) <= (keys[i] >> 32));
            }
        }
}
