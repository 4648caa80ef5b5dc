#include <doctest/doctest.h>

#include <vector>

#include "core/search/ratio.hpp"

using namespace silva;

namespace {

Merit split(int32_t column, double gain, int64_t lighter) {
    Merit merit;
    merit.column = column;
    merit.gain = gain;
    merit.lighter = lighter;
    return merit;
}

int32_t chosen(const std::vector<Merit>& splits, int64_t weight) {
    const Merit* best = best_by_ratio(std::span<const Merit>(splits), weight);
    return best == nullptr ? -1 : best->column;
}

}  // namespace

TEST_CASE("the ratio of a split in half is its gain") {
    CHECK(gain_ratio_of(split(0, 0.25, 8), 16) == doctest::Approx(0.25));
}

TEST_CASE("a lopsided split has a higher ratio, unless its gain is below the average") {
    CHECK(chosen({split(0, 0.25, 8), split(1, 0.25, 1)}, 16) == 1);
    CHECK(chosen({split(0, 0.25, 8), split(1, 0.24, 1)}, 16) == 0);
}

TEST_CASE("of equal splits the first column is chosen; those that do not exist are skipped") {
    CHECK(chosen({split(2, 0.25, 4), split(5, 0.25, 4)}, 16) == 2);
    CHECK(chosen({Merit{}, split(5, 0.25, 4)}, 16) == 5);
    CHECK(chosen({Merit{}}, 16) == -1);
    CHECK(chosen({}, 16) == -1);
}
