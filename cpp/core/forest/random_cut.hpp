// Thresholds drawn between the lowest and the highest value of a node.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/forest/value_facts.hpp"
#include "core/random.hpp"

namespace silva {

// The least number of the type that is not below x: values are below one exactly if below the
// other.
template <class Value>
Value least_not_below(double x) {
    const auto value = static_cast<Value>(x);
    if constexpr (std::is_same_v<Value, double>) return value;
    if (!(static_cast<double>(value) < x)) return value;
    if (value == 0) return std::numeric_limits<Value>::denorm_min();
    const auto bits = std::bit_cast<int32_t>(static_cast<float>(value));
    return static_cast<Value>(std::bit_cast<float>(bits + (value < 0 ? -1 : 1)));
}

// A random cut of two classes; `left` is nothing where the column is constant.
struct RandomPairs {
    bool constant;
    double threshold;
    PairSum left;
};
RandomPairs random_pairs(const float* values, const uint32_t* pairs, int64_t n, uint64_t hash);
RandomPairs random_pairs(const double* values, const uint32_t* pairs, int64_t n, uint64_t hash);

}  // namespace silva
