#include "core/search/finders/short_keys.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

TEST_CASE("short_keys: sorted by key, equals by index, for any number of bits") {
    Draw draw(62);
    std::vector<uint64_t> other;
    for (const int bits : {1, 8, 11, 12, 17, 23, 32})
        for (const uint64_t n : {0, 1, 47, 48, 1000, 5000}) {
            std::vector<uint64_t> keys;
            for (uint64_t i = 0; i < n; ++i) {
                const auto key = static_cast<uint64_t>(draw.below(int64_t{1} << bits));
                keys.push_back(key << 32 | i);
            }
            std::vector<uint64_t> expected = keys;
            std::sort(expected.begin(), expected.end());
            sort_short_keys(keys, other, bits);
            REQUIRE(keys == expected);
        }
}
