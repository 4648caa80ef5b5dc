// Passes whose lanes are flags.
#include <algorithm>
#include <type_traits>

#include "core/optimal/lane_pass.hpp"

namespace silva::optimal {

// Codes of pairs are bytes; the others have sums for each pattern in a line.
template <class T>
int64_t LanePass<T>::max_patterns() const {
    if (!is_pair_) return kLine;
    return 256 / std::max<int64_t>(1, static_cast<int64_t>(kinds_.size()));
}

template <class T>
void LanePass<T>::evaluate_flags(std::vector<size_t>& flags, std::vector<size_t>& taken,
                                 Sides* sides) {
    patterns_.begin(node_->n);
    taken.clear();
    std::erase_if(flags, [&](size_t flag) {
        if (patterns_.flags() == kLanes) return false;
        if (!patterns_.add(node_->columns[flag].flag_rows(), max_patterns())) return false;
        taken.push_back(flag);
        return true;
    });
    mark_flags(taken);
    is_pair_ ? sweep_pairs(flag_table_.data()) : sweep_many(flag_table_.data(), patterns_.size());
    for (size_t i = 0; i < taken.size(); ++i) sides[i] = sides_of(static_cast<int64_t>(i));
}

template <class T>
void LanePass<T>::mark_flags(const std::vector<size_t>& taken) {
    const auto n_kinds = static_cast<int64_t>(kinds_.size());
    for (int64_t row = 0; row < node_->n; ++row) {
        const auto at = static_cast<size_t>(row);
        const int64_t pattern = patterns_.of(row);
        if (!is_pair_ && has_cells_)
            cells_[at] = static_cast<uint16_t>(slots_[at] * kLine + pattern);
        codes_[at] = static_cast<uint8_t>(n_kinds == 0 ? pattern : pattern * n_kinds + kind_[at]);
    }
    load_flag_table();
    sum_flags(taken);
}

// As load_table, with patterns for buckets.
template <class T>
void LanePass<T>::load_flag_table() {
    const auto n_kinds = static_cast<int64_t>(table_kinds_.size());
    const int64_t n_lines = patterns_.size() * n_kinds;
    flag_table_.resize(n_lines);
    for (int64_t line = 0; line < n_lines; ++line) {
        const T kind = table_kinds_[static_cast<size_t>(line % n_kinds)];
        for (int64_t lane = 0; lane < kLanes; ++lane) {
            const int64_t flag = std::min(lane, patterns_.flags() - 1);
            const bool is_set = patterns_.is_set(line / n_kinds, flag);
            flag_table_[line * kLine + lane] = is_set ? kind : T(0);
            flag_table_[line * kLine + kLanes + lane] = is_set ? T(0) : kind;
        }
    }
}

template <class T>
void LanePass<T>::sum_flags(const std::vector<size_t>& taken) {
    totals_.resize(node_->slots.size());
    side_worst_.resize(kLine);
    side_counts_.resize(1);
    for (size_t i = 0; i < taken.size(); ++i)
        sum_flag(node_->columns[taken[i]].flag_rows(), static_cast<int64_t>(i));
    const auto n_lanes = static_cast<int64_t>(taken.size());
    for (int32_t s = 0; s < node_->slots.size(); ++s)
        repeat_last(totals_.data() + s * kLine, n_lanes);
    if (is_counted_) repeat_last(side_counts_.data(), n_lanes);
}

// Spare lanes repeat the last one.
template <class T>
void LanePass<T>::repeat_last(T* line, int64_t n_lanes) {
    for (T* side : {line, line + kLanes})
        std::fill(side + n_lanes, side + kLanes, side[n_lanes - 1]);
}

// Gains, worst costs and counts of both sides.
template <class T>
void LanePass<T>::sum_flag(std::span<const uint32_t> rows, int64_t lane) {
    const Slots& slots = node_->slots;
    bucket_gains_.assign(static_cast<size_t>(slots.size()), 0);
    int64_t worst = 0, count = 0;
    for (const uint32_t row : rows) {
        const uint16_t label = node_->label[row];
        for (int32_t e = 0; e < slots.n_entries(); ++e)
            bucket_gains_[slots.entries(label)[e]] += node_->weight[row] * slots.gains(label)[e];
        worst += node_->worst[row];
        count += node_->count[row];
    }
    const auto put = [&](auto* line, int64_t total, int64_t sum) {
        line[lane] = static_cast<std::remove_reference_t<decltype(*line)>>(sum);
        line[kLanes + lane] = static_cast<std::remove_reference_t<decltype(*line)>>(total - sum);
    };
    for (int32_t s = 0; s < slots.size(); ++s)
        put(totals_.data() + s * kLine, node_->totals[static_cast<size_t>(s)],
            bucket_gains_[static_cast<size_t>(s)]);
    put(side_worst_.data(), node_->total_worst, worst);
    if (is_counted_) put(side_counts_.data(), node_->total_count, count);
}

template void LanePass<int16_t>::evaluate_flags(std::vector<size_t>&, std::vector<size_t>&, Sides*);
template void LanePass<int32_t>::evaluate_flags(std::vector<size_t>&, std::vector<size_t>&, Sides*);
template void LanePass<int64_t>::evaluate_flags(std::vector<size_t>&, std::vector<size_t>&, Sides*);

}  // namespace silva::optimal
