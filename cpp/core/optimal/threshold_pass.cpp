#include "core/optimal/threshold_pass.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "core/optimal/lane_pass.hpp"
#include "core/simd/kernels.hpp"

namespace silva::optimal {

// ---- a node ------------------------------------------------------------------------------------

template <class T>
void LanePass<T>::load(const SortedNode& node, int64_t min_rows) {
    node_ = &node;
    is_pair_ = node.slots.size() == 2;
    is_counted_ = min_rows > 1;
    min_rows_ = static_cast<T>(std::min<int64_t>(min_rows, std::numeric_limits<T>::max()));
    codes_.resize(static_cast<size_t>(node.n));
    kinds_.clear();
    if (is_counted_) counts_.assign(node.count.begin(), node.count.end());
    is_pair_ ? load_margins() : load_entries();
    load_table();
}

template <class T>
void LanePass<T>::load_margins() {
    const auto n = static_cast<size_t>(node_->n);
    margins_.assign(node_->margin.begin(), node_->margin.end());
    kind_.resize(n);
    if (is_counted_) return;
    for (size_t i = 0; i < n; ++i) {
        const auto found = std::find(kinds_.begin(), kinds_.end(), margins_[i]);
        kind_[i] = static_cast<uint8_t>(found - kinds_.begin());
        if (found != kinds_.end()) continue;
        if (kinds_.size() == 2) return kinds_.clear();
        kinds_.push_back(margins_[i]);
    }
}

template <class T>
void LanePass<T>::load_entries() {
    const int32_t n_entries = node_->slots.n_entries();
    const auto n = static_cast<size_t>(node_->n), size = n * static_cast<size_t>(n_entries);
    has_cells_ = n_entries == 1 && node_->slots.size() * kLine <= 65536;
    slots_.resize(size);
    gains_.resize(size);
    cells_.resize(has_cells_ ? n : 0);
    for (size_t i = 0, at = 0; i < n; ++i) {
        const uint16_t* entries = node_->slots.entries(node_->label[i]);
        const int64_t* gains = node_->slots.gains(node_->label[i]);
        for (int32_t e = 0; e < n_entries; ++e, ++at) {
            slots_[at] = entries[e];
            gains_[at] = static_cast<T>(node_->weight[i] * gains[e]);
        }
    }
}

// Line bucket * kinds + kind: what a row of that bucket adds to each lane. Without kinds: all bits.
template <class T>
void LanePass<T>::load_table() {
    std::vector<T> kinds = kinds_;
    if (kinds.empty()) kinds.push_back(-1);
    if (kinds == table_kinds_) return;
    table_kinds_ = kinds;
    const auto n_kinds = static_cast<int64_t>(kinds.size());
    table_.resize((kLanes + 1) * n_kinds);
    std::fill_n(table_.data(), (kLanes + 1) * n_kinds * kLine, T(0));
    for (int64_t line = 0; line < (kLanes + 1) * n_kinds; ++line)
        for (int64_t lane = 0; lane < kLanes; ++lane) {
            const int64_t side = lane >= line / n_kinds ? 0 : kLanes;
            table_[line * kLine + side + lane] = kinds[static_cast<size_t>(line % n_kinds)];
        }
}

// ---- a column ----------------------------------------------------------------------------------

// Gives each row its bucket, and sums over the rows of each.
template <class T>
void LanePass<T>::mark(const NodeColumn& column, const std::vector<int64_t>& places) {
    const auto n_slots = static_cast<size_t>(node_->slots.size());
    bucket_gains_.assign((kLanes + 1) * n_slots, 0);
    bucket_worst_.assign(kLanes + 1, 0);
    bucket_counts_.assign(kLanes + 1, 0);
    const uint32_t* from = column.order.rows;
    for (size_t i = 0; i <= places.size(); ++i) {
        const bool is_last = i == places.size();
        const uint32_t* to = column.order.rows + (is_last ? node_->n : places[i]);
        // Spare lanes repeat the last one.
        const std::span<const uint32_t> rows(from, to);
        const auto bucket = is_last ? kLanes : static_cast<int64_t>(i);
        add_bucket(rows, bucket);
        is_pair_ ? mark_pairs(rows, bucket) : mark_many(rows, bucket);
        from = to;
    }
}

template <class T>
void LanePass<T>::add_bucket(std::span<const uint32_t> rows, int64_t bucket) {
    const auto total = [&](const std::vector<int64_t>& values) {
        if (node_->is_even) return static_cast<int64_t>(rows.size()) * values[0];
        int64_t sum = 0;
        for (const uint32_t row : rows) sum += values[row];
        return sum;
    };
    bucket_worst_[static_cast<size_t>(bucket)] = total(node_->worst);
    if (is_counted_) bucket_counts_[static_cast<size_t>(bucket)] = total(node_->count);
}

// The worst cost of a row is the size of its margin: every class has a prediction that costs
// nothing.
template <class T>
void LanePass<T>::mark_pairs(std::span<const uint32_t> rows, int64_t bucket) {
    int64_t margin = 0;
    if (kinds_.empty()) {
        for (const uint32_t row : rows) {
            codes_[row] = static_cast<uint8_t>(bucket);
            margin += margins_[row];
        }
    } else {
        const auto n_kinds = static_cast<int64_t>(kinds_.size());
        int64_t n_second = 0;
        for (const uint32_t row : rows) {
            codes_[row] = static_cast<uint8_t>(bucket * n_kinds + kind_[row]);
            n_second += kind_[row];
        }
        const int64_t n_first = static_cast<int64_t>(rows.size()) - n_second;
        margin = n_first * kinds_.front() + n_second * kinds_.back();
    }
    const int64_t worst = bucket_worst_[static_cast<size_t>(bucket)];
    bucket_gains_[static_cast<size_t>(2 * bucket)] = (worst + margin) / 2;
    bucket_gains_[static_cast<size_t>(2 * bucket + 1)] = (worst - margin) / 2;
}

template <class T>
void LanePass<T>::mark_many(std::span<const uint32_t> rows, int64_t bucket) {
    int64_t* sums = bucket_gains_.data() + bucket * node_->slots.size();
    if (has_cells_) {
        for (const uint32_t row : rows) {
            cells_[row] = static_cast<uint16_t>(slots_[row] * kLine + bucket);
            sums[slots_[row]] += gains_[row];
        }
        if (!is_counted_) return;
    }
    const auto n_entries = static_cast<size_t>(node_->slots.n_entries());
    for (const uint32_t row : rows) {
        codes_[row] = static_cast<uint8_t>(bucket);
        if (has_cells_) continue;
        for (size_t e = row * n_entries; e < (row + 1) * n_entries; ++e)
            sums[slots_[e]] += gains_[e];
    }
}

// Sums of the sides from sums of the buckets.
template <class T>
void LanePass<T>::spread_sums() {
    const int32_t n_slots = node_->slots.size();
    const auto spread = [](const int64_t* buckets, int64_t step, int64_t total, auto* line) {
        int64_t left = 0;
        for (int64_t lane = 0; lane < kLanes; ++lane) {
            left += buckets[lane * step];
            using Value = std::remove_reference_t<decltype(*line)>;
            line[lane] = static_cast<Value>(left);
            line[kLanes + lane] = static_cast<Value>(total - left);
        }
    };
    totals_.resize(n_slots);
    side_worst_.resize(kLine);
    side_counts_.resize(1);
    for (int32_t s = 0; s < n_slots; ++s)
        spread(bucket_gains_.data() + s, n_slots, node_->totals[static_cast<size_t>(s)],
               totals_.data() + s * kLine);
    spread(bucket_worst_.data(), 1, node_->total_worst, side_worst_.data());
    if (is_counted_) spread(bucket_counts_.data(), 1, node_->total_count, side_counts_.data());
}

template <class T>
void LanePass<T>::sweep_pairs(const T* table) {
    best_.resize(2);
    std::fill_n(best_.data(), 2 * kLine, T(0));
    simd::PairSweep<T> sweep{
        .order = {},
        .table = table,
        .codes = codes_.data(),
        .margins = kinds_.empty() ? margins_.data() : nullptr,
        .min_rows = min_rows_,
        .counts = is_counted_ ? counts_.data() : nullptr,
        .side_counts = side_counts_.data(),
        .extremes = best_.data(),
    };
    for (const NodeColumn& other : node_->columns) {
        sweep.order = other.order;
        fitting<T>(simd::kernels().optimal_pairs)(sweep);
    }
}

template <class T>
void LanePass<T>::sweep_many(const T* table, int64_t n_patterns) {
    best_.resize(1);
    for (int64_t lane = 0; lane < kLine; ++lane) best_[lane] = static_cast<T>(highest_gain(lane));
    sums_.resize(node_->slots.size() + 1);
    buckets_.resize(node_->slots.size() + 1);
    simd::ManySweep<T> sweep{
        .order = {},
        .table = table,
        .codes = codes_.data(),
        .cells = has_cells_ ? cells_.data() : nullptr,
        .gains = has_cells_ && node_->is_even ? nullptr : gains_.data(),
        .n_entries = node_->slots.n_entries(),
        .slots = slots_.data(),
        .n_slots = node_->slots.size(),
        .largest = static_cast<T>(node_->largest_gain),
        .min_rows = min_rows_,
        .counts = is_counted_ ? counts_.data() : nullptr,
        .side_counts = side_counts_.data(),
        .totals = totals_.data(),
        .sums = sums_.data(),
        .buckets = buckets_.data(),
        .n_patterns = static_cast<int32_t>(n_patterns),
        .best = best_.data(),
    };
    for (const NodeColumn& other : node_->columns) {
        sweep.order = other.order;
        fitting<T>(simd::kernels().optimal_many)(sweep);
    }
}

template <class T>
int64_t LanePass<T>::highest_gain(int64_t lane) const {
    int64_t highest = 0;
    for (int32_t s = 0; s < node_->slots.size(); ++s) highest = std::max(highest, gain(lane, s));
    return highest;
}

// Costs under the two orders of predictions: the second's total less the highest sum of margins,
// and the first's total plus the lowest.
template <class T>
Sides LanePass<T>::pair_sides(int64_t lane) const {
    const auto stump = [&](int64_t at, const T* extremes) {
        const int64_t worst = side_worst_[static_cast<size_t>(at)];
        return worst -
               std::max(gain(at, 1) + extremes[lane], gain(at, 0) - extremes[kLanes + lane]);
    };
    return {side_worst_[static_cast<size_t>(lane)] - highest_gain(lane), stump(lane, best_.data()),
            side_worst_[static_cast<size_t>(kLanes + lane)] - highest_gain(kLanes + lane),
            stump(kLanes + lane, best_.data() + kLine)};
}

template <class T>
Sides LanePass<T>::many_sides(int64_t lane) const {
    const auto worst = [&](int64_t at) { return side_worst_[static_cast<size_t>(at)]; };
    const auto best = [&](int64_t at) { return best_[at]; };
    return {worst(lane) - highest_gain(lane), worst(lane) - best(lane),
            worst(kLanes + lane) - highest_gain(kLanes + lane),
            worst(kLanes + lane) - best(kLanes + lane)};
}

template <class T>
void LanePass<T>::evaluate(const NodeColumn& column, const std::vector<int64_t>& places,
                           Sides* sides) {
    mark(column, places);
    spread_sums();
    is_pair_ ? sweep_pairs(table_.data()) : sweep_many(table_.data(), 0);
    for (size_t i = 0; i < places.size(); ++i) sides[i] = sides_of(static_cast<int64_t>(i));
}

template class LanePass<int16_t>;
template class LanePass<int32_t>;
template class LanePass<int64_t>;

ThresholdPasses::ThresholdPasses()
    : narrow_(std::make_unique<LanePass<int16_t>>()),
      middle_(std::make_unique<LanePass<int32_t>>()),
      wide_(std::make_unique<LanePass<int64_t>>()) {}

ThresholdPass& ThresholdPasses::fit(int64_t limit) {
    if (limit <= std::numeric_limits<int16_t>::max()) return *narrow_;
    if (limit <= std::numeric_limits<int32_t>::max()) return *middle_;
    return *wide_;
}

}  // namespace silva::optimal
