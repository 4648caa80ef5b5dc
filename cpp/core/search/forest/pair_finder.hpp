// Finds cuts for two classes and small weights by Gini: a row is a pair of counts in one word.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/array.hpp"
#include "core/columns/marked_rows.hpp"
#include "core/columns/reductions.hpp"
#include "core/columns/row_parts.hpp"
#include "core/search/criterion.hpp"
#include "core/search/forest/bins.hpp"
#include "core/search/forest/cut.hpp"
#include "core/search/forest/live_rows.hpp"
#include "core/search/forest/sorted_keys.hpp"
#include "core/search/sweeps/rows.hpp"
#include "core/tree/tree_writer.hpp"

namespace silva {

// The weight of each row in the lower 16 bits, and once more in the upper ones if it is of class 1.
struct BinaryRows {
    static constexpr int64_t kBytes = 4;  // of the widest array
    static constexpr int64_t kMostWeight = 65535;
    static constexpr uint32_t kOne = 1 << 16;  // pairs of class 1 are not below

    Array<uint32_t> pairs;
    bool unit = false;      // all weights are one
    Array<uint64_t> zeros;  // of a copy of unit rows: those of class 0

    static bool needs_ids() { return false; }
    void resize(int64_t n) { pairs.resize(n + kSparePadding); }
    void copy(const BinaryRows& from, int64_t begin, int64_t end) {
        resize(end - begin);
        std::copy(from.pairs.data() + begin, from.pairs.data() + end, pairs.data());
        start_zeros(from, end - begin);
        if (unit) mark_below(pairs.data(), end - begin, kOne, zeros.data());
    }
    // Of a copy; that of unit rows has no pairs.
    void copy_marked(const BinaryRows& from, const MarkedCopy& copy) {
        start_zeros(from, copy.size());
        if (unit) return copy.bits(from.zeros.data(), zeros.data());
        resize(copy.size());
        copy(from.pairs.data(), pairs.data());
    }
    void split(int64_t begin, const RowParts& parts) { parts.split(pairs.data() + begin); }

  private:
    void start_zeros(const BinaryRows& from, int64_t n) {
        unit = from.unit;
        zeros.resize(unit ? (n + 63) / 64 : 0);
    }
};

struct PairScratch {
    KeyScratch keys;
    std::vector<Bins> bins;  // of the columns looked at together
    LiveRows live;
};

class PairFinder {
  public:
    using Rows = BinaryRows;
    // A best cut knows what its children weigh, so that these need not look at their rows.
    static constexpr bool kKnowsChildren = true;
    struct Sums {
        int64_t weight, ones;
    };

    PairFinder(const CutLimits& limits, PairScratch& scratch)
        : limits_(limits), scratch_(scratch) {}

    void open(const BinaryRows& rows, int64_t begin, int64_t end) {
        const PairSum sum = sum_pairs(rows.pairs.data() + begin, end - begin);
        open(rows, begin, end, {sum.low, sum.high});
    }
    void open(const BinaryRows& rows, int64_t begin, int64_t end, const Sums& sums) {
        pairs_ = rows.pairs.data() + begin;
        n_ = end - begin;
        zeros_ = nullptr;
        total_ = sums.weight;
        ones_ = sums.ones;
        start();
    }
    Sums sums() const { return {total_, ones_}; }
    void children(Sums& left, Sums& right) const {
        left = {best_.left, best_ones_};
        right = {total_ - best_.left, ones_ - best_ones_};
    }
    static bool pure(const Sums& sums) { return sums.ones == 0 || sums.ones == sums.weight; }
    // The rows whose bits are set, n of them; for thresholds that are drawn.
    void open_marked(const BinaryRows& rows, std::span<const uint64_t> marked, int64_t n) {
        pairs_ = rows.pairs.data();
        n_ = n;
        zeros_ = rows.zeros.empty() ? nullptr : rows.zeros.data();
        const PairSum sum = sum_of(marked, n);
        total_ = sum.low;
        ones_ = sum.high;
        start();
    }
    int64_t weight() const { return total_; }
    bool pure() const { return pure(sums()); }
    const Cut& best() const { return best_; }
    // No cut of a later column can be better, only equal.
    bool perfect() const {
        return best_.exists() &&
               (n_ == 2 ||
                (best_.lighter == std::min(ones_, total_ - ones_) &&
                 best_.gain == gain_of(static_cast<double>(ones_ * (total_ - ones_)), ones_)));
    }
    void write_leaf(TreeWriter& out) const {
        out.weight_of_class(0, total_ - ones_);
        out.weight_of_class(1, ones_);
        out.end_leaf(n_);
    }

    // False when the column is constant here. Of large nodes only some cuts are tried at once: the
    // column is pending then, and `refine` must be called for it when its fellows have been seen.
    template <class Rank>
    bool ranks(int32_t column, const Rank* ranks) {
        const Range<Rank> range = range_of(ranks, n_);
        if (range.low == range.high) return false;
        if (n_ <= kFewKeys || !limits_.allow_all())
            by_order(column, ranks, range.low, range.high);
        else if (total_ <= BinaryRows::kMostWeight)
            by_bins<Rank, uint32_t>(column, ranks, range);
        else
            by_bins<Rank, uint64_t>(column, ranks, range);
        return true;
    }
    size_t n_pending() const { return n_pending_; }
    // The column of a pending search that can still hold a better cut, or -1.
    int32_t pending(size_t i) const;
    template <class Rank>
    bool refine(size_t i, const Rank* ranks);
    void end_pending() { n_pending_ = 0; }

    // The split of the marked rows from the others: whether it is the best so far.
    bool marked(int32_t column, std::span<const uint64_t> left, int64_t left_rows,
                double threshold) {
        const PairSum sum = sum_of(left, left_rows);
        return promising(sum.low, sum.high) &&
               consider(column, 0, sum.low, sum.high, left_rows, threshold);
    }
    // Higher for a higher gain, but for rounding; -1: the split is not allowed.
    double approximate_score(std::span<const uint64_t> left, int64_t left_rows) const {
        const PairSum sum = sum_of(left, left_rows);
        const int64_t rest = total_ - sum.low;
        if (!limits_.allow(left_rows, n_, std::min<int64_t>(sum.low, rest))) return -1.0;
        const double d = deviation(sum.low, sum.high);
        return d * d / (static_cast<double>(sum.low) * static_cast<double>(rest));
    }
    // All columns of `wanted` in one word each; returns the constant ones.
    uint64_t bits(const uint64_t* words, uint64_t wanted, const std::vector<int32_t>& columns,
                  uint64_t inverted);

  private:
    void start() {
        best_ = Cut{};
        bound_ = -1.0;
        n_pending_ = 0;
    }
    PairSum sum_of(std::span<const uint64_t> marked, int64_t n) const {
        const auto n_words = static_cast<int64_t>(marked.size());
        if (zeros_ == nullptr) return sum_marked(pairs_, 64 * n_words, marked.data());
        const uint32_t zeros = count_common(marked.data(), zeros_, n_words);
        return {static_cast<uint32_t>(n), static_cast<uint32_t>(n) - zeros};
    }
    static uint64_t widened(uint32_t pair) {
        return (pair & 0xFFFFu) | static_cast<uint64_t>(pair >> 16) << 32;
    }
    double deviation(int64_t left, int64_t left_ones) const {
        return static_cast<double>(left_ones * total_ - ones_ * left);
    }
    double gain_of(double deviation, int64_t left) const {
        return spread_gain(deviation * deviation + deviation * deviation, left, total_);
    }
    bool promising(int64_t left, int64_t left_ones) const {
        const double d = deviation(left, left_ones);
        return d * d >= bound_ * static_cast<double>(left) * static_cast<double>(total_ - left);
    }
    bool consider(int32_t column, uint32_t rank, int64_t left, int64_t left_ones, int64_t left_rows,
                  double threshold = 0.0) {
        const int64_t lighter = std::min(left, total_ - left);
        if (!limits_.allow(left_rows, n_, lighter)) return false;
        const Cut cut{
            gain_of(deviation(left, left_ones), left), left, lighter, column, rank, threshold};
        if (!better(cut, best_)) return false;
        best_ = cut;
        best_ones_ = left_ones;
        const double w = static_cast<double>(total_);
        bound_ = best_.gain * w * w / 2 * kSlack;
        return true;
    }

    template <class Rank>
    void by_order(int32_t column, const Rank* ranks, Rank lowest, Rank highest);
    template <class Rank, class Cell>
    void by_bins(int32_t column, const Rank* ranks, Range<Rank> range);
    template <class Rank>
    void inside_bins(const Bins& bins, int64_t n_keys);

    CutLimits limits_;
    PairScratch& scratch_;
    const uint32_t* pairs_ = nullptr;
    int64_t n_ = 0, total_ = 0, ones_ = 0;
    const uint64_t* zeros_ = nullptr;  // see BinaryRows
    Cut best_;
    int64_t best_ones_ = 0;  // of the left child
    double bound_ = -1.0;
    size_t n_pending_ = 0;
};

template <class Rank>
void PairFinder::by_order(int32_t column, const Rank* ranks, Rank lowest, Rank highest) {
    const uint64_t* keys = sorted_keys(ranks, n_, lowest, highest, scratch_.keys);
    int64_t left = 0, left_ones = 0;
    for (int64_t i = 0; i + 1 < n_; ++i) {
        const uint32_t pair = pairs_[static_cast<uint32_t>(keys[i])];
        left += pair & 0xFFFFu;
        left_ones += pair >> 16;
        if (!promising(left, left_ones) || keys[i] >> 32 == keys[i + 1] >> 32) continue;
        consider(column, static_cast<uint32_t>(keys[i + 1] >> 32) + lowest, left, left_ones, i + 1);
    }
}

// The cuts between coarse bins exactly, and for each bin a bound on the cuts inside.
template <class Rank, class Cell>
void PairFinder::by_bins(int32_t column, const Rank* ranks, Range<Rank> range) {
    if (scratch_.bins.size() <= n_pending_) scratch_.bins.resize(n_pending_ + 1);
    Bins& bins = scratch_.bins[n_pending_];
    bins.lay_out(column, n_, range.low, range.high);
    bins.count<Rank, Cell>(ranks, pairs_, n_);
    bins.score(static_cast<double>(total_), static_cast<double>(ones_));
    for (int b = 0; b + 1 < bins.n_bins; ++b) {
        if (bins.at_end[b] < bound_) continue;
        const int64_t left = bins.left[b + 1], left_ones = bins.left_ones[b + 1];
        if (left == 0 || left == total_ || left == bins.left[b]) continue;
        if (!promising(left, left_ones)) continue;
        consider(column, bins.start_of(b + 1), left, left_ones, 1);
    }
    if (bins.shift > 0) ++n_pending_;
}

inline int32_t PairFinder::pending(size_t i) const {
    const Bins& bins = scratch_.bins[i];
    return bins.can_reach(bound_) ? bins.column : -1;
}

// Puts the bins that may hold a better cut in order.
template <class Rank>
bool PairFinder::refine(size_t i, const Rank* ranks) {
    const Bins& bins = scratch_.bins[i];
    const int64_t weight = scratch_.live.find(bins, bound_);
    if (3 * weight > total_) {
        const Range<Rank> range = range_of(ranks, n_);
        by_order(bins.column, ranks, range.low, range.high);
        return true;
    }
    const int64_t n_keys = scratch_.live.pick(bins, weight, ranks, pairs_, n_);
    inside_bins<Rank>(bins, n_keys);
    return true;
}

template <class Rank>
void PairFinder::inside_bins(const Bins& bins, int64_t n_keys) {
    const uint64_t* keys = sorted_keys(scratch_.live.ranks<Rank>().data(), n_keys, Rank{0},
                                       bins.highest<Rank>(), scratch_.keys);
    int64_t left = 0, left_ones = 0;
    for (int64_t i = 0; i < n_keys; ++i) {
        const auto rank = static_cast<uint32_t>(keys[i] >> 32);
        const auto bin = rank >> bins.shift;
        if (i == 0 || bin != keys[i - 1] >> (32 + bins.shift)) {
            left = bins.left[bin];
            left_ones = bins.left_ones[bin];
        } else if (rank != keys[i - 1] >> 32 && promising(left, left_ones)) {
            consider(bins.column, bins.lowest + rank, left, left_ones, 1);
        }
        const uint32_t pair = scratch_.live.rows[static_cast<uint32_t>(keys[i])];
        left += pair & 0xFFFFu;
        left_ones += pair >> 16;
    }
}

inline uint64_t PairFinder::bits(const uint64_t* words, uint64_t wanted,
                                 const std::vector<int32_t>& columns, uint64_t inverted) {
    uint64_t sums[64];
    int32_t set_rows[64];
    for (uint64_t rest = wanted; rest != 0; rest &= rest - 1) {
        sums[std::countr_zero(rest)] = 0;
        set_rows[std::countr_zero(rest)] = 0;
    }
    for (int64_t i = 0; i < n_; ++i) {
        for (uint64_t word = words[i] & wanted; word != 0; word &= word - 1) {
            const int bit = std::countr_zero(word);
            sums[bit] += widened(pairs_[i]);
            ++set_rows[bit];
        }
    }
    uint64_t constant = 0;
    for (uint64_t rest = wanted; rest != 0; rest &= rest - 1) {
        const int bit = std::countr_zero(rest);
        if (set_rows[bit] == 0 || set_rows[bit] == n_) {
            constant |= uint64_t{1} << bit;
            continue;
        }
        auto left = static_cast<int64_t>(sums[bit] & 0xFFFFFFFFu);
        auto left_ones = static_cast<int64_t>(sums[bit] >> 32);
        int64_t left_rows = set_rows[bit];
        if ((inverted >> bit & 1) == 0) {
            left = total_ - left;
            left_ones = ones_ - left_ones;
            left_rows = n_ - left_rows;
        }
        if (promising(left, left_ones)) consider(columns[bit], 1, left, left_ones, left_rows);
    }
    return constant;
}

}  // namespace silva
