// Finds cuts for a few classes and small weights by Gini: a row is its class and its weight in one
// word.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "core/columns/multiclass_rows.hpp"
#include "core/columns/reductions.hpp"
#include "core/search/criterion.hpp"
#include "core/search/forest/bins.hpp"
#include "core/search/forest/class_bins.hpp"
#include "core/search/forest/cut.hpp"
#include "core/search/forest/live_rows.hpp"
#include "core/search/forest/packed_classes.hpp"
#include "core/search/forest/sorted_keys.hpp"
#include "core/search/sweeps/rows.hpp"
#include "core/tree/tree_writer.hpp"

namespace silva {

struct CountScratch {
    KeyScratch keys;
    std::vector<ClassBins> bins;  // of the columns looked at together
    LiveRows live;
    PackedColumn column;
    PackedWorth worth;
    std::vector<ClassBins::Weights> by_rank;
    std::array<uint32_t, 64 * ClassBins::kMostClasses> groups;  // by bit and class
};

class CountFinder {
  public:
    using Rows = MulticlassRows;
    static constexpr bool kKnowsChildren = true;
    using Sums = std::array<uint32_t, ClassBins::kMostClasses>;

    CountFinder(const CutLimits& limits, int64_t n_classes, int64_t heaviest, CountScratch& scratch)
        : limits_(limits),
          n_classes_(static_cast<int>(n_classes)),
          light_(n_classes <= kPackedClasses && heaviest <= kLightWeight),
          scratch_(scratch) {}

    void open(const MulticlassRows& rows, int64_t begin, int64_t end) {
        Sums sums;
        sum_classes(rows.counts.data() + begin, end - begin, light_, sums.data());
        open(rows, begin, end, sums);
    }
    void open(const MulticlassRows& rows, int64_t begin, int64_t end, const Sums& sums) {
        counts_ = rows.counts.data() + begin;
        n_ = end - begin;
        for (int k = 0; k < n_classes_; ++k) node_[k] = sums[k];
        start();
    }
    Sums sums() const {
        Sums sums;
        for (int k = 0; k < kMostClasses; ++k) sums[k] = static_cast<uint32_t>(node_[k]);
        return sums;
    }
    // Of the two children of the best cut.
    void children(Sums& left, Sums& right) const {
        for (int k = 0; k < kMostClasses; ++k) {
            left[k] = static_cast<uint32_t>(best_left_[k]);
            right[k] = static_cast<uint32_t>(node_[k] - best_left_[k]);
        }
    }
    bool pure(const Sums& sums) const {
        const auto present = [](uint32_t weight) { return weight != 0; };
        return std::count_if(sums.data(), sums.data() + n_classes_, present) < 2;
    }
    // As in PairFinder.
    void open_marked(const MulticlassRows& rows, std::span<const uint64_t> marked, int64_t n) {
        counts_ = rows.counts.data();
        n_ = n;
        node_ = counts_of(marked);
        start();
    }
    int64_t weight() const { return total_; }
    bool pure() const { return n_present_ < 2; }
    const Cut& best() const { return best_; }
    bool perfect() const { return best_.exists() && n_ == 2; }
    void write_leaf(TreeWriter& out) const {
        for (int i = 0; i < n_present_; ++i) out.weight_of_class(present_[i], node_[present_[i]]);
        out.end_leaf(n_);
    }

    // As in PairFinder.
    template <class Rank>
    bool ranks(int32_t column, const Rank* ranks) {
        if constexpr (sizeof(Rank) == 2)
            if (can_pack()) return by_packed_cuts(column, ranks);
        const Range<Rank> range = range_of(ranks, n_);
        if (range.low == range.high) return false;
        if (n_ <= kOrderedRows || !limits_.allow_all())
            by_order(column, ranks, range.low, range.high);
        else
            by_bins(column, ranks, range);
        return true;
    }
    size_t n_pending() const { return n_pending_; }
    int32_t pending(size_t i) const;
    template <class Rank>
    bool refine(size_t i, const Rank* ranks);
    void end_pending() { n_pending_ = 0; }
    bool marked(int32_t column, std::span<const uint64_t> left, int64_t left_rows,
                double threshold);
    uint64_t bits(const uint64_t* words, uint64_t wanted, const std::vector<int32_t>& columns,
                  uint64_t inverted);

  private:
    static constexpr int kMostClasses = ClassBins::kMostClasses;
    static constexpr int64_t kOrderedRows = 192;  // so few are put in order rather than in bins
    // Weights are added up by rank, instead of rows being put in order, where ranks have so much
    // weight or more and are not too many for the caches.
    static constexpr int64_t kRowsOfRank = 2, kMostRanks = 1 << 14;
    using Counts = std::array<int64_t, kMostClasses>;

    Counts counts_of(std::span<const uint64_t> marked) const {
        Counts counts{};
        for_each_row(marked,
                     [&](int64_t row) { counts[counts_[row] & 0xFFu] += counts_[row] >> 8; });
        return counts;
    }
    void start() {
        total_ = squares_ = most_ = 0;
        n_present_ = 0;
        packed_ = 0;
        for (int k = 0; k < n_classes_; ++k) {
            present_[n_present_] = k;
            n_present_ += node_[k] != 0 ? 1 : 0;
            total_ += node_[k];
            squares_ += node_[k] * node_[k];
            most_ = std::max(most_, node_[k]);
            packed_ |= static_cast<uint64_t>(node_[k]) << (8 * k % 64);
        }
        best_ = Cut{};
        n_pending_ = 0;
        set_bound(-1.0);
    }

    // The rows gathered so far, as the sweep Gini has them.
    struct Left {
        Counts counts{};
        int64_t weight = 0, squares = 0, rest_squares = 0;
    };
    Left nothing() const { return {{}, 0, 0, squares_}; }
    void add(Left& left, int k, int64_t w) const {
        int64_t& l = left.counts[k];
        left.squares += w * (2 * l + w);
        left.rest_squares -= w * (2 * (node_[k] - l) - w);
        l += w;
        left.weight += w;
    }
    void add(Left& left, uint32_t count) const {
        add(left, static_cast<int>(count & 0xFFu), count >> 8);
    }
    bool promising(const Left& left) const {
        const auto l = static_cast<double>(left.weight);
        const auto r = static_cast<double>(total_ - left.weight);
        return static_cast<double>(left.squares) * r + static_cast<double>(left.rest_squares) * l >=
               bound_ * l * r;
    }
    void set_bound(double gain) {
        const auto w = static_cast<double>(total_);
        bound_ = (static_cast<double>(squares_) / w + gain * w * kSlack) * (1 - 1e-14);
        spread_bound_ = gain * w * w * kSlack;
    }
    bool consider(int32_t column, uint32_t rank, const Counts& left, int64_t weight,
                  int64_t left_rows, double threshold = 0.0) {
        const int64_t lighter = std::min(weight, total_ - weight);
        if (!limits_.allow(left_rows, n_, lighter)) return false;
        const ClassCounts counts{
            left.data(), node_.data(), {present_.data(), static_cast<size_t>(n_present_)}};
        const Cut cut{gini_gain(counts, weight, total_), weight, lighter, column, rank, threshold};
        if (!better(cut, best_)) return false;
        best_ = cut;
        best_left_ = left;
        set_bound(best_.gain);
        return true;
    }

    int64_t rows_with(const uint64_t* words, int bit, bool value) const {
        return std::count_if(words, words + n_,
                             [=](uint64_t word) { return (word >> bit & 1) == (value ? 1u : 0u); });
    }

    template <class Rank>
    void by_order(int32_t column, const Rank* ranks, Rank lowest, Rank highest);
    // False when the column is constant.
    bool by_packed_cuts(int32_t column, const uint16_t* ranks);
    void consider_packed(int32_t column, uint32_t rank, uint64_t packed_left);
    bool can_pack() const {
        return n_ <= PackedColumn::kMost && n_classes_ <= kPackedClasses &&
               most_ <= kPackedWeight && limits_.allow_all();
    }
    template <class Rank>
    void by_bins(int32_t column, const Rank* ranks, Range<Rank> range);
    template <class Rank>
    void by_rank(const ClassBins& bins, const Rank* ranks, int64_t n_rows);
    template <class Rank>
    void inside_bins(const ClassBins& bins, int64_t n_keys);
    Left left_of(const ClassBins& bins, int bin) const {
        Left left = nothing();
        for (int i = 0; i < n_present_; ++i) add(left, present_[i], bins.before(bin)[present_[i]]);
        return left;
    }

    CutLimits limits_;
    int n_classes_;
    bool light_;
    CountScratch& scratch_;
    const uint32_t* counts_ = nullptr;
    int64_t n_ = 0, total_ = 0, squares_ = 0, most_ = 0;  // most_: weight of the heaviest class
    uint64_t packed_ = 0;                                 // if can_pack()
    std::array<int64_t, kMostClasses> node_{};
    std::array<int32_t, kMostClasses> present_{};
    int n_present_ = 0;
    Cut best_;
    Counts best_left_{};
    double bound_ = 0.0, spread_bound_ = 0.0;
    size_t n_pending_ = 0;
};

template <class Rank>
void CountFinder::by_order(int32_t column, const Rank* ranks, Rank lowest, Rank highest) {
    const uint64_t* keys = sorted_keys(ranks, n_, lowest, highest, scratch_.keys);
    Left left = nothing();
    for (int64_t i = 0; i + 1 < n_; ++i) {
        add(left, counts_[static_cast<uint32_t>(keys[i])]);
        if (!promising(left) || keys[i] >> 32 == keys[i + 1] >> 32) continue;
        consider(column, static_cast<uint32_t>(keys[i + 1] >> 32) + lowest, left.counts,
                 left.weight, i + 1);
    }
}

// A good cut first: few others reach the bound then.
inline bool CountFinder::by_packed_cuts(int32_t column, const uint16_t* ranks) {
    const PackedColumn& cuts = scratch_.column;
    if (!pack_column(ranks, counts_, n_, scratch_.column)) return false;
    const int64_t first =
        weigh_cuts(cuts.left, n_, packed_, static_cast<double>(total_), bound_, scratch_.worth);
    if (first < 0) return true;
    consider_packed(column, cuts.rank[first], cuts.left[first]);
    uint16_t others[PackedColumn::kMost];
    const int64_t n_others = reaching_cuts(scratch_.worth, n_, bound_, others);
    for (int64_t i = 0; i < n_others; ++i)
        if (cuts.rank[others[i]] != cuts.rank[first] && reaches(scratch_.worth, bound_, others[i]))
            consider_packed(column, cuts.rank[others[i]], cuts.left[others[i]]);
    return true;
}

inline void CountFinder::consider_packed(int32_t column, uint32_t rank, uint64_t packed_left) {
    Counts left{};
    int64_t weight = 0;
    for (int k = 0; k < n_classes_; ++k)
        weight += left[k] = static_cast<int64_t>(packed_left >> (8 * k) & kPackedWeight);
    consider(column, rank, left, weight, 1);
}

template <class Rank>
void CountFinder::by_bins(int32_t column, const Rank* ranks, Range<Rank> range) {
    if (scratch_.bins.size() <= n_pending_) scratch_.bins.resize(n_pending_ + 1);
    ClassBins& bins = scratch_.bins[n_pending_];
    bins.lay_out(column, n_, range.low, range.high);
    bins.count(ranks, counts_, n_);
    bins.score(node_.data(), n_classes_, total_);
    for (int b = 0; b + 1 < bins.n_bins; ++b) {
        if (bins.at_end[b] < spread_bound_) continue;
        const int64_t left = bins.weight_before[b + 1];
        if (left == 0 || left == total_ || left == bins.weight_before[b]) continue;
        Counts counts{};
        std::copy_n(bins.before(b + 1), n_classes_, counts.data());
        consider(column, bins.start_of(b + 1), counts, left, 1);
    }
    if (bins.shift > 0) ++n_pending_;
}

inline int32_t CountFinder::pending(size_t i) const {
    const ClassBins& bins = scratch_.bins[i];
    return bins.can_reach(spread_bound_) ? bins.column : -1;
}

template <class Rank>
bool CountFinder::refine(size_t i, const Rank* ranks) {
    const ClassBins& bins = scratch_.bins[i];
    const int64_t weight = scratch_.live.find(bins, spread_bound_);
    const int64_t n_ranks = int64_t{scratch_.live.n_live()} << bins.shift;
    if (weight >= kRowsOfRank * n_ranks && int64_t{bins.n_bins} << bins.shift <= kMostRanks) {
        const int64_t n_rows = scratch_.live.pick(bins, weight, ranks, counts_, n_);
        by_rank(bins, scratch_.live.ranks<Rank>().data(), n_rows);
        return true;
    }
    if (3 * weight > total_) {
        const Range<Rank> range = range_of(ranks, n_);
        by_order(bins.column, ranks, range.low, range.high);
        return true;
    }
    const int64_t n_keys = scratch_.live.pick(bins, weight, ranks, counts_, n_);
    inside_bins<Rank>(bins, n_keys);
    return true;
}

// Cuts inside live bins, from the weights of each of their ranks.
template <class Rank>
void CountFinder::by_rank(const ClassBins& bins, const Rank* ranks, int64_t n_rows) {
    std::vector<ClassBins::Weights>& weights = scratch_.by_rank;
    const size_t ranks_of_bin = size_t{1} << bins.shift;
    const auto room = static_cast<size_t>(bins.n_bins) * ranks_of_bin;
    if (weights.size() < room) weights.resize(room);
    for (int b = 0; b < bins.n_bins; ++b)
        if (scratch_.live.is_live(b))
            std::fill_n(weights.begin() + static_cast<int64_t>(b * ranks_of_bin), ranks_of_bin,
                        ClassBins::Weights{});
    const uint32_t* rows = scratch_.live.rows.data();
    for (int64_t i = 0; i < n_rows; ++i) weights[ranks[i]][rows[i] & 0xFFu] += rows[i] >> 8;
    for (int b = 0; b < bins.n_bins; ++b) {
        if (!scratch_.live.is_live(b)) continue;
        Left left = left_of(bins, b);
        const int64_t before = left.weight;
        for (size_t rank = b * ranks_of_bin; rank < (b + 1) * ranks_of_bin; ++rank) {
            const ClassBins::Weights& here = weights[rank];
            if (std::all_of(here.begin(), here.end(), [](uint32_t w) { return w == 0; })) continue;
            if (left.weight != before && promising(left))
                consider(bins.column, bins.lowest + static_cast<uint32_t>(rank), left.counts,
                         left.weight, 1);
            for (int i = 0; i < n_present_; ++i) add(left, present_[i], here[present_[i]]);
        }
    }
}

template <class Rank>
void CountFinder::inside_bins(const ClassBins& bins, int64_t n_keys) {
    const uint64_t* keys = sorted_keys(scratch_.live.ranks<Rank>().data(), n_keys, Rank{0},
                                       bins.highest<Rank>(), scratch_.keys);
    Left left;
    for (int64_t i = 0; i < n_keys; ++i) {
        const auto rank = static_cast<uint32_t>(keys[i] >> 32);
        const auto bin = rank >> bins.shift;
        if (i == 0 || bin != keys[i - 1] >> (32 + bins.shift))
            left = left_of(bins, static_cast<int>(bin));
        else if (rank != keys[i - 1] >> 32 && promising(left))
            consider(bins.column, bins.lowest + rank, left.counts, left.weight, 1);
        add(left, scratch_.live.rows[static_cast<uint32_t>(keys[i])]);
    }
}

inline bool CountFinder::marked(int32_t column, std::span<const uint64_t> left, int64_t left_rows,
                                double threshold) {
    const Counts counts = counts_of(left);
    int64_t weight = 0;
    for (int i = 0; i < n_present_; ++i) weight += counts[present_[i]];
    return consider(column, 0, counts, weight, left_rows, threshold);
}

inline uint64_t CountFinder::bits(const uint64_t* words, uint64_t wanted,
                                  const std::vector<int32_t>& columns, uint64_t inverted) {
    sum_bits(words, counts_, n_, wanted, light_, scratch_.groups.data());
    uint64_t constant = 0;
    for (uint64_t rest = wanted; rest != 0; rest &= rest - 1) {
        const int bit = std::countr_zero(rest);
        const uint32_t* group = scratch_.groups.data() + bit * kMostClasses;
        int64_t weight = 0;
        for (int i = 0; i < n_present_; ++i) weight += group[present_[i]];
        if (weight == 0 || weight == total_) {
            constant |= uint64_t{1} << bit;
            continue;
        }
        const bool set_is_left = (inverted >> bit & 1) != 0;
        Left left = nothing();
        for (int i = 0; i < n_present_; ++i) {
            const int k = present_[i];
            add(left, k, set_is_left ? group[k] : node_[k] - group[k]);
        }
        if (!promising(left)) continue;
        consider(columns[bit], 1, left.counts, left.weight,
                 limits_.allow_all() ? 1 : rows_with(words, bit, set_is_left));
    }
    return constant;
}

}  // namespace silva
