// A pass with sums of type T; threshold_pass.cpp and flag_pass.cpp define it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/optimal/flag_patterns.hpp"
#include "core/optimal/lines.hpp"
#include "core/optimal/threshold_pass.hpp"

namespace silva::optimal {

// The kernel for sums of type T.
template <class T, class Kernels>
auto fitting(const Kernels& kernels) {
    if constexpr (sizeof(T) == 2)
        return kernels.narrow;
    else if constexpr (sizeof(T) == 4)
        return kernels.middle;
    else
        return kernels.wide;
}

template <class T>
class LanePass final : public ThresholdPass {
  public:
    static constexpr int64_t kLanes = simd::kStumpLanes<T>, kLine = 2 * kLanes;

    void load(const SortedNode& node, int64_t min_rows) override;
    int64_t capacity() const override { return kLanes; }
    void evaluate(const NodeColumn& column, const std::vector<int64_t>& places,
                  Sides* sides) override;
    void evaluate_flags(std::vector<size_t>& flags, std::vector<size_t>& taken,
                        Sides* sides) override;

  private:
    void load_margins();
    void load_entries();
    void load_table();
    void mark(const NodeColumn& column, const std::vector<int64_t>& places);
    void add_bucket(std::span<const uint32_t> rows, int64_t bucket);
    void mark_pairs(std::span<const uint32_t> rows, int64_t bucket);
    void mark_many(std::span<const uint32_t> rows, int64_t bucket);
    void spread_sums();
    int64_t max_patterns() const;
    void mark_flags(const std::vector<size_t>& taken);
    void load_flag_table();
    void sum_flags(const std::vector<size_t>& taken);
    static void repeat_last(T* line, int64_t n_lanes);
    void sum_flag(std::span<const uint32_t> rows, int64_t lane);
    void sweep_pairs(const T* table);
    void sweep_many(const T* table, int64_t n_patterns);
    Sides sides_of(int64_t lane) const { return is_pair_ ? pair_sides(lane) : many_sides(lane); }
    Sides pair_sides(int64_t lane) const;
    Sides many_sides(int64_t lane) const;
    int64_t gain(int64_t lane, int32_t slot) const { return totals_[slot * kLine + lane]; }
    int64_t highest_gain(int64_t lane) const;

    const SortedNode* node_ = nullptr;
    bool is_pair_ = false, is_counted_ = false;
    T min_rows_ = 0;
    // Two predictions with at most two margins: the table holds them, and kind_ says which.
    std::vector<T> kinds_, table_kinds_;
    std::vector<uint8_t> kind_;
    std::vector<T> margins_, gains_, counts_;
    Lines<T> table_;
    std::vector<uint16_t> slots_, cells_;
    bool has_cells_ = false;  // rows gain from one prediction each
    std::vector<uint8_t> codes_;
    // Of the column at hand: sums over buckets, then of the sides.
    std::vector<int64_t> bucket_gains_, bucket_worst_, bucket_counts_, side_worst_;
    Lines<T> totals_, side_counts_, sums_, buckets_, best_;
    // Of the flags at hand.
    FlagPatterns patterns_;
    Lines<T> flag_table_;
};

}  // namespace silva::optimal
