#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "core/columns/reductions.hpp"

using namespace silva;

TEST_CASE("the ranks on both sides of a cut") {
    const std::vector<uint16_t> ranks{9, 2, 7, 3, 65535, 0, 12};
    const Range<uint16_t> around_seven = around(ranks.data(), 7, uint16_t{7});
    CHECK(around_seven.low == 3);
    CHECK(around_seven.high == 7);
    const std::vector<uint32_t> more{90000, 5, 70000};
    CHECK(around(more.data(), 3, 80000u).low == 70000);
    CHECK(around(more.data(), 3, 80000u).high == 90000);
}

TEST_CASE_TEMPLATE("the range of values, and those around a cut, one by one", T, uint16_t,
                   uint32_t) {
    std::mt19937 random(6);
    for (size_t n = 1; n < 150; ++n) {
        for (const T n_values : {T(3), std::numeric_limits<T>::max()}) {
            std::vector<T> values(n);
            for (T& value : values) value = static_cast<T>(random() % n_values);
            const auto [low, high] = std::minmax_element(values.begin(), values.end());
            const auto n_all = static_cast<int64_t>(n);
            const Range<T> range = range_of(values.data(), n_all);
            CHECK(range.low == *low);
            CHECK(range.high == *high);
            if (*low == *high) continue;
            const T cut = *high;
            T below = *low;
            for (const T value : values)
                if (value < cut) below = std::max(below, value);
            CHECK(around(values.data(), n_all, cut).low == below);
            CHECK(around(values.data(), n_all, cut).high == cut);
            const auto after = static_cast<T>(*low + 1);
            T above = *high;
            for (const T value : values)
                if (value >= after) above = std::min(above, value);
            CHECK(around(values.data(), n_all, after).low == *low);
            CHECK(around(values.data(), n_all, after).high == above);
        }
    }
}

TEST_CASE("ranks of some rows among themselves") {
    const std::vector<uint32_t> ranks{500, 70, 70, 3, 999, 64}, ids{0, 1, 2, 4, 5};
    std::vector<uint64_t> present(1000 / 64 + 1);
    std::vector<uint32_t> before(present.size());
    std::vector<uint16_t> out(ids.size());
    rank_among(ranks.data(), ids.data(), 5, 1000, present.data(), before.data(), out.data());
    CHECK(out == std::vector<uint16_t>{2, 1, 1, 3, 0});
}

TEST_CASE("sums of pairs of counts, of all rows and of marked ones") {
    std::mt19937_64 random(5);
    for (const int64_t n : {1, 15, 16, 17, 32, 33, 64, 100, 1001}) {
        std::vector<uint32_t> pairs(static_cast<size_t>(n));
        std::vector<uint64_t> bits(static_cast<size_t>(n + 63) / 64);
        for (uint32_t& pair : pairs) pair = static_cast<uint32_t>(random() % 0xFFFFFF);
        uint64_t low = 0, high = 0, all = 0;
        for (int64_t i = 0; i < n; ++i) {
            all += pairs[i] & 0xFFFF;
            if (random() % 3 != 0) continue;
            bits[i / 64] |= uint64_t{1} << (i % 64);
            low += pairs[i] & 0xFFFF;
            high += pairs[i] >> 16;
        }
        const PairSum sum = sum_marked(pairs.data(), n, bits.data());
        CHECK(sum.low == low);
        CHECK(sum.high == high);
        CHECK(sum_pairs(pairs.data(), n).low == all);
    }
}

TEST_CASE("bits that two rows of words have in common") {
    const std::vector<uint64_t> a{0xFF, 0, ~uint64_t{0}}, b{0x0F, 5, 3};
    CHECK(count_common(a.data(), b.data(), 3) == 6);
    CHECK(count_common(a.data(), b.data(), 0) == 0);
    CHECK(count_marked(a.data(), 3 * 64) == 72);
    CHECK(count_marked(a.data(), 8) == 8);
}
