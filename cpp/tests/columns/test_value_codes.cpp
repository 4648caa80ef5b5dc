#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/base/random.hpp"
#include "core/columns/value_codes.hpp"

using namespace silva;

namespace {

ColumnView view_of(const std::vector<double>& values) {
    ColumnView view;
    view.data = reinterpret_cast<const char*>(values.data());
    view.stride = sizeof(double);
    return view;
}

Target target_of(int64_t n) {
    Target target;
    target.n_rows = n;
    return target;
}

// Codes never fall as values grow, and a code is mixed exactly if it stands for different values.
void check_codes(const std::vector<double>& values) {
    ValueCodes coded;
    CodeScratch scratch;
    const auto n = static_cast<int64_t>(values.size());
    REQUIRE(code_values(view_of(values), target_of(n), scratch, coded));
    for (int64_t i = 0; i < n; ++i) {
        CHECK(coded.codes[i] == coded.scale.code(values[i]));
        for (int64_t k = 0; k < n; ++k) {
            if (values[i] < values[k]) CHECK(coded.codes[i] <= coded.codes[k]);
            if (values[i] == values[k]) CHECK(coded.codes[i] == coded.codes[k]);
            if (values[i] != values[k] && coded.codes[i] == coded.codes[k])
                CHECK(coded.has_collision(coded.codes[i]));
        }
    }
    for (int64_t i = 0; i < n; ++i) {
        bool has_collision = false;
        for (int64_t k = 0; k < n; ++k)
            has_collision |= coded.codes[i] == coded.codes[k] && values[i] != values[k];
        CHECK(coded.has_collision(coded.codes[i]) == has_collision);
    }
}

}  // namespace

TEST_CASE("codes keep the order of any values") {
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (int round = 0; round < 20; ++round) {
        std::vector<double> plain, skewed, tied, wild;
        for (int i = 0; i < 60; ++i) {
            plain.push_back(normal(random));
            skewed.push_back(std::exp(40 * normal(random)));
            tied.push_back(std::floor(4 * normal(random)));
            wild.push_back(
                i % 7 == 0 ? (i % 2 ? infinity : -infinity)
                           : std::ldexp(normal(random), static_cast<int>(random() % 2000) - 1000));
        }
        check_codes(plain);
        check_codes(skewed);
        check_codes(tied);
        check_codes(wild);
    }
    check_codes({0.0, 5e-324});
    check_codes({-1.7e308, 1.7e308, 0.0});
    check_codes({1.0, std::nextafter(1.0, 2.0), std::nextafter(1.0, 0.0)});
}

TEST_CASE("crowded values get a scale by exponent, others an even one") {
    std::vector<double> skewed{1e12};
    for (int i = 0; i < 4000; ++i) skewed.push_back(1 + i * 1e-3);
    ValueCodes coded;
    CodeScratch scratch;
    REQUIRE(code_values(view_of(skewed), target_of(4001), scratch, coded));
    CHECK(coded.scale.code(1.0) < coded.scale.code(4.0));
}

TEST_CASE("constant columns have no codes") {
    ValueCodes coded;
    CodeScratch scratch;
    CHECK(!code_values(view_of({0.0, -0.0, 0.0}), target_of(3), scratch, coded));
    const double missing = std::numeric_limits<double>::quiet_NaN();
    CHECK(!code_values(view_of({missing, missing}), target_of(2), scratch, coded));
}

TEST_CASE("missing values have a code of their own") {
    const double missing = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> crowded(3000, 1.0);
    for (size_t i = 0; i < crowded.size(); ++i) crowded[i] += 1e-9 * static_cast<double>(i);
    crowded.back() = 1e300;
    for (std::vector<double> values :
         {std::vector{1.0}, std::vector{3.0, -8.0, 5.0}, std::vector{-1e308, 1e308}, crowded}) {
        values.insert(values.begin() + 1, missing);
        const auto n = static_cast<int64_t>(values.size());
        ValueCodes coded;
        CodeScratch scratch;
        REQUIRE(code_values(view_of(values), target_of(n), scratch, coded));
        CHECK(coded.has_missing);
        CHECK(!coded.has_collision(kMissingCode));
        for (int64_t i = 0; i < n; ++i) CHECK((coded.codes[i] == kMissingCode) == (i == 1));
    }
}

TEST_CASE("only the rows that are kept are coded") {
    const std::vector<double> values{5.0, std::numeric_limits<double>::quiet_NaN(), 7.0, 6.0};
    Target target = target_of(3);
    target.kept.resize(3);
    target.kept[0] = 0;
    target.kept[1] = 2;
    target.kept[2] = 3;
    ValueCodes coded;
    CodeScratch scratch;
    REQUIRE(code_values(view_of(values), target, scratch, coded));
    CHECK(coded.codes[0] == 0);
    CHECK(coded.codes[1] == 65535);
    CHECK(coded.codes[2] == 32767);
}

TEST_CASE("the window of a drawn number has its code") {
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    int64_t checked = 0;
    for (const double shift : {0.0, 1e6, -3e9, 1e15}) {
        std::vector<double> values;
        for (int i = 0; i < 500; ++i) values.push_back(shift + normal(random));
        ValueCodes coded;
        CodeScratch scratch;
        if (!code_values(view_of(values), target_of(500), scratch, coded)) continue;
        if (!coded.scale.has_windows()) continue;
        for (int round = 0; round < 20000; ++round) {
            const double a = values[random() % 500], b = values[random() % 500];
            const double low = std::min(a, b), high = std::max(a, b);
            if (low == high) continue;
            const uint64_t hash = random();
            const auto window =
                coded.scale.window(coded.scale.code(low), coded.scale.code(high), unit_draw(hash));
            const uint16_t code = coded.scale.code(random_between(low, high, hash));
            CHECK(window.first <= code);
            CHECK(code <= window.last);
            CHECK(window.last - window.first <= 3);
            ++checked;
        }
    }
    CHECK(checked > 50000);
}
