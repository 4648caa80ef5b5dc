#include <cmath>

#include "core/base/binned_sum.hpp"
#include "core/base/exact_sum.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

TEST_CASE("binned sum: equals the exact sum, rounded once") {
    Draw draw(71);
    for (int round = 0; round < 300; ++round) {
        const int reach = draw.pick<int>({1, 60, 900});
        BinnedSum binned;
        ExactSum exact;
        for (int64_t i = draw.below(200); i > 0; --i) {
            const auto exponent = static_cast<int>(draw.between(-reach, reach));
            const double x = draw.chance(0.1) ? 0.0 : std::ldexp(draw.unit(), exponent);
            binned.add(x);
            exact.add(x);
        }
        REQUIRE(binned.value() == exact.value());
    }
}

TEST_CASE("binned sum: the ends of float64") {
    BinnedSum sum;
    CHECK(sum.value() == 0.0);
    for (int i = 0; i < 5; ++i) sum.add(kTiny);
    CHECK(sum.value() == 5 * kTiny);
    sum.add(kMax);
    CHECK(sum.value() == kMax);
}
