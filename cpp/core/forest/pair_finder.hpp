// Finds cuts for two classes and small weights by Gini: a row is a pair of counts in one word.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/array.hpp"
#include "core/criterion.hpp"
#include "core/forest/bins.hpp"
#include "core/forest/cut.hpp"
#include "core/forest/sorted_keys.hpp"
#include "core/forest/split_values.hpp"
#include "core/forest/tree_writer.hpp"
#include "core/sweeps/rows.hpp"

namespace silva {

// The weight of each row in the lower 16 bits, and once more in the upper ones if it is of class 1.
struct PairRows {
    static constexpr int64_t kMostWeight = 65535;

    Array<uint32_t> pairs;

    void resize(int64_t n) { pairs.resize(n); }
    void copy(const PairRows& from, int64_t begin, int64_t end) {
        std::copy(from.pairs.data() + begin, from.pairs.data() + end, pairs.data());
    }
    void split(int64_t begin, int64_t n, const uint64_t* bits, uint64_t* spare) {
        split_values(pairs.data() + begin, n, bits, reinterpret_cast<uint32_t*>(spare), true);
    }
    bool pure(int64_t begin, int64_t end) const {
        const bool first = pairs[begin] > kMostWeight;
        for (int64_t i = begin + 1; i < end; ++i)
            if ((pairs[i] > kMostWeight) != first) return false;
        return true;
    }
};

struct PairScratch {
    KeyScratch keys;
    BinScratch bins;
};

class PairFinder {
  public:
    using Rows = PairRows;

    PairFinder(const CutLimits& limits, PairScratch& scratch)
        : limits_(limits), scratch_(scratch) {}

    void open(const PairRows& rows, int64_t begin, int64_t end) {
        pairs_ = rows.pairs.data() + begin;
        n_ = end - begin;
        uint64_t sum = 0;
        for (int64_t i = 0; i < n_; ++i) sum += widened(pairs_[i]);
        total_ = static_cast<int64_t>(sum & 0xFFFFFFFFu);
        ones_ = static_cast<int64_t>(sum >> 32);
        best_ = Cut{};
        bound_ = -1.0;
    }
    int64_t rows() const { return n_; }
    int64_t weight() const { return total_; }
    bool pure() const { return ones_ == 0 || ones_ == total_; }
    const Cut& best() const { return best_; }
    // No cut of a later column can be better, only equal.
    bool perfect() const {
        return best_.exists() &&
               (n_ == 2 ||
                (best_.lighter == std::min(ones_, total_ - ones_) &&
                 best_.gain == gain_of(static_cast<double>(ones_ * (total_ - ones_)), ones_)));
    }
    void write_leaf(TreeWriter& out) const {
        out.rows(n_);
        out.weight_of_class(0, total_ - ones_);
        out.weight_of_class(1, ones_);
        out.end_classes();
    }

    // False when the column is constant here.
    template <class Rank>
    bool ranks(int32_t column, const Rank* ranks) {
        const Range<Rank> range = range_of(ranks, n_);
        if (range.low == range.high) return false;
        if (n_ <= kFewKeys || !limits_.allow_all() || !by_bins(column, ranks, range))
            by_order(column, ranks, range);
        return true;
    }
    template <class Value>
    bool values(int32_t column, const Value* values, uint64_t hash);
    // All columns of `wanted` in one word each; returns the constant ones.
    uint64_t bits(const uint64_t* words, uint64_t wanted, const std::vector<int32_t>& columns,
                  uint64_t inverted);

  private:
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
    void consider(int32_t column, uint32_t rank, int64_t left, int64_t left_ones, int64_t left_rows,
                  double threshold = 0.0) {
        const int64_t lighter = std::min(left, total_ - left);
        if (!limits_.allow(left_rows, n_, lighter)) return;
        const Cut cut{
            gain_of(deviation(left, left_ones), left), left, lighter, column, rank, threshold};
        if (!better(cut, best_)) return;
        best_ = cut;
        const double w = static_cast<double>(total_);
        bound_ = best_.gain * w * w / 2 * kSlack;
    }

    template <class Rank>
    void by_order(int32_t column, const Rank* ranks, Range<Rank> range);
    template <class Rank>
    bool by_bins(int32_t column, const Rank* ranks, Range<Rank> range);
    template <class Rank, class Cell>
    bool by_bins_of(int32_t column, const Rank* ranks, Range<Rank> range);
    void inside_bins(int32_t column, uint32_t lowest, int shift, int64_t n_keys);

    CutLimits limits_;
    PairScratch& scratch_;
    const uint32_t* pairs_ = nullptr;
    int64_t n_ = 0, total_ = 0, ones_ = 0;
    Cut best_;
    double bound_ = -1.0;
};

template <class Rank>
void PairFinder::by_order(int32_t column, const Rank* ranks, Range<Rank> range) {
    const uint64_t* keys = sorted_keys(ranks, n_, range.low, range.high, scratch_.keys);
    int64_t left = 0, left_ones = 0;
    for (int64_t i = 0; i + 1 < n_; ++i) {
        const uint32_t pair = pairs_[static_cast<uint32_t>(keys[i])];
        left += pair & 0xFFFFu;
        left_ones += pair >> 16;
        if (!promising(left, left_ones) || keys[i] >> 32 == keys[i + 1] >> 32) continue;
        consider(column, static_cast<uint32_t>(keys[i + 1] >> 32) + range.low, left, left_ones,
                 i + 1);
    }
}

template <class Rank>
bool PairFinder::by_bins(int32_t column, const Rank* ranks, Range<Rank> range) {
    return total_ <= PairRows::kMostWeight ? by_bins_of<Rank, uint32_t>(column, ranks, range)
                                           : by_bins_of<Rank, uint64_t>(column, ranks, range);
}

// Coarse bins first: the cuts between them exactly, and for each bin a bound on the cuts inside.
// Only bins that may hold a better cut are put in order. False where these are too many.
template <class Rank, class Cell>
bool PairFinder::by_bins_of(int32_t column, const Rank* ranks, Range<Rank> range) {
    BinScratch& bins = scratch_.bins;
    const int shift = bins.shift_for(n_, static_cast<uint32_t>(range.high - range.low));
    const int n_bins = static_cast<int>((range.high - range.low) >> shift) + 1;
    bins.count<Rank, Cell>(ranks, pairs_, n_, range.low, shift, n_bins);
    const double w = static_cast<double>(total_), ones = static_cast<double>(ones_);
    bins.score(n_bins, w, ones);
    for (int b = 0; b + 1 < n_bins; ++b) {
        if (bins.at_end[b] < bound_) continue;
        const int64_t left = bins.left[b + 1], left_ones = bins.left_ones[b + 1];
        if (left == 0 || left == total_ || left == bins.left[b]) continue;
        if (!promising(left, left_ones)) continue;
        const auto rank =
            static_cast<uint32_t>(range.low) + (static_cast<uint32_t>(b + 1) << shift);
        consider(column, rank, left, left_ones, 1);
    }
    if (shift == 0) return true;
    const int64_t alive = bins.mark_alive(n_bins, bound_);
    if (alive == 0) return true;
    const int64_t n_keys =
        bins.gather(ranks, pairs_, n_, static_cast<uint32_t>(range.low), shift, n_ / 2);
    if (n_keys < 0) return false;
    inside_bins(column, static_cast<uint32_t>(range.low), shift, n_keys);
    return true;
}

inline void PairFinder::inside_bins(int32_t column, uint32_t lowest, int shift, int64_t n_keys) {
    BinScratch& bins = scratch_.bins;
    uint64_t* keys = bins.keys.data();
    std::sort(keys, keys + n_keys);
    int64_t left = 0, left_ones = 0;
    for (int64_t i = 0; i < n_keys; ++i) {
        const auto rank = static_cast<uint32_t>(keys[i] >> 32);
        const int bin = static_cast<int>(rank >> shift);
        if (i == 0 || bin != static_cast<int>(keys[i - 1] >> (32 + shift))) {
            left = bins.left[bin];
            left_ones = bins.left_ones[bin];
        } else if (rank != keys[i - 1] >> 32 && promising(left, left_ones)) {
            consider(column, lowest + rank, left, left_ones, 1);
        }
        left += keys[i] & 0xFFFFu;
        left_ones += keys[i] >> 16 & 0xFFFFu;
    }
}

template <class Value>
bool PairFinder::values(int32_t column, const Value* values, uint64_t hash) {
    const Range<Value> range = range_of(values, n_);
    if (range.low == range.high) return false;
    const double threshold = random_between(range.low, range.high, hash);
    const Value cut = least_not_below<Value>(threshold);
    int64_t left = 0, left_ones = 0, left_rows = 0;
    if (total_ <= PairRows::kMostWeight && limits_.allow_all()) {
        const uint32_t sum = pairs_below(values, pairs_, n_, cut);
        left = sum & 0xFFFFu;
        left_ones = sum >> 16;
        left_rows = 1;
    } else {
        uint64_t sum = 0;
        for (int64_t i = 0; i < n_; ++i) {
            const bool below = values[i] < cut;
            sum += below ? widened(pairs_[i]) : 0;
            left_rows += below ? 1 : 0;
        }
        left = static_cast<int64_t>(sum & 0xFFFFFFFFu);
        left_ones = static_cast<int64_t>(sum >> 32);
        if (limits_.allow_all()) left_rows = 1;
    }
    if (promising(left, left_ones)) consider(column, 0, left, left_ones, left_rows, threshold);
    return true;
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
