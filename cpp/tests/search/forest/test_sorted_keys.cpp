#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "core/search/forest/sorted_keys.hpp"

using namespace silva;

TEST_CASE_TEMPLATE("positions in the order of their ranks", Rank, uint16_t, uint32_t) {
    std::mt19937 random(1);
    KeyScratch scratch;
    for (const int64_t n : {1, 2, 7, 8, 9, 15, 16, 17, 33, 64, 65, 128, 129, 192, 193, 1000})
        for (const uint32_t range : {1u, 200u, 65528u, 20000000u}) {
            if (range > std::numeric_limits<Rank>::max()) continue;
            std::vector<Rank> ranks(static_cast<size_t>(n));
            for (Rank& rank : ranks) rank = static_cast<Rank>(7 + random() % (range + 1));
            std::vector<uint64_t> wanted;
            for (int64_t i = 0; i < n; ++i)
                wanted.push_back(static_cast<uint64_t>(ranks[i] - 7) << 32 |
                                 static_cast<uint64_t>(i));
            std::sort(wanted.begin(), wanted.end());
            const uint64_t* keys =
                sorted_keys(ranks.data(), n, Rank{7}, static_cast<Rank>(7 + range), scratch);
            CHECK(std::vector<uint64_t>(keys, keys + n) == wanted);
        }
}
