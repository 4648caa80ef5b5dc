#include "core/search/criterion.hpp"
#include "core/simd/gini_bound.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

// Both forms of the bound, against the documented gain.
TEST_CASE("gini_bound: a split passes if its gain reaches the best one, and not far below it") {
    Draw draw(75);
    int rejected = 0;
    for (int round = 0; round < 3000; ++round) {
        const auto n_classes = static_cast<size_t>(draw.between(2, 5));
        std::vector<int64_t> left(n_classes), node(n_classes);
        std::vector<int32_t> present(n_classes);
        double left_squares = 0, right_squares = 0, node_squares = 0;
        int64_t l = 0, total = 0;
        for (size_t k = 0; k < n_classes; ++k) {
            present[k] = static_cast<int32_t>(k);
            left[k] = draw.between(1, 300);
            const int64_t right = draw.between(1, 300);
            node[k] = left[k] + right;
            left_squares += static_cast<double>(left[k] * left[k]);
            right_squares += static_cast<double>(right * right);
            node_squares += static_cast<double>(node[k] * node[k]);
            l += left[k];
            total += node[k];
        }
        const double gain = gini_gain({left.data(), node.data(), present}, l, total);
        const double w = static_cast<double>(total), a = static_cast<double>(l), b = w - a;
        const auto passes = [&](double best) {
            const double bound = simd::squares_bound(best, node_squares, w);
            const bool by_squares =
                simd::passes(simd::by_squares(left_squares, right_squares, a, b, bound));
            if (n_classes > 2) return by_squares;
            const double deviation = imbalance(left[1], total, node[1], l);
            const bool by_deviation =
                simd::passes(simd::by_deviation(deviation, a, b, simd::two_class_bound(best, w)));
            REQUIRE(by_deviation == by_squares);
            return by_deviation;
        };
        REQUIRE(passes(gain));
        if (gain < 1e-6) continue;
        REQUIRE(!passes(gain * 1.001));
        ++rejected;
    }
    CHECK(rejected > 2000);
}
