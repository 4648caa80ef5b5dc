#include "core/optimal/stump_sweep.hpp"

#include <algorithm>

namespace silva::optimal {

void StumpSweep::begin(const SortedNode& node) {
    sums_.assign(static_cast<size_t>(node.slots.size()), 0);
    highest_ = 0;
}

// Sums never fall, so only those of this row can be the new highest.
int64_t StumpSweep::add(const SortedNode& node, uint32_t row) {
    const uint16_t* entries = node.slots.entries(node.label[row]);
    const int64_t* gains = node.slots.gains(node.label[row]);
    for (int32_t e = 0; e < node.slots.n_entries(); ++e) {
        int64_t& sum = sums_[entries[e]];
        sum += node.weight[row] * gains[e];
        highest_ = std::max(highest_, sum);
    }
    return highest_;
}

Stump StumpSweep::best(const SortedNode& node, const NodeColumn& column, int64_t min_rows) {
    const simd::StumpOrder& order = column.order;
    if (before_.size() < static_cast<size_t>(node.n)) before_.resize(static_cast<size_t>(node.n));
    begin(node);
    for (int64_t j = 0; j < node.n; ++j) before_[static_cast<size_t>(j)] = add(node, order.rows[j]);
    begin(node);
    int64_t best_gain = 0, place = 0, right = 0;
    for (int64_t j = node.n - 1; j > 0; --j) {
        const uint32_t row = order.rows[j];
        const int64_t gain = add(node, row) + before_[static_cast<size_t>(j - 1)];
        right += node.count[row];
        if (gain < best_gain || order.ends[j - 1] == 0) continue;
        if (right < min_rows || node.total_count - right < min_rows) continue;
        best_gain = gain;
        place = j;
    }
    return {node.total_worst - best_gain, place};
}

}  // namespace silva::optimal
