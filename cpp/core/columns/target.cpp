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
constexpr auto kPlus = [](auto& sum, const auto& other) { sum += other; };

void drop_zero_weights(const double* weights, int64_t n_rows, Team& team, Target& target) {
    target.n_rows = n_rows;
    if (weights == nullptr) return;
    target.n_rows -= sum_of_parts(
        team, n_rows, int64_t{0},
        [&](int64_t begin, int64_t end, int64_t& zeros) {
            zeros = std::count(weights + begin, weights + end, 0.0);
        },
        kPlus);
    if (target.n_rows == n_rows) return;
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

struct WeightRange {
    int lowest_bit = std::numeric_limits<int>::max();
    double largest = 0.0;
};

WeightRange weight_range(const double* weights, Team& team, const Target& target) {
    return sum_of_parts(
        team, target.n_rows, WeightRange(),
        [&](int64_t begin, int64_t end, WeightRange& range) {
            for (int64_t id = begin; id < end; ++id) {
                const double w = weights[target.row_of(id)];
                range.lowest_bit = std::min(range.lowest_bit, lowest_bit(w));
                range.largest = std::max(range.largest, w);
            }
        },
        [](WeightRange& range, const WeightRange& other) {
            range = {std::min(range.lowest_bit, other.lowest_bit),
                     std::max(range.largest, other.largest)};
        });
}

// The sum of the weights * 2^exponent, rounded once.
double scaled_sum(const double* weights, int exponent, Team& team, const Target& target) {
    return sum_of_parts(
               team, target.n_rows, BinnedSum(),
               [&](int64_t begin, int64_t end, BinnedSum& sum) {
                   for (int64_t id = begin; id < end; ++id)
                       sum.add(times_power(weights[target.row_of(id)], exponent));
               },
               [](BinnedSum& sum, const BinnedSum& other) { sum.add(other); })
        .value();
}

void quantise_weights(const double* weights, Team& team, Target& target) {
    target.total_weight = target.n_rows;
    target.original_weight = weights;
    if (weights == nullptr) return;
    const WeightRange range = weight_range(weights, team, target);
    // Sums are taken of weights scaled into [0, 1], so that they can neither overflow nor vanish.
    const int top = std::ilogb(range.largest) + 1;
    const double sum = scaled_sum(weights, -top, team, target);
    int sum_exponent;
    const bool power_of_two = std::frexp(sum, &sum_exponent) == 0.5;
    const int coarse = sum_exponent - (power_of_two ? 1 : 0) + top - kWeightBits;
    const int exponent = std::max({range.lowest_bit, coarse, -1074});
    target.weight_unit = std::ldexp(1.0, exponent);
    target.weight.resize(target.n_rows);
    target.total_weight = sum_of_parts(
        team, target.n_rows, int64_t{0},
        [&](int64_t begin, int64_t end, int64_t& total) {
            for (int64_t id = begin; id < end; ++id) {
                const double scaled = times_power(weights[target.row_of(id)], -exponent);
                target.weight[id] = std::max<int64_t>(1, std::llrint(scaled));
                total += target.weight[id];
            }
        },
        kPlus);
    if (target.total_weight == target.n_rows) target.weight = {};
}

struct ValueRange {
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
};

ValueRange value_range(const double* values, Team& team, const Target& target) {
    return sum_of_parts(
        team, target.n_rows, ValueRange(),
        [&](int64_t begin, int64_t end, ValueRange& range) {
            for (int64_t id = begin; id < end; ++id) {
                const double value = values[target.row_of(id)];
                range = {std::min(range.lowest, value), std::max(range.highest, value)};
            }
        },
        [](ValueRange& range, const ValueRange& other) {
            range = {std::min(range.lowest, other.lowest), std::max(range.highest, other.highest)};
        });
}

// Fills q with the values less the centre, times 2^-exponent; returns its weighted sum.
Wide quantise_values(const double* values, int exponent, Team& team, Target& target) {
    target.q.resize(target.n_rows);
    return sum_of_parts(
        team, target.n_rows, Wide{0},
        [&](int64_t begin, int64_t end, Wide& sum) {
            for (int64_t id = begin; id < end; ++id) {
                const double value = values[target.row_of(id)] - target.center;
                target.q[id] = std::llrint(times_power(value, -exponent));
                sum += Wide(target.weight.empty() ? 1 : target.weight[id]) * target.q[id];
            }
        },
        kPlus);
}

}  // namespace

Target class_target(const int32_t* labels, const double* weights, int64_t n_rows, int64_t n_classes,
                    Team& team) {
    Target target;
    target.n_classes = n_classes;
    drop_zero_weights(weights, n_rows, team, target);
    quantise_weights(weights, team, target);
    target.label.resize(target.n_rows);
    for_parts(team, target.n_rows, [&](int64_t begin, int64_t end, int) {
        for (int64_t id = begin; id < end; ++id) target.label[id] = labels[target.row_of(id)];
    });
    return target;
}

Target value_target(const double* values, const double* weights, int64_t n_rows, bool centred,
                    Team& team) {
    Target target;
    drop_zero_weights(weights, n_rows, team, target);
    quantise_weights(weights, team, target);
    target.original = values;
    const auto [lowest, highest] = value_range(values, team, target);
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
    const Wide sum = quantise_values(values, exponent, team, target);
    if (centred) target.mean_q = static_cast<int64_t>(sum / target.total_weight);
    return target;
}

Target class_target(const int32_t* labels, const double* weights, int64_t n_rows,
                    int64_t n_classes) {
    Team alone(1);
    return class_target(labels, weights, n_rows, n_classes, alone);
}

Target value_target(const double* values, const double* weights, int64_t n_rows, bool centred) {
    Team alone(1);
    return value_target(values, weights, n_rows, centred, alone);
}

}  // namespace silva
