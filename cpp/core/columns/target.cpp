#include "core/columns/target.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/base/binned_sum.hpp"

namespace silva {
namespace {

constexpr int kWeightBits = 42;
constexpr int kNarrowBits = 22;  // totals up to here leave 62 bits for sums of q
constexpr int kWideTargetBits = 40;

void drop_zero_weights(const double* weights, int64_t n_rows, Target& target) {
    target.n_rows = n_rows;
    if (weights == nullptr) return;
    const int64_t zeros = std::count(weights, weights + n_rows, 0.0);
    if (zeros == 0) return;
    target.n_rows = n_rows - zeros;
    target.kept.resize(target.n_rows);
    int64_t id = 0;
    for (int64_t row = 0; row < n_rows; ++row)
        if (weights[row] != 0.0) target.kept[id++] = static_cast<uint32_t>(row);
}

// The exponent of the lowest set bit of a positive number.
int lowest_bit(double x) {
    const auto bits = std::bit_cast<uint64_t>(x);
    const auto exponent = static_cast<int>(bits >> 52);
    const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
    if (exponent == 0) return std::countr_zero(fraction) - 1074;
    return exponent - 1075 + std::countr_zero(fraction | uint64_t{1} << 52);
}

// x * 2^exponent, rounded once.
double times_power(double x, int exponent) {
    if (exponent < -1022 || exponent > 1023) return std::ldexp(x, exponent);
    return x * std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

void quantise_weights(const double* weights, Target& target) {
    target.total_weight = target.n_rows;
    target.original_weight = weights;
    if (weights == nullptr) return;
    int exponent = std::numeric_limits<int>::max();
    double largest = 0.0;
    for (int64_t id = 0; id < target.n_rows; ++id) {
        const double w = weights[target.row_of(id)];
        exponent = std::min(exponent, lowest_bit(w));
        largest = std::max(largest, w);
    }
    // Sums are taken of weights scaled into [0, 1], so that they can neither overflow nor vanish.
    const int top = std::ilogb(largest) + 1;
    BinnedSum scaled;
    for (int64_t id = 0; id < target.n_rows; ++id)
        scaled.add(times_power(weights[target.row_of(id)], -top));
    const double sum = scaled.value();
    int sum_exponent;
    const bool power_of_two = std::frexp(sum, &sum_exponent) == 0.5;
    const int coarse = sum_exponent - (power_of_two ? 1 : 0) + top - kWeightBits;
    exponent = std::max({exponent, coarse, -1074});
    target.weight_unit = std::ldexp(1.0, exponent);
    target.weight.resize(target.n_rows);
    target.total_weight = 0;
    for (int64_t id = 0; id < target.n_rows; ++id) {
        const double scaled_weight = times_power(weights[target.row_of(id)], -exponent);
        target.weight[id] = std::max<int64_t>(1, std::llrint(scaled_weight));
        target.total_weight += target.weight[id];
    }
    if (target.total_weight == target.n_rows) target.weight = {};
}

}  // namespace

Target class_target(const int32_t* labels, const double* weights, int64_t n_rows,
                    int64_t n_classes) {
    Target target;
    target.n_classes = n_classes;
    drop_zero_weights(weights, n_rows, target);
    quantise_weights(weights, target);
    target.label.resize(target.n_rows);
    for (int64_t id = 0; id < target.n_rows; ++id) target.label[id] = labels[target.row_of(id)];
    return target;
}

Target value_target(const double* values, const double* weights, int64_t n_rows, bool centred) {
    Target target;
    drop_zero_weights(weights, n_rows, target);
    quantise_weights(weights, target);
    target.original = values;
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
    for (int64_t id = 0; id < target.n_rows; ++id) {
        lowest = std::min(lowest, values[target.row_of(id)]);
        highest = std::max(highest, values[target.row_of(id)]);
    }
    target.center = centred ? lowest / 2 + highest / 2 : 0.0;
    const double reach =
        std::max(std::fabs(lowest - target.center), std::fabs(highest - target.center));
    const int weight_bits = std::bit_width(static_cast<uint64_t>(target.total_weight));
    const int target_bits = weight_bits <= kNarrowBits ? 62 - weight_bits : kWideTargetBits;
    target.wide = target_bits + weight_bits > 62;
    int exponent;
    std::frexp(reach, &exponent);
    exponent = std::max(exponent - target_bits, -1074);
    target.target_unit = std::ldexp(1.0, exponent);
    target.q.resize(target.n_rows);
    Wide sum = 0;
    for (int64_t id = 0; id < target.n_rows; ++id) {
        target.q[id] =
            std::llrint(std::ldexp(values[target.row_of(id)] - target.center, -exponent));
        sum += Wide(target.weight.empty() ? 1 : target.weight[id]) * target.q[id];
    }
    if (centred) target.middle = static_cast<int64_t>(sum / target.total_weight);
    return target;
}

}  // namespace silva
