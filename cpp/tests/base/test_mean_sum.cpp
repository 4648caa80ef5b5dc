#include <vector>

#include "core/base/mean_sum.hpp"
#include "tests/support.hpp"

using namespace silva;

namespace {

double mean(const std::vector<double>& values) {
    double sum = 0.0, lost = 0.0;
    for (const double value : values) add_term(sum, lost, value);
    return mean_of_sum(sum, lost, static_cast<double>(values.size()));
}

double mean_share(double share, int n) {
    double coarse = 0.0, fine = 0.0;
    for (int i = 0; i < n; ++i) {
        const SplitShare parts(share);
        coarse += parts.coarse;
        fine += parts.fine;
    }
    return mean_of_sum(coarse, fine, n);
}

}  // namespace

TEST_CASE("mean_sum: the mean of equal numbers is that number") {
    for (const double value : {0.1, -1.0 / 3.0, 5e-324, 1.7e290, -2.2e-308, 0.0})
        for (const size_t n : {1u, 2u, 3u, 7u, 10u, 49u, 100u, 1001u, 30000u})
            CHECK(mean(std::vector<double>(n, value)) == value);
}

TEST_CASE("mean_sum: the mean of equal shares is that share") {
    for (const double share : {0.1, 1.0 / 3.0, 2.0 / 7.0, 1e-7, 0.9999999})
        for (const int n : {1, 3, 10, 49, 100, 1000}) CHECK(mean_share(share, n) == share);
}

TEST_CASE("mean_sum: what cancels is not lost") {
    CHECK(mean({1e16, 1.0, -1e16}) == 1.0 / 3.0);
    CHECK(mean({0.1, 0.2, 0.3}) == 0.2);
}

TEST_CASE("mean_sum: infinite numbers have an infinite mean") {
    CHECK(std::isinf(mean({1.0, HUGE_VAL})));
}
