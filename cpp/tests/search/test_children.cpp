#include <cmath>

#include "core/search/children.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

NodeStats node_of(std::vector<int64_t> classes) {
    NodeStats node;
    node.classes = std::move(classes);
    for (const int64_t w : node.classes) node.weight += w;
    return node;
}

ChildrenGain gain_of(Criterion criterion, const NodeStats& node,
                     const std::vector<std::vector<int64_t>>& children) {
    ChildrenGain gain(criterion, node);
    for (const auto& child : children) gain.add(child.data());
    return gain;
}

}  // namespace

TEST_CASE("children: three pure children take all impurity away") {
    const NodeStats node = node_of({2, 2, 4});
    const std::vector<std::vector<int64_t>> pure = {{2, 0, 0}, {0, 2, 0}, {0, 0, 4}};
    CHECK(gain_of(Criterion::gini, node, pure).gain() == doctest::Approx(0.625));
    CHECK(gain_of(Criterion::entropy, node, pure).gain() == doctest::Approx(1.5));
    CHECK(gain_of(Criterion::error, node, pure).gain() == 0.5);
    CHECK(gain_of(Criterion::entropy, node, pure).split_info() == doctest::Approx(1.5));
    CHECK(gain_of(Criterion::gini, node, pure).lightest() == 2);
}

TEST_CASE("children: two children have the gain of a binary split, bit by bit") {
    Draw draw(61);
    for (int round = 0; round < 200; ++round) {
        std::vector<int64_t> left(3), right(3), both(3);
        for (size_t k = 0; k < 3; ++k) {
            left[k] = draw.between(1, 1000);
            right[k] = draw.between(1, 1000);
            both[k] = left[k] + right[k];
        }
        const NodeStats node = node_of(both), of_left = node_of(left);
        const std::vector<int32_t> present = {0, 1, 2};
        const ClassCounts counts{left.data(), both.data(), present};
        const std::vector<std::vector<int64_t>> children = {left, right};
        REQUIRE(gain_of(Criterion::gini, node, children).gain() ==
                gini_gain(counts, of_left.weight, node.weight));
        REQUIRE(gain_of(Criterion::entropy, node, children).gain() ==
                entropy_gain(counts, of_left.weight, node.weight, false));
        REQUIRE(gain_of(Criterion::error, node, children).gain() ==
                error_gain(counts, node.weight));
    }
}

TEST_CASE("children: values, and Poisson children without events") {
    NodeStats node;
    node.weight = 6;
    node.sum = 12;
    const std::vector<std::vector<int64_t>> apart = {{2, 0, 0}, {2, 4, 0}, {2, 8, 0}};
    // Means 0, 2 and 4 around 2: two thirds of the rows deviate by 2.
    CHECK(gain_of(Criterion::squared_error, node, apart).gain() == doctest::Approx(8.0 / 3));
    CHECK(gain_of(Criterion::poisson, node, apart).gain() == -1.0);
    const std::vector<std::vector<int64_t>> eventful = {{2, 2, 0}, {2, 4, 0}, {2, 6, 0}};
    CHECK(gain_of(Criterion::poisson, node, eventful).gain() ==
          doctest::Approx((2 * std::log(0.5) + 6 * std::log(1.5)) / 6));
}
