#include <algorithm>
#include <cmath>

#include "core/base/exact_sum.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

double sum(const std::vector<double>& terms) {
    ExactSum total;
    for (double x : terms) total.add(x);
    return total.value();
}

ExactSum exact(Wide value) {
    ExactSum total;
    constexpr Wide part = Wide(1) << 40;
    for (double unit = 1.0; value != 0; value /= part, unit *= 0x1p40)
        total.add(static_cast<double>(value % part) * unit);
    return total;
}

// a / b rounded once, by long division: 64 more bits and one that says whether anything is left.
double rounded_quotient(int64_t a, int64_t b) {
    const Wide shifted = Wide(a) << 64;
    const Wide sticky = shifted % b == 0 ? 0 : 1;
    const Wide quotient = a < 0 ? -((-shifted / b) | sticky) : (shifted / b) | sticky;
    return std::ldexp(static_cast<double>(quotient), -64);
}

}  // namespace

TEST_CASE("exact_sum: nothing sums to zero") { CHECK(ExactSum().value() == 0.0); }

TEST_CASE("exact_sum: known sums that rounding spoils") {
    CHECK(sum(std::vector<double>(10, 0.1)) == 1.0);
    CHECK(sum({1e16, 1.0, -1e16}) == 1.0);
    CHECK(sum({1e100, 1.0, -1e100, 1e-100}) == 1.0);
    CHECK(sum({1e308, -1.0, -1e308}) == -1.0);
    CHECK(sum({kTiny, kTiny, -kTiny}) == kTiny);
    CHECK(sum({0x1p53, kTiny, -0x1p53}) == kTiny);
}

TEST_CASE("exact_sum: half-way cases are decided by what is below") {
    CHECK(sum({0x1p53, 1.0}) == 0x1p53);
    CHECK(sum({0x1p53, 1.0, 1e-300}) == 0x1p53 + 2);
    CHECK(sum({0x1p53, 1.0, -1e-300}) == 0x1p53);
    CHECK(sum({0x1p53 + 2, 1.0}) == 0x1p53 + 4);
    CHECK(sum({0x1p53 + 2, 1.0, -1e-300}) == 0x1p53 + 2);
    CHECK(sum({-0x1p53, -1.0, -1e-300}) == -0x1p53 - 2);
    CHECK(sum({0x1p53, 1.0, 1e-100, -1e-100, 1e-200}) == 0x1p53 + 2);
}

TEST_CASE("exact_sum: the order of the terms does not matter") {
    std::vector<double> terms = {1e16, 1.0, 1e-16, -1e16, 0.1, -1e-300};
    std::sort(terms.begin(), terms.end());
    const double first = sum(terms);
    while (std::next_permutation(terms.begin(), terms.end())) REQUIRE(sum(terms) == first);
}

TEST_CASE("exact_sum: equals 128-bit integers, rounded once") {
    Draw draw(5);
    for (int round = 0; round < 500; ++round) {
        ExactSum total;
        Wide expected = 0;
        const int64_t n = draw.between(1, 40);
        for (int64_t i = 0; i < n; ++i) {
            const int64_t mantissa = draw.between(-(int64_t{1} << 52), int64_t{1} << 52);
            const int shift = static_cast<int>(draw.below(64));
            total.add(std::ldexp(static_cast<double>(mantissa), shift));
            expected += Wide(mantissa) << shift;
        }
        REQUIRE(total.value() == static_cast<double>(expected));
    }
}

TEST_CASE("exact_sum: products are exact") {
    Draw draw(6);
    for (int round = 0; round < 500; ++round) {
        ExactSum total;
        Wide expected = 0;
        const int64_t n = draw.between(1, 40);
        for (int64_t i = 0; i < n; ++i) {
            const int64_t a = draw.between(-(int64_t{1} << 52), int64_t{1} << 52);
            const int64_t b = draw.between(-(int64_t{1} << 52), int64_t{1} << 52);
            total.add_product(static_cast<double>(a), static_cast<double>(b));
            expected += Wide(a) * b;
        }
        REQUIRE(total.value() == static_cast<double>(expected));
    }
    ExactSum rest;  // the rounding error of 0.1 * 0.1
    rest.add_product(0.1, 0.1);
    rest.add(-(0.1 * 0.1));
    CHECK(rest.value() == std::fma(0.1, 0.1, -(0.1 * 0.1)));
    CHECK(rest.value() != 0.0);
}

TEST_CASE("exact_sum: a whole sum times a number is exact") {
    Draw draw(57);
    for (int round = 0; round < 200; ++round) {
        const Wide a = Wide(draw.between(-(int64_t{1} << 62), int64_t{1} << 62)) * 1013;
        const int64_t b = draw.between(-(1 << 20), 1 << 20), c = draw.between(-1000, 1000);
        ExactSum total = exact(c);
        total.add_product(exact(a), static_cast<double>(b));
        REQUIRE(total.value() == static_cast<double>(a * b + c));
    }
}

TEST_CASE("exact_sum: quotients are rounded once") {
    Draw draw(58);
    for (int round = 0; round < 5000; ++round) {
        const int64_t a = draw.between(int64_t{1} << 40, int64_t{1} << 62);
        const int64_t sign = draw.chance(0.5) ? 1 : -1;
        const int64_t b = draw.between(1, 1 << 20);
        REQUIRE(exact_quotient(exact(sign * a), exact(b)) == rounded_quotient(sign * a, b));
    }
}

TEST_CASE("exact_sum: quotients half-way between two numbers") {
    const auto quotient = [](std::vector<double> terms, double weight) {
        ExactSum sum, divisor;
        for (double x : terms) sum.add(x);
        divisor.add(weight);
        return exact_quotient(sum, divisor);
    };
    CHECK(quotient({0x1p53, 1.0}, 1.0) == 0x1p53);
    CHECK(quotient({0x1p53 + 2, 1.0}, 1.0) == 0x1p53 + 4);
    CHECK(quotient({0x1p53, 1.0, 1e-300}, 1.0) == 0x1p53 + 2);
    CHECK(quotient({-0x1p53, -1.0, -1e-300}, 1.0) == -0x1p53 - 2);
    CHECK(quotient({0x1p53 + 2, 1.0, -1e-300}, 1.0) == 0x1p53 + 2);
    CHECK(quotient({3 * 0x1p53, 3.0, 1e-300}, 3.0) == 0x1p53 + 2);
    CHECK(quotient({0x1p54, -1.0}, 1.0) == 0x1p54);  // below a power of two the steps are halved
    CHECK(quotient({0x1p54, -1.0, -1e-300}, 1.0) == 0x1p54 - 2);
    CHECK(quotient({1.0, -1.0}, 3.0) == 0.0);
}
