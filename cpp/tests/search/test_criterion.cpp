#include <functional>

#include "core/search/criterion.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

using Counts = std::vector<int64_t>;

int64_t total(const Counts& counts) {
    int64_t sum = 0;
    for (int64_t n : counts) sum += n;
    return sum;
}

Counts plus(const Counts& a, const Counts& b) {
    Counts sum(a);
    for (size_t k = 0; k < b.size(); ++k) sum[k] += b[k];
    return sum;
}

// The gain of a node with these two children, from one of the functions of criterion.hpp.
class Split {
  public:
    Split(Counts left, Counts right) : left_(std::move(left)), node_(plus(left_, right)) {
        for (size_t k = 0; k < node_.size(); ++k)
            if (node_[k] > 0) present_.push_back(static_cast<int32_t>(k));
    }
    double gini() const { return gini_gain(counts(), total(left_), total(node_)); }
    double entropy(bool swapped = false) const {
        return entropy_gain(counts(), total(left_), total(node_), swapped);
    }
    double error() const { return error_gain(counts(), total(node_)); }

  private:
    ClassCounts counts() const { return {left_.data(), node_.data(), present_}; }

    Counts left_, node_;
    std::vector<int32_t> present_;
};

double gini(const Counts& counts) {
    double sum = 1;
    for (int64_t n : counts) {
        const double share = static_cast<double>(n) / static_cast<double>(total(counts));
        sum -= share * share;
    }
    return sum;
}

double entropy(const Counts& counts) {
    double sum = 0;
    for (int64_t n : counts) {
        const double share = static_cast<double>(n) / static_cast<double>(total(counts));
        if (n > 0) sum -= share * std::log2(share);
    }
    return sum;
}

double error(const Counts& counts) {
    const auto most = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
    return 1 - most / static_cast<double>(total(counts));
}

double decrease(const std::function<double(const Counts&)>& impurity, const Counts& left,
                const Counts& right) {
    const auto l = static_cast<double>(total(left)), r = static_cast<double>(total(right));
    return impurity(plus(left, right)) - (l * impurity(left) + r * impurity(right)) / (l + r);
}

Counts random_counts(Draw& draw, size_t n_classes, int64_t most) {
    Counts counts(n_classes);
    for (int64_t& n : counts) n = draw.chance(0.3) ? 0 : draw.below(most);
    ++counts[static_cast<size_t>(draw.below(static_cast<int64_t>(n_classes)))];
    return counts;
}

}  // namespace

TEST_CASE("criterion: a perfect split removes all impurity") {
    CHECK(Split({4, 0}, {0, 4}).gini() == 0.5);
    CHECK(Split({4, 0}, {0, 4}).entropy() == 1.0);
    CHECK(Split({4, 0}, {0, 4}).error() == 0.5);
}

TEST_CASE("criterion: play-tennis by hand") {
    const Split humidity({3, 4}, {6, 1});
    CHECK(humidity.gini() == doctest::Approx(9.0 / 98).epsilon(1e-14));
    CHECK(humidity.entropy() == doctest::Approx(0.15183550136234).epsilon(1e-12));
    CHECK(humidity.error() == 1.0 / 14);
    const Split wind({6, 2}, {3, 3});
    CHECK(wind.entropy() == doctest::Approx(0.04812703040826).epsilon(1e-12));
    CHECK(wind.error() == 0.0);
}

TEST_CASE("criterion: absent classes change nothing") {
    CHECK(Split({3, 0, 4, 0}, {6, 0, 1, 0}).gini() == Split({3, 4}, {6, 1}).gini());
    CHECK(Split({3, 0, 4, 0}, {6, 0, 1, 0}).entropy() == Split({3, 4}, {6, 1}).entropy());
}

TEST_CASE("criterion: the gain is the decrease of the impurity") {
    Draw draw(7);
    for (int round = 0; round < 300; ++round) {
        const auto n_classes = static_cast<size_t>(draw.between(1, 6));
        const Counts left = random_counts(draw, n_classes, 1000);
        const Counts right = random_counts(draw, n_classes, 1000);
        const Split split(left, right);
        const auto close = [](double gain, double expected) {
            return std::fabs(gain - expected) < 1e-12;
        };
        REQUIRE(close(split.gini(), decrease(gini, left, right)));
        REQUIRE(close(split.entropy(), decrease(entropy, left, right)));
        REQUIRE(close(split.error(), decrease(error, left, right)));
        REQUIRE(split.entropy() >= 0.0);
    }
}

TEST_CASE("criterion: proportional children gain exactly nothing") {
    Draw draw(8);
    for (int round = 0; round < 300; ++round) {
        const Counts shares = random_counts(draw, 5, 100'000);
        const int64_t a = draw.between(1, 1'000'000), b = draw.between(1, 1'000'000);
        Counts left(shares), right(shares);
        for (int64_t& n : left) n *= a;
        for (int64_t& n : right) n *= b;
        const Split split(left, right);
        REQUIRE(split.gini() == 0.0);
        REQUIRE(split.entropy() == 0.0);
        REQUIRE(split.error() == 0.0);

        const int64_t weight = draw.between(1, 1000), sum = draw.between(1, 1'000'000);
        const Wide all = Wide(sum) * (a + b);
        REQUIRE(squared_error_gain(Wide(sum) * a, all, weight * a, weight * (a + b)) == 0.0);
        REQUIRE(squared_error_gain(-Wide(sum) * a, -all, weight * a, weight * (a + b)) == 0.0);
        REQUIRE(poisson_gain(Wide(sum) * a, all, weight * a, weight * (a + b)) == 0.0);
    }
}

TEST_CASE("criterion: left and right may be exchanged, to the last bit") {
    Draw draw(9);
    for (int round = 0; round < 300; ++round) {
        const Counts left = random_counts(draw, 4, int64_t{1} << 40);
        const Counts right = random_counts(draw, 4, int64_t{1} << 40);
        const Split split(left, right), exchanged(right, left);
        REQUIRE(split.gini() == exchanged.gini());
        REQUIRE(split.error() == exchanged.error());
        REQUIRE(split.entropy(false) == exchanged.entropy(true));
        REQUIRE(split.entropy(true) == exchanged.entropy(false));

        const int64_t l = draw.between(1, 1 << 20), r = draw.between(1, 1 << 20);
        const Wide sl = Wide(draw.between(1, int64_t{1} << 60)) << 20;
        const Wide sr = Wide(draw.between(1, int64_t{1} << 60)) << 20;
        REQUIRE(squared_error_gain(sl, sl + sr, l, l + r) ==
                squared_error_gain(sr, sl + sr, r, l + r));
        REQUIRE(poisson_gain(sl, sl + sr, l, l + r) == poisson_gain(sr, sl + sr, r, l + r));
    }
}

TEST_CASE("criterion: the imbalance is rounded once, for small and for large weights") {
    constexpr int64_t edge = int64_t{1} << 31;
    for (const int64_t weight : {edge - 1, edge, edge + 1, int64_t{1} << 42}) {
        const int64_t l = weight / 2 - 3, n = weight - 1, left = weight / 3;
        const Wide exact = Wide(l) * weight - Wide(n) * left;
        CHECK(imbalance(l, weight, n, left) == static_cast<double>(exact));
    }
    CHECK(imbalance(1, int64_t{1} << 42, int64_t{1} << 41, 2) == 0.0);
    CHECK(imbalance(2, 5, 4, 3) == -2.0);
}

TEST_CASE("criterion: the largest weights keep a perfect gain exact") {
    constexpr int64_t half = int64_t{1} << 41;
    CHECK(Split({half, 0}, {0, half}).gini() == 0.5);
    CHECK(Split({half, 0}, {0, half}).entropy() == 1.0);
    CHECK(Split({half, 0}, {0, half}).error() == 0.5);
}

TEST_CASE("criterion: squared error by hand") {
    CHECK(squared_error_gain(0, 4, 2, 4) == 1.0);    // {0, 0} | {2, 2}
    CHECK(squared_error_gain(-3, 0, 1, 4) == 3.0);   // {-3} | {1, 1, 1}
    CHECK(squared_error_gain(10, 15, 2, 3) == 0.0);  // {4, 6} | {5}
    CHECK(squared_error_gain(3, 15, 1, 3) == 2.0);   // {3} | {6, 6}
    const Wide large = Wide(1) << 81;                // 2^40 times 2^41 rows
    CHECK(squared_error_gain(large, 0, int64_t{1} << 41, int64_t{1} << 42) == 0x1p80);
}

TEST_CASE("criterion: Poisson by hand") {
    const double expected = (2 * std::log(0.5) + 6 * std::log(1.5)) / 4;
    CHECK(poisson_gain(2, 8, 2, 4) == doctest::Approx(expected).epsilon(1e-14));
    CHECK(poisson_gain(1, 2, 2, 4) == 0.0);
}

TEST_CASE("criterion: a Poisson child without events is not allowed") {
    CHECK(poisson_gain(0, 8, 2, 4) < 0.0);
    CHECK(poisson_gain(8, 8, 2, 4) < 0.0);
    CHECK(poisson_gain(1, 8, 2, 4) >= 0.0);
}
