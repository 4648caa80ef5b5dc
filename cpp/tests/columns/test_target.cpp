#include <array>
#include <cmath>
#include <cstdlib>

#include "core/columns/target.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

constexpr int64_t kMostWeight = int64_t{1} << 42;

Target weighted(const std::vector<double>& weights) {
    static const std::vector<int32_t> labels(1000, 0);
    return class_target(labels.data(), weights.data(), static_cast<int64_t>(weights.size()), 1);
}

Target valued(const std::vector<double>& values, bool centred = true) {
    return value_target(values.data(), nullptr, static_cast<int64_t>(values.size()), centred);
}

std::vector<int64_t> integers(const std::vector<double>& weights) {
    return to_vector(weighted(weights).weight);
}

}  // namespace

TEST_CASE("target: without weights every row weighs one") {
    const std::vector<int32_t> labels = {1, 0, 2};
    const Target target = class_target(labels.data(), nullptr, 3, 3);
    CHECK(target.weight.empty());
    CHECK(target.kept.empty());
    CHECK(target.total_weight == 3);
    CHECK(target.weight_unit == 1.0);
    CHECK(to_vector(target.label) == labels);
    CHECK(target.n_classes == 3);
}

TEST_CASE("target: the weight unit is the largest power of two that divides all weights") {
    CHECK(integers({1, 2, 3}) == std::vector<int64_t>{1, 2, 3});
    CHECK(weighted({1, 2, 3}).weight_unit == 1.0);
    CHECK(integers({4, 12, 8}) == std::vector<int64_t>{1, 3, 2});
    CHECK(weighted({4, 12, 8}).weight_unit == 4.0);
    CHECK(integers({0.5, 0.75, 3}) == std::vector<int64_t>{2, 3, 12});
    CHECK(weighted({0.5, 0.75, 3}).weight_unit == 0.25);
    CHECK(weighted({0.5, 0.75, 3}).total_weight == 17);
}

TEST_CASE("target: exact weights may sum to 2^42 and not more") {
    const double most = static_cast<double>(kMostWeight);
    const Target full = weighted({1, most - 1});
    CHECK(full.weight_unit == 1.0);
    CHECK(full.total_weight == kMostWeight);
    const Target coarse = weighted({1, most});
    CHECK(coarse.weight_unit == 2.0);
    CHECK(to_vector(coarse.weight) == std::vector<int64_t>{1, kMostWeight / 2});
}

TEST_CASE("target: arbitrary weights are rounded to the finest unit that fits") {
    Draw draw(1);
    std::vector<double> weights(100);
    for (double& w : weights) w = draw.unit() + 1e-3;
    const Target target = weighted(weights);
    int exponent;
    CHECK(std::frexp(target.weight_unit, &exponent) == 0.5);
    CHECK(target.total_weight > kMostWeight / 2 - 100);
    CHECK(target.total_weight <= kMostWeight + 100);
    int64_t sum = 0;
    for (size_t i = 0; i < weights.size(); ++i) {
        CHECK(target.weight[i] == std::llrint(weights[i] / target.weight_unit));
        sum += target.weight[i];
    }
    CHECK(target.total_weight == sum);
}

TEST_CASE("target: extreme weights neither overflow nor vanish") {
    const Target huge = weighted({kMax, kMax, kMax / 2});
    CHECK(std::isfinite(huge.weight_unit));
    CHECK(huge.weight[0] == huge.weight[1]);
    CHECK(huge.weight[0] == 2 * huge.weight[2]);
    CHECK(huge.total_weight <= kMostWeight);

    CHECK(integers({kTiny, 3 * kTiny}) == std::vector<int64_t>{1, 3});
    CHECK(weighted({kTiny, 3 * kTiny}).weight_unit == kTiny);

    const Target far = weighted({kTiny, 1e300});
    CHECK(far.weight[0] == 1);
    CHECK(far.weight[1] > kMostWeight / 4);
}

TEST_CASE("target: weights times a power of two give the same integers") {
    Draw draw(2);
    std::vector<double> weights(50);
    for (double& w : weights) w = draw.unit() * 3 + 1e-6;
    const Target plain = weighted(weights);
    for (const int k : {-900, -33, -1, 1, 33, 900}) {
        std::vector<double> scaled(weights);
        for (double& w : scaled) w = std::ldexp(w, k);
        const Target target = weighted(scaled);
        CHECK(to_vector(target.weight) == to_vector(plain.weight));
        CHECK(target.weight_unit == std::ldexp(plain.weight_unit, k));
    }
}

TEST_CASE("target: rows of weight zero are dropped and the others renumbered") {
    const std::vector<int32_t> labels = {3, 1, 0, 2, 1};
    const std::vector<double> weights = {0.0, 2.0, -0.0, 1.0, 0.0};
    const Target target = class_target(labels.data(), weights.data(), 5, 4);
    CHECK(target.n_rows == 2);
    CHECK(to_vector(target.kept) == std::vector<uint32_t>{1, 3});
    CHECK(to_vector(target.label) == std::vector<int32_t>{1, 2});
    CHECK(to_vector(target.weight) == std::vector<int64_t>{2, 1});
    CHECK(target.row_of(1) == 3);
}

TEST_CASE("target: values of dropped rows do not count") {
    const std::vector<double> values = {1e300, 4.0, 6.0};
    const std::vector<double> weights = {0.0, 1.0, 1.0};
    const Target target = value_target(values.data(), weights.data(), 3, true);
    CHECK(target.center == 5.0);
    CHECK(target.q[0] == -target.q[1]);
    CHECK(target.original == values.data());
}

TEST_CASE("target: two values, by hand") {
    const Target target = valued({0.0, 1.0});  // two rows: two bits of weight, 60 bits of target
    CHECK(target.center == 0.5);
    CHECK(target.target_unit == 0x1p-60);
    CHECK(to_vector(target.q) == std::vector<int64_t>{-(int64_t{1} << 59), int64_t{1} << 59});
    CHECK_FALSE(target.wide);
}

TEST_CASE("target: q gives the value back to within half a unit") {
    Draw draw(3);
    std::vector<double> values(200);
    for (double& y : values) y = (draw.unit() - 0.3) * 1e3;
    const Target target = valued(values);
    for (size_t i = 0; i < values.size(); ++i) {
        const double centred = values[i] - target.center;
        CHECK(target.q[i] == std::llrint(centred / target.target_unit));
    }
}

TEST_CASE("target: small differences on a large offset survive") {
    const Target target = valued({1e9, 1e9 + 1e-3, 1e9 + 2e-3});
    CHECK(target.q[0] < target.q[1]);
    CHECK(target.q[1] < target.q[2]);
    CHECK(std::fabs((target.q[1] - target.q[0]) * target.target_unit - 1e-3) < 1e-6);
}

TEST_CASE("target: Poisson targets keep their zero") {
    const Target target = valued({0.0, 1.0, 3.0}, false);
    CHECK(target.center == 0.0);
    CHECK(target.q[0] == 0);
    CHECK(target.q[2] == 3 * target.q[1]);
}

TEST_CASE("target: equal values") {
    const Target target = valued({7.25, 7.25, 7.25});
    CHECK(target.center == 7.25);
    CHECK(target.target_unit == 0x1p-60);
    CHECK(to_vector(target.q) == std::vector<int64_t>{0, 0, 0});
}

TEST_CASE("target: values at the ends of the range of float64") {
    const Target huge = valued({-kMax, kMax, 0.0});
    CHECK(huge.center == 0.0);
    CHECK(std::isfinite(huge.target_unit));
    CHECK(huge.q[0] == -huge.q[1]);
    CHECK(huge.q[1] > 0);
    CHECK(huge.q[2] == 0);

    const Target tiny = valued({-2 * kTiny, 4 * kTiny});  // the unit cannot be finer than 2^-1074
    CHECK(tiny.center == kTiny);
    CHECK(tiny.target_unit == kTiny);
    CHECK(to_vector(tiny.q) == std::vector<int64_t>{-3, 3});
}

TEST_CASE("target: sums are wide from 23 bits of weight on") {
    const std::vector<double> values = {-1.0, 1.0};
    const std::vector<double> narrow_weights = {1.0, 0x1p22 - 2};
    const Target narrow = value_target(values.data(), narrow_weights.data(), 2, true);
    CHECK(narrow.total_weight == (int64_t{1} << 22) - 1);
    CHECK_FALSE(narrow.wide);
    CHECK(narrow.target_unit == 0x1p-39);  // 62 - 22 = 40 bits for a reach of 1 = 0.5 * 2^1

    const std::vector<double> wide_weights = {1.0, 0x1p22 - 1};
    const Target wide = value_target(values.data(), wide_weights.data(), 2, true);
    CHECK(wide.wide);
    CHECK(wide.target_unit == 0x1p-39);
}

TEST_CASE("target: the same for any team") {
    Draw draw(17);
    const auto n = static_cast<size_t>(3 * kPartRows + 1000);
    std::vector<double> values(n), weights(n);
    std::vector<int32_t> labels(n);
    for (size_t row = 0; row < n; ++row) {
        values[row] = std::exp(20 * draw.unit());
        weights[row] = draw.unit();
        labels[row] = static_cast<int32_t>(draw.below(5));
    }
    Team team(3);
    for (const bool with_zeros : {false, true}) {
        if (with_zeros) weights[n / 2] = weights.back() = 0.0;
        for (const double* w : std::array<const double*, 2>{weights.data(), nullptr}) {
            const auto n_rows = static_cast<int64_t>(n);
            const Target alone = value_target(values.data(), w, n_rows, true);
            const Target numbers = value_target(values.data(), w, n_rows, true, team);
            const Target classes = class_target(labels.data(), w, n_rows, 5, team);
            CHECK(to_vector(numbers.kept) == to_vector(alone.kept));
            CHECK(to_vector(numbers.q) == to_vector(alone.q));
            CHECK(to_vector(numbers.weight) == to_vector(alone.weight));
            CHECK(numbers.total_weight == alone.total_weight);
            CHECK(numbers.weight_unit == alone.weight_unit);
            CHECK(numbers.target_unit == alone.target_unit);
            CHECK(numbers.center == alone.center);
            CHECK(numbers.mean_q == alone.mean_q);
            CHECK(to_vector(classes.label) ==
                  to_vector(class_target(labels.data(), w, n_rows, 5).label));
            CHECK(to_vector(classes.weight) == to_vector(alone.weight));
        }
    }
}

TEST_CASE("target: the mean of q is that of the weighted rows, unless zero must stay zero") {
    const std::vector<double> values = {1.0, 2.0, 9.0}, weights = {0.0, 3.0, 1.0};
    const Target centred = value_target(values.data(), weights.data(), 3, true);
    CHECK(centred.center == 5.5);
    CHECK(static_cast<double>(centred.mean_q) * centred.target_unit == (3 * 2.0 + 9.0) / 4 - 5.5);
    CHECK(value_target(values.data(), weights.data(), 3, false).mean_q == 0);
}

TEST_CASE("target: narrow sums fit 64 bits with room to spare") {
    Draw draw(4);
    for (const int64_t n : {1, 2, 3, 100, 1000}) {
        std::vector<double> values(static_cast<size_t>(n));
        for (double& y : values) y = draw.chance(0.5) ? 1.0 : -1.0;
        const Target target = valued(values);
        CHECK_FALSE(target.wide);
        Wide sum = 0;
        for (int64_t id = 0; id < n; ++id) sum += std::llabs(target.q[id]);
        CHECK(sum <= Wide(1) << 62);
    }
}
