#include "core/projections/order.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace silva {
namespace {

constexpr int64_t kRadixRows = 512;

// Ascending floats as ascending integers. Rounding to a float keeps the order, but for ties.
uint64_t key_of(double z) {
    if (std::isnan(z)) return std::numeric_limits<uint32_t>::max();
    const auto bits = std::bit_cast<int32_t>(static_cast<float>(z) + 0.0f);
    return static_cast<uint32_t>(bits ^ ((bits >> 31) | std::numeric_limits<int32_t>::min()));
}

}  // namespace

// Least significant digit first, on the upper 32 bits.
void Order::radix_sort(int64_t n) {
    constexpr int bits = 11, buckets = 1 << bits;
    other_.resize(static_cast<size_t>(n));
    counts_.assign(3 * buckets, 0);
    for (const uint64_t entry : keys_)
        for (int pass = 0; pass < 3; ++pass)
            ++counts_[pass * buckets + ((entry >> (32 + pass * bits)) & (buckets - 1))];
    for (int pass = 0; pass < 3; ++pass) {
        uint32_t* at = counts_.data() + pass * buckets;
        uint32_t sum = 0;
        for (int b = 0; b < buckets; ++b) sum += std::exchange(at[b], sum);
        const int shift = 32 + pass * bits;
        for (const uint64_t entry : keys_) other_[at[(entry >> shift) & (buckets - 1)]++] = entry;
        std::swap(keys_, other_);
    }
}

const std::vector<uint32_t>& Order::of(const double* z, int64_t n) {
    keys_.resize(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) keys_[i] = key_of(z[i]) << 32 | static_cast<uint64_t>(i);
    if (n < kRadixRows)
        std::sort(keys_.begin(), keys_.end());
    else
        radix_sort(n);
    order_.resize(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) order_[i] = static_cast<uint32_t>(keys_[i]);
    const auto less = [z](uint32_t a, uint32_t b) { return z[a] < z[b]; };
    for (int64_t begin = 0, end; begin < n && !std::isnan(z[order_[begin]]); begin = end) {
        for (end = begin + 1; end < n && keys_[end] >> 32 == keys_[begin] >> 32;) ++end;
        if (end - begin > 1 &&
            !std::is_sorted(&order_[begin], &order_[begin] + (end - begin), less))
            std::stable_sort(&order_[begin], &order_[begin] + (end - begin), less);
    }
    return order_;
}

}  // namespace silva
