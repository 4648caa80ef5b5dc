#include "core/optimal/threshold_pass.hpp"

#include <algorithm>
#include <limits>

#include "core/simd/kernels.hpp"

namespace silva::optimal {
namespace {

const simd::StumpSweeps<int16_t>& sweeps(int16_t) { return simd::kernels().optimal_stumps.narrow; }
const simd::StumpSweeps<int32_t>& sweeps(int32_t) { return simd::kernels().optimal_stumps.middle; }
const simd::StumpSweeps<int64_t>& sweeps(int64_t) { return simd::kernels().optimal_stumps.wide; }

// A line holds the lanes of the left side, then those of the right side.
template <class T>
class LanePass final : public ThresholdPass {
  public:
    static constexpr int64_t kLanes = simd::kStumpLanes<T>, kLine = 2 * kLanes;

    void load(const SortedNode& node, int64_t min_rows) override;
    int64_t capacity() const override { return kLanes; }
    void evaluate(const NodeColumn& column, const std::vector<int64_t>& places,
                  Sides* sides) override;

  private:
    void load_margins();
    void load_entries();
    void load_table();
    void mark(const NodeColumn& column, const std::vector<int64_t>& places);
    void add_bucket(const NodeColumn& column, int64_t from, int64_t to, int64_t bucket);
    void spread_sums();
    void sweep_pairs();
    void sweep_many();
    Sides pair_sides(int64_t lane) const;
    Sides many_sides(int64_t lane) const;
    int64_t gain(int64_t lane, int32_t slot) const {
        return totals_[static_cast<size_t>(slot * kLine + lane)];
    }
    int64_t highest_gain(int64_t lane) const;

    const SortedNode* node_ = nullptr;
    bool is_pair_ = false, is_counted_ = false;
    T min_rows_ = 0;
    // Two predictions with at most two margins: the table holds them, and kind_ says which.
    std::vector<T> kinds_;
    std::vector<uint8_t> kind_;
    std::vector<T> margins_, gains_, counts_, table_;
    std::vector<uint16_t> slots_;
    std::vector<uint8_t> codes_;
    // Of the column at hand: sums over buckets, then of the sides.
    std::vector<int64_t> bucket_gains_, bucket_worst_, bucket_counts_, side_worst_;
    std::vector<T> totals_, side_counts_, sums_, best_;
};

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
    margins_.resize(n);
    kind_.resize(n);
    bool is_tabled = !is_counted_;
    for (size_t i = 0; i < n; ++i) {
        const int32_t label = node_->label[i];
        const int64_t margin = node_->slots.gain(label, 0) - node_->slots.gain(label, 1);
        margins_[i] = static_cast<T>(node_->weight[i] * margin);
        if (!is_tabled) continue;
        const auto found = std::find(kinds_.begin(), kinds_.end(), margins_[i]);
        kind_[i] = static_cast<uint8_t>(found - kinds_.begin());
        if (found == kinds_.end()) kinds_.push_back(margins_[i]);
        is_tabled = kinds_.size() <= 2;
    }
    if (!is_tabled) kinds_.clear();
}

template <class T>
void LanePass<T>::load_entries() {
    const int32_t n_entries = node_->slots.n_entries();
    const auto n = static_cast<size_t>(node_->n), size = n * static_cast<size_t>(n_entries);
    slots_.resize(size);
    gains_.resize(size);
    for (size_t i = 0, at = 0; i < n; ++i) {
        const uint16_t* entries = node_->slots.entries(node_->label[i]);
        const int64_t* gains = node_->slots.gains(node_->label[i]);
        for (int32_t e = 0; e < n_entries; ++e, ++at) {
            slots_[at] = entries[e];
            gains_[at] = static_cast<T>(node_->weight[i] * gains[e]);
        }
    }
}

// Line bucket * kinds + kind: what a row of that bucket adds to each lane.
template <class T>
void LanePass<T>::load_table() {
    const std::vector<T> ones{T(-1)};
    const std::vector<T>& kinds = kinds_.empty() ? ones : kinds_;
    const auto n_kinds = static_cast<int64_t>(kinds.size());
    table_.assign(static_cast<size_t>((kLanes + 1) * n_kinds * kLine), 0);
    for (int64_t line = 0; line < (kLanes + 1) * n_kinds; ++line)
        for (int64_t lane = 0; lane < kLanes; ++lane) {
            const int64_t side = lane >= line / n_kinds ? 0 : kLanes;
            table_[static_cast<size_t>(line * kLine + side + lane)] =
                kinds[static_cast<size_t>(line % n_kinds)];
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
    const auto n_places = static_cast<int64_t>(places.size());
    int64_t from = 0;
    for (int64_t bucket = 0; bucket <= n_places; ++bucket) {
        const int64_t to = bucket < n_places ? places[static_cast<size_t>(bucket)] : node_->n;
        // Spare lanes repeat the last one.
        add_bucket(column, from, to, bucket < n_places ? bucket : kLanes);
        from = to;
    }
}

template <class T>
void LanePass<T>::add_bucket(const NodeColumn& column, int64_t from, int64_t to, int64_t bucket) {
    const auto n_kinds = static_cast<int64_t>(std::max<size_t>(kinds_.size(), 1));
    const auto code = static_cast<uint8_t>(bucket * n_kinds);
    const SortedNode& node = *node_;
    int64_t* gains = bucket_gains_.data() + bucket * node.slots.size();
    int64_t worst = 0, count = 0;
    for (int64_t j = from; j < to; ++j) {
        const uint32_t row = column.order.rows[j];
        codes_[row] = kinds_.empty() ? code : static_cast<uint8_t>(code + kind_[row]);
        worst += node.worst[row];
        count += node.count[row];
        const uint16_t* entries = node.slots.entries(node.label[row]);
        const int64_t* entry_gains = node.slots.gains(node.label[row]);
        for (int32_t e = 0; e < node.slots.n_entries(); ++e)
            gains[entries[e]] += node.weight[row] * entry_gains[e];
    }
    bucket_worst_[static_cast<size_t>(bucket)] = worst;
    bucket_counts_[static_cast<size_t>(bucket)] = count;
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
    totals_.resize(static_cast<size_t>(n_slots * kLine));
    side_worst_.resize(kLine);
    side_counts_.resize(kLine);
    for (int32_t s = 0; s < n_slots; ++s)
        spread(bucket_gains_.data() + s, n_slots, node_->totals[static_cast<size_t>(s)],
               totals_.data() + s * kLine);
    spread(bucket_worst_.data(), 1, node_->total_worst, side_worst_.data());
    if (is_counted_) spread(bucket_counts_.data(), 1, node_->total_count, side_counts_.data());
}

template <class T>
void LanePass<T>::sweep_pairs() {
    best_.assign(2 * kLine, 0);
    simd::PairSweep<T> sweep{
        .order = {},
        .table = table_.data(),
        .codes = codes_.data(),
        .margins = kinds_.empty() ? margins_.data() : nullptr,
        .min_rows = min_rows_,
        .counts = is_counted_ ? counts_.data() : nullptr,
        .side_counts = side_counts_.data(),
        .extremes = best_.data(),
    };
    for (const NodeColumn& other : node_->columns) {
        sweep.order = other.order;
        sweeps(T()).pairs(sweep);
    }
}

template <class T>
void LanePass<T>::sweep_many() {
    best_.resize(kLine);
    for (int64_t lane = 0; lane < kLine; ++lane)
        best_[static_cast<size_t>(lane)] = static_cast<T>(highest_gain(lane));
    sums_.resize(static_cast<size_t>((node_->slots.size() + 1) * kLine));
    simd::ManySweep<T> sweep{
        .order = {},
        .table = table_.data(),
        .codes = codes_.data(),
        .n_entries = node_->slots.n_entries(),
        .slots = slots_.data(),
        .gains = gains_.data(),
        .n_slots = node_->slots.size(),
        .largest = static_cast<T>(node_->largest_gain),
        .min_rows = min_rows_,
        .counts = is_counted_ ? counts_.data() : nullptr,
        .side_counts = side_counts_.data(),
        .totals = totals_.data(),
        .sums = sums_.data(),
        .best = best_.data(),
    };
    for (const NodeColumn& other : node_->columns) {
        sweep.order = other.order;
        sweeps(T()).many(sweep);
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
    const auto best = [&](int64_t at) { return best_[static_cast<size_t>(at)]; };
    return {worst(lane) - highest_gain(lane), worst(lane) - best(lane),
            worst(kLanes + lane) - highest_gain(kLanes + lane),
            worst(kLanes + lane) - best(kLanes + lane)};
}

template <class T>
void LanePass<T>::evaluate(const NodeColumn& column, const std::vector<int64_t>& places,
                           Sides* sides) {
    mark(column, places);
    spread_sums();
    is_pair_ ? sweep_pairs() : sweep_many();
    for (size_t i = 0; i < places.size(); ++i) {
        const auto lane = static_cast<int64_t>(i);
        sides[i] = is_pair_ ? pair_sides(lane) : many_sides(lane);
    }
}

}  // namespace

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
