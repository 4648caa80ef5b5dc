#include "core/optimal/stump_sweep.hpp"

#include <algorithm>

namespace silva::optimal {

void StumpSweep::begin(const SortedNode& node) {
    sums_.assign(static_cast<size_t>(node.slots.size()), 0);
    first_ = 0;
    highest_ = second_ = 0;
}

// Sums never fall, so only those of this row can be among the highest now.
void StumpSweep::add(const SortedNode& node, uint32_t row) {
    const uint16_t* entries = node.slots.entries(node.label[row]);
    const int64_t* gains = node.slots.gains(node.label[row]);
    for (int32_t e = 0; e < node.slots.n_entries(); ++e) {
        const int64_t sum = sums_[entries[e]] += node.weight[row] * gains[e];
        if (entries[e] == first_) {
            highest_ = sum;
        } else if (sum > highest_) {
            first_ = entries[e];
            second_ = highest_;
            highest_ = sum;
        } else {
            second_ = std::max(second_, sum);
        }
    }
}

Stump StumpSweep::best(const SortedNode& node, const NodeColumn& column, int64_t min_rows) {
    if (column.is_flag()) return only(node, column, min_rows);
    return node.slots.size() == 2 ? best_of_pairs(node, column, min_rows)
                                  : best_of_many(node, column, min_rows);
}

// The one split of a flag.
Stump StumpSweep::only(const SortedNode& node, const NodeColumn& flag, int64_t min_rows) {
    int64_t count = 0, rest_highest = 0, rest_second = 0;
    begin(node);
    for (const uint32_t row : flag.flag_rows()) {
        add(node, row);
        count += node.count[row];
    }
    for (size_t s = 0; s < sums_.size(); ++s) {
        const int64_t rest = node.totals[s] - sums_[s];
        rest_second = std::max(rest_second, std::min(rest, rest_highest));
        rest_highest = std::max(rest_highest, rest);
    }
    const bool is_permitted = count >= min_rows && node.total_count - count >= min_rows;
    return {node.total_worst - highest_ - rest_highest, is_permitted ? flag.flag_place : 0,
            node.total_worst - highest_ - second_ - rest_highest - rest_second};
}

// Predictions first, second: the gain is that of the second for all rows plus the margins before
// the split. Second, first: that of the first less these margins.
Stump StumpSweep::best_of_pairs(const SortedNode& node, const NodeColumn& column,
                                int64_t min_rows) const {
    const simd::StumpOrder& order = column.order;
    const bool is_counted = min_rows > 1;
    int64_t best_gain = -1, place = 0, sum = 0, left = 0;
    for (int64_t j = 0; j + 1 < node.n; ++j) {
        const uint32_t row = order.rows[j];
        sum += node.margin[row];
        if (is_counted) left += node.count[row];
        const int64_t gain = std::max(node.totals[1] + sum, node.totals[0] - sum);
        if (gain <= best_gain || order.ends[j] == 0) continue;
        if (is_counted && (left < min_rows || node.total_count - left < min_rows)) continue;
        best_gain = gain;
        place = j + 1;
    }
    return {node.total_worst - best_gain, place, 0};
}

Stump StumpSweep::best_of_many(const SortedNode& node, const NodeColumn& column, int64_t min_rows) {
    const simd::StumpOrder& order = column.order;
    for (auto* values : {&one_before_, &two_before_})
        if (values->size() < static_cast<size_t>(node.n))
            values->resize(static_cast<size_t>(node.n));
    begin(node);
    for (int64_t j = 1; j < node.n; ++j) {
        add(node, order.rows[j - 1]);
        one_before_[static_cast<size_t>(j)] = highest_;
        two_before_[static_cast<size_t>(j)] = highest_ + second_;
    }
    begin(node);
    int64_t best_gain = 0, place = 0, right = 0, two_gain = 0;
    for (int64_t j = node.n - 1; j > 0; --j) {
        add(node, order.rows[j]);
        right += node.count[order.rows[j]];
        if (order.ends[j - 1] == 0) continue;
        if (right < min_rows || node.total_count - right < min_rows) continue;
        two_gain = std::max(two_gain, two_before_[static_cast<size_t>(j)] + highest_ + second_);
        const int64_t gain = one_before_[static_cast<size_t>(j)] + highest_;
        if (gain < best_gain) continue;
        best_gain = gain;
        place = j;
    }
    return {node.total_worst - best_gain, place, node.total_worst - two_gain};
}

}  // namespace silva::optimal
