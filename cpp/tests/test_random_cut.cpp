#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/forest/random_cut.hpp"

using namespace silva;

TEST_CASE("the least float that is not below a number") {
    for (const double x : {0.1, -0.1, 1.0, 1e-60, -1e-60, 0.0, 16777217.0, -16777217.0}) {
        const float value = least_not_below<float>(x);
        CHECK(static_cast<double>(value) >= x);
        CHECK(static_cast<double>(std::nextafter(value, -INFINITY)) < x);
        CHECK(least_not_below<double>(x) == x);
    }
}

TEST_CASE("a random cut counts what is below it, few values or many") {
    std::mt19937 random(1);
    for (int64_t n = 1; n < 70; ++n) {
        std::vector<float> values(static_cast<size_t>(n));
        std::vector<uint32_t> pairs(static_cast<size_t>(n));
        for (float& value : values) value = static_cast<float>(static_cast<int>(random() % 9) - 4);
        for (uint32_t& pair : pairs) pair = random();
        const std::vector<double> doubles(values.begin(), values.end());
        const uint64_t hash = mix(static_cast<uint64_t>(n));
        const RandomPairs drawn = random_pairs(values.data(), pairs.data(), n, hash);
        const Range<float> range = range_of(values.data(), n);
        CHECK(drawn.constant == (range.low == range.high));
        if (drawn.constant) continue;
        CHECK(drawn.threshold == random_between(range.low, range.high, hash));
        uint64_t low = 0, high = 0;
        for (int64_t i = 0; i < n; ++i) {
            if (!(values[i] < drawn.threshold)) continue;
            low += pairs[i] & 0xFFFF;
            high += pairs[i] >> 16;
        }
        CHECK(drawn.left.low == low);
        CHECK(drawn.left.high == high);
        const RandomPairs same = random_pairs(doubles.data(), pairs.data(), n, hash);
        CHECK(same.threshold == drawn.threshold);
        CHECK(same.left.high == high);
    }
}
