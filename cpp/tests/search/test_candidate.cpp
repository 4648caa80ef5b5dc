#include "core/search/candidate.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

bool separates(double a, double b) {
    const double t = threshold_between(a, b);
    return a < t && t <= b;
}

Candidate candidate(double gain, int64_t lighter, int32_t column, int64_t position,
                    bool missing_left) {
    Candidate made;
    made.gain = gain;
    made.lighter = lighter;
    made.column = column;
    made.position = position;
    made.missing_left = missing_left;
    return made;
}

// Every combination of two values of each key.
std::vector<Candidate> all_candidates() {
    std::vector<Candidate> all;
    for (const double gain : {0.0, 0.25})
        for (const int64_t lighter : {1, 2})
            for (const int32_t column : {0, 3})
                for (const int64_t position : {-1, 4})
                    for (const bool left : {false, true})
                        all.push_back(candidate(gain, lighter, column, position, left));
    return all;
}

}  // namespace

TEST_CASE("candidate: a threshold is the midpoint") {
    CHECK(threshold_between(1.0, 2.0) == 1.5);
    CHECK(threshold_between(0.0, 2.0) == 1.0);
    CHECK(threshold_between(-3.0, 1.0) == -1.0);
    CHECK(threshold_between(-kMax, kMax) == 0.0);
}

TEST_CASE("candidate: between neighbouring numbers the threshold is the upper one") {
    for (const double a : {1.0, 0.1, -0.1, 1e300, -1e300, 1e-310, std::nextafter(1.0, 0.0)}) {
        const double b = std::nextafter(a, kInf);
        CHECK(threshold_between(a, b) == b);
    }
}

TEST_CASE("candidate: infinities are separated from everything") {
    CHECK(threshold_between(1.0, kInf) == kInf);
    CHECK(threshold_between(-kInf, 1.0) == 1.0);
    CHECK(threshold_between(-kInf, -kMax) == -kMax);
    CHECK(threshold_between(-kInf, kInf) == kInf);
}

TEST_CASE("candidate: large numbers do not overflow") {
    const double middle = threshold_between(kMax / 2, kMax);
    CHECK(middle == kMax * 0.75);
    CHECK(threshold_between(-kMax, -kMax / 2) == -kMax * 0.75);
    CHECK(separates(std::nextafter(kMax, 0.0), kMax));
}

TEST_CASE("candidate: subnormal numbers are separated") {
    CHECK(threshold_between(0.0, kTiny) == kTiny);
    CHECK(separates(-kTiny, 0.0));
    CHECK(separates(-kTiny, kTiny));
    CHECK(threshold_between(kTiny, 3 * kTiny) == 2 * kTiny);
    CHECK(separates(2 * kTiny, 3 * kTiny));
}

TEST_CASE("candidate: random neighbours are separated") {
    Draw draw(10);
    for (int round = 0; round < 2000; ++round) {
        const double a = std::ldexp(draw.unit() - 0.5, static_cast<int>(draw.between(-1074, 1024)));
        double b = a;
        if (draw.chance(0.5)) {
            const int64_t steps = draw.between(1, 4);
            for (int64_t i = 0; i < steps; ++i) b = std::nextafter(b, kInf);
        } else {
            b = std::ldexp(draw.unit() - 0.5, static_cast<int>(draw.between(-1074, 1024)));
        }
        if (a != b) REQUIRE(separates(std::min(a, b), std::max(a, b)));
    }
}

TEST_CASE("candidate: any candidate beats none") {
    const Candidate none;
    CHECK_FALSE(none.exists());
    CHECK(better(candidate(0.0, 1, 0, 0, false), none));
    CHECK_FALSE(better(none, candidate(0.0, 1, 0, 0, false)));
    CHECK_FALSE(better(none, none));
}

TEST_CASE("candidate: gain, lighter child, column, position, missing left, in this order") {
    const Candidate base = candidate(0.5, 10, 5, 7, false);
    CHECK(better(candidate(0.6, 1, 9, 9, false), base));
    CHECK(better(candidate(0.5, 11, 9, 9, false), base));
    CHECK(better(candidate(0.5, 10, 4, 9, false), base));
    CHECK(better(candidate(0.5, 10, 5, 6, false), base));
    CHECK(better(candidate(0.5, 10, 5, 7, true), base));
    CHECK_FALSE(better(base, base));
}

TEST_CASE("candidate: the order is total") {
    const std::vector<Candidate> all = all_candidates();
    for (size_t i = 0; i < all.size(); ++i) {
        for (size_t j = 0; j < all.size(); ++j) {
            REQUIRE((better(all[i], all[j]) != better(all[j], all[i])) == (i != j));
            for (const Candidate& third : all)
                if (better(all[i], all[j]) && better(all[j], third)) REQUIRE(better(all[i], third));
        }
    }
}
