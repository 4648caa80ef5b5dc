// The weight and the weighted target of each row of a node in one number, so that one load and one
// addition an entry move a filter along a sorted list.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "core/search/sweeps/rows.hpp"

namespace silva {

// Weights are exact, in the lowest bits. Sums of weight * (target - mean) above them are rounded;
// the filter forgives that.
class PackedValues {
  public:
    static constexpr int64_t kMostWeight = int64_t{1} << 22;  // of a node

    // `mean` is that of the rows, rounded; sums around it are below 2^62.
    template <class Id>
    void fill(const ValueRows& rows, const NodeStats& node, int64_t mean, const Id* ids,
              std::vector<int64_t>& packed) {
        const int64_t reach = std::max(node.highest - mean, mean - node.lowest);
        const int weight_bits = std::bit_width(static_cast<uint64_t>(node.weight));
        const int down =
            std::bit_width(static_cast<uint64_t>(reach * node.weight)) - kSumBits + weight_bits;
        const int left = std::max(-down, 0), right = std::max(down, 0);
        for (int64_t i = 0; i < node.rows; ++i) {
            const int64_t id = ids[i], w = rows.weight[id];
            if (id >= std::ssize(packed)) packed.resize(static_cast<size_t>(id + 1 + id / 2));
            const int64_t sum = (w * (rows.q[id] - mean)) << left >> right;
            packed[static_cast<size_t>(id)] = (sum << weight_bits) + w;
        }
        packed_ = packed.data();
        unit_ = std::ldexp(1.0, 32 - weight_bits + down);
        // Sums are rounded down once a row and once as a whole; the mean is less than 1 off.
        const auto total = static_cast<double>(node.weight);
        const double rounding = std::ldexp(static_cast<double>(node.rows), down) + total;
        filter_ = {weight_bits, static_cast<float>(1.0 + rounding / unit_ * (1 + kSlackOfFloats)),
                   static_cast<float>(total), -1.0f};
    }
    bool filled() const { return packed_ != nullptr; }

    void clear() { left_ = 0; }
    void add(int64_t id) { left_ += packed_[id]; }
    // Splits need deviation^2 >= bound * l * r.
    void set_bound(double bound) {
        filter_.bound = static_cast<float>(bound / unit_ / unit_ * (1 - kSlackOfFloats));
    }
    // The positions before these entries that may reach the bound, as a mask; moves them left.
    template <class Id>
    uint64_t look_ahead(const Id* entries, int n) {
        return simd::kernels().positions.of<Id>().packed_values(filter_, packed_, entries, n,
                                                                left_);
    }

  private:
    static constexpr int kSumBits = 62;
    static constexpr double kSlackOfFloats = 1e-5;

    const int64_t* packed_ = nullptr;  // by id
    double unit_ = 1.0;                // of the upper half of packed sums
    simd::PackedFilter filter_{};
    int64_t left_ = 0;
};

}  // namespace silva
