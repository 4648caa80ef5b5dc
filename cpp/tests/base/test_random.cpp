#include <set>

#include "core/base/random.hpp"
#include "tests/support.hpp"

using namespace silva;

TEST_CASE("random: draws are fixed for all time") {
    CHECK(mix(0) == 0xE220A8397B1DCDAFu);  // the first outputs of SplitMix64 from seed 0
    CHECK(mix(0x9E3779B97F4A7C15u) == 0x6E789E6AA1B965F4u);
    CHECK(mix(1, 2) == mix(mix(1) ^ 2));
}

TEST_CASE("random: the order of two keys matters and neighbours differ") {
    std::set<uint64_t> seen;
    for (uint64_t a = 0; a < 50; ++a)
        for (uint64_t b = 0; b < 50; ++b) seen.insert(mix(a, b));
    CHECK(seen.size() == 2500);
}

TEST_CASE("random: unit draws lie in (0, 1]") {
    CHECK(unit_draw(0) == 0x1p-53);
    CHECK(unit_draw(~uint64_t{0}) == 1.0);
    double sum = 0;
    for (uint64_t i = 0; i < 1000; ++i) sum += unit_draw(mix(i));
    CHECK(sum > 460);
    CHECK(sum < 540);
}
