#include "core/columns/level_index.hpp"
#include "tests/support.hpp"

using namespace silva;

TEST_CASE("level_index: many rows and few rows give the same answers") {
    const std::vector<int32_t> codes = {0, 7, 40, 99};
    const LevelIndex searched(codes, 100, 3), looked_up(codes, 100, 1000);
    for (int32_t code = 0; code < 100; ++code) {
        REQUIRE(searched.of(code) == looked_up.of(code));
        const auto at = std::find(codes.begin(), codes.end(), code);
        REQUIRE(searched.of(code) == (at == codes.end() ? -1 : at - codes.begin()));
    }
}

TEST_CASE("level_index: an empty list holds nothing") {
    const std::vector<int32_t> codes;
    CHECK(LevelIndex(codes, 5, 100).of(4) == -1);
    CHECK(LevelIndex(codes, 1000, 1).of(4) == -1);
}
