// Finds cuts by Gini for rows of small weights that are one word each: two classes
// (binary_classes.hpp) or a few (multiclass.hpp).
//
// The search is written once. `Classes` knows the node's weights and the bound that a cut must
// reach, adds rows to a left child (`Left`), and counts rows in coarse bins.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/columns/reductions.hpp"
#include "core/search/forest/binary_classes.hpp"
#include "core/search/forest/cut.hpp"
#include "core/search/forest/live_rows.hpp"
#include "core/search/forest/multiclass.hpp"
#include "core/search/forest/sorted_keys.hpp"
#include "core/tree/tree_writer.hpp"

namespace silva {

template <class Classes>
struct ClassScratch {
    KeyScratch keys;
    std::vector<typename Classes::Bins> bins;  // of the columns looked at together
    LiveRows live;
    typename Classes::Scratch classes;
};

template <class Classes>
class ClassFinder {
    using Bins = typename Classes::Bins;
    using Left = typename Classes::Left;

  public:
    using Rows = typename Classes::Rows;
    using Sums = typename Classes::Sums;  // what a node weighs
    using Scratch = ClassScratch<Classes>;
    // A best cut knows what its children weigh, so that these need not look at their rows.
    static constexpr bool kKnowsChildren = true;

    ClassFinder(const CutLimits& limits, const Classes& classes, Scratch& scratch)
        : limits_(limits), classes_(classes), scratch_(scratch) {}

    void open(const Rows& rows, int64_t begin, int64_t end) {
        open(rows, begin, end, classes_.sum(rows.words.data() + begin, end - begin));
    }
    void open(const Rows& rows, int64_t begin, int64_t end, const Sums& sums) {
        start(rows, begin, end - begin, sums);
    }
    // The rows whose bits are set, n of them; for thresholds that are drawn.
    void open_marked(const Rows& rows, std::span<const uint64_t> marked, int64_t n) {
        start(rows, 0, n, classes_.sum_marked(rows, rows.words.data(), marked, n));
    }
    Sums sums() const { return classes_.node(); }
    // Of the two children of the best cut.
    void children(Sums& left, Sums& right) const { classes_.children(best_left_, left, right); }
    int64_t weight() const { return classes_.weight(); }
    bool pure(const Sums& sums) const { return classes_.pure(sums); }
    bool pure() const { return classes_.pure(); }
    const Cut& best() const { return best_; }
    void write_leaf(TreeWriter& out) const {
        classes_.write(out);
        out.end_leaf(n_);
    }

    // False when the column is constant here. Of large nodes only some cuts are tried at once: the
    // column is pending then, and `refine` must be called for it when its fellows have been seen.
    template <class Rank>
    bool ranks(int32_t column, const Rank* ranks) {
        if constexpr (Classes::kPacksCuts && sizeof(Rank) == 2)
            if (limits_.allow_all() && classes_.can_pack(n_)) return by_packed_cuts(column, ranks);
        const Range<Rank> range = range_of(ranks, n_);
        if (range.low == range.high) return false;
        if (n_ <= kFewKeys || !limits_.allow_all())
            by_order(column, ranks, range);
        else
            by_bins(column, ranks, range);
        return true;
    }
    size_t n_pending() const { return n_pending_; }
    // The column of a pending search that can still hold a better cut, or -1.
    int32_t pending(size_t i) const {
        const Bins& bins = scratch_.bins[i];
        return bins.can_reach(classes_.bin_bound()) ? bins.column : -1;
    }
    template <class Rank>
    bool refine(size_t i, const Rank* ranks);
    void end_pending() { n_pending_ = 0; }

    // The split of the marked rows from the others: whether it is the best so far.
    bool marked(int32_t column, std::span<const uint64_t> marks, int64_t left_rows,
                double threshold) {
        const Left left = classes_.left(classes_.sum_marked(*rows_, words_, marks, left_rows));
        return classes_.promising(left) && consider(column, 0, left, left_rows, threshold);
    }
    // ---- splits that someone else found --------------------------------------------------------

    void write_stats(NodeStats& stats) const { classes_.write(stats); }
    // This split is the best so far.
    void take(const Merit& merit) {
        best_ = Cut(merit);
        classes_.set_best(std::max(-1.0, merit.score()));
    }
    // Its left child has the marked rows of the node.
    void weigh_left(std::span<const uint64_t> marks) {
        best_left_ = classes_.nothing();
        for_each_row(marks, [&](int64_t i) { classes_.add(best_left_, words_[i]); });
        best_.left = best_left_.weight;
    }
    // The same of rows that may have no words, after open_marked.
    void weigh_marked(std::span<const uint64_t> marks, int64_t left_rows) {
        best_.left = classes_.weight_of(classes_.sum_marked(*rows_, words_, marks, left_rows));
    }
    // Higher for a higher gain, but for rounding; -1: the split is not allowed.
    double approximate_score(std::span<const uint64_t> marks, int64_t left_rows) const
        requires requires(const Classes& classes, const Left& left) { classes.worth(left); }
    {
        const Left left = classes_.left(classes_.sum_marked(*rows_, words_, marks, left_rows));
        const int64_t lighter = std::min(left.weight, weight() - left.weight);
        return limits_.allow(left_rows, n_, lighter) ? classes_.worth(left) : -1.0;
    }
    // All columns of `wanted` in one word each; returns the constant ones.
    uint64_t bits(const uint64_t* words, uint64_t wanted, const std::vector<int32_t>& columns,
                  uint64_t inverted);

  private:
    void start(const Rows& rows, int64_t begin, int64_t n, const Sums& sums) {
        rows_ = &rows;
        words_ = rows.words.data() + begin;
        n_ = n;
        classes_.open(sums);
        best_ = Cut{};
        n_pending_ = 0;
    }
    bool consider(int32_t column, uint32_t rank, const Left& left, int64_t left_rows,
                  double threshold = 0.0) {
        const int64_t lighter = std::min(left.weight, weight() - left.weight);
        if (!limits_.allow(left_rows, n_, lighter)) return false;
        const Cut cut{classes_.gain(left), left.weight, lighter, column, rank, threshold};
        if (!better(cut, best_)) return false;
        best_ = cut;
        best_left_ = left;
        classes_.set_best(best_.gain);
        return true;
    }

    template <class Rank>
    void by_order(int32_t column, const Rank* ranks, Range<Rank> range);
    template <class Rank>
    void by_bins(int32_t column, const Rank* ranks, Range<Rank> range);
    template <class Rank>
    void inside_bins(const Bins& bins, int64_t n_keys);
    bool by_packed_cuts(int32_t column, const uint16_t* ranks) {
        const auto consider_one = [&](uint32_t rank, const Left& left) {
            consider(column, rank, left, 1);
        };
        return classes_.for_packed_cuts(ranks, words_, n_, scratch_.classes, consider_one);
    }
    int64_t rows_with(const uint64_t* words, int bit, bool value) const {
        return std::count_if(words, words + n_,
                             [=](uint64_t word) { return (word >> bit & 1) == (value ? 1u : 0u); });
    }

    CutLimits limits_;
    Classes classes_;
    Scratch& scratch_;
    const Rows* rows_ = nullptr;
    const uint32_t* words_ = nullptr;  // of the rows, one each
    int64_t n_ = 0;
    Cut best_;
    Left best_left_{};
    size_t n_pending_ = 0;
};

using BinaryFinder = ClassFinder<BinaryClasses>;
using MulticlassFinder = ClassFinder<Multiclass>;

template <class Classes>
template <class Rank>
void ClassFinder<Classes>::by_order(int32_t column, const Rank* ranks, Range<Rank> range) {
    const uint64_t* keys = sorted_keys(ranks, n_, range.low, range.high, scratch_.keys);
    Left left = classes_.nothing();
    for (int64_t i = 0; i + 1 < n_; ++i) {
        classes_.add(left, words_[static_cast<uint32_t>(keys[i])]);
        if (!classes_.promising(left) || keys[i] >> 32 == keys[i + 1] >> 32) continue;
        consider(column, static_cast<uint32_t>(keys[i + 1] >> 32) + range.low, left, i + 1);
    }
}

// The cuts between coarse bins exactly, and for each bin a bound on the cuts inside.
template <class Classes>
template <class Rank>
void ClassFinder<Classes>::by_bins(int32_t column, const Rank* ranks, Range<Rank> range) {
    if (scratch_.bins.size() <= n_pending_) scratch_.bins.resize(n_pending_ + 1);
    Bins& bins = scratch_.bins[n_pending_];
    bins.lay_out(column, n_, range.low, range.high);
    classes_.count(bins, ranks, words_, n_);
    for (int b = 0; b + 1 < bins.n_bins; ++b) {
        if (bins.at_end[b] < classes_.bin_bound()) continue;
        const int64_t weight_left = bins.weight_before[b + 1];
        if (weight_left == weight() || weight_left == bins.weight_before[b]) continue;
        consider(column, bins.start_of(b + 1), classes_.before(bins, b + 1), 1);
    }
    if (bins.shift > 0) ++n_pending_;
}

// Puts the bins that may hold a better cut in order.
template <class Classes>
template <class Rank>
bool ClassFinder<Classes>::refine(size_t i, const Rank* ranks) {
    const Bins& bins = scratch_.bins[i];
    const int64_t weight_live = scratch_.live.find(bins, classes_.bin_bound());
    if (3 * weight_live > weight())
        by_order(bins.column, ranks, range_of(ranks, n_));
    else
        inside_bins<Rank>(bins, scratch_.live.pick(bins, weight_live, ranks, words_, n_));
    return true;
}

template <class Classes>
template <class Rank>
void ClassFinder<Classes>::inside_bins(const Bins& bins, int64_t n_keys) {
    const uint64_t* keys = sorted_keys(scratch_.live.template ranks<Rank>().data(), n_keys, Rank{0},
                                       bins.template highest<Rank>(), scratch_.keys);
    Left left = classes_.nothing();
    for (int64_t i = 0; i < n_keys; ++i) {
        const auto rank = static_cast<uint32_t>(keys[i] >> 32);
        const auto bin = rank >> bins.shift;
        if (i == 0 || bin != keys[i - 1] >> (32 + bins.shift))
            left = classes_.before(bins, static_cast<int>(bin));
        else if (rank != keys[i - 1] >> 32 && classes_.promising(left))
            consider(bins.column, bins.lowest + rank, left, 1);
        classes_.add(left, scratch_.live.rows[static_cast<uint32_t>(keys[i])]);
    }
}

template <class Classes>
uint64_t ClassFinder<Classes>::bits(const uint64_t* words, uint64_t wanted,
                                    const std::vector<int32_t>& columns, uint64_t inverted) {
    classes_.sum_bits(words, words_, n_, wanted, scratch_.classes);
    uint64_t constant = 0;
    for (uint64_t rest = wanted; rest != 0; rest &= rest - 1) {
        const int bit = std::countr_zero(rest);
        const Sums& set = classes_.with_bit(bit, scratch_.classes);
        const int64_t set_weight = classes_.weight_of(set);
        if (set_weight == 0 || set_weight == weight()) {
            constant |= uint64_t{1} << bit;
            continue;
        }
        const bool set_is_left = (inverted >> bit & 1) != 0;
        const Left left = set_is_left ? classes_.left(set) : classes_.rest(set);
        if (classes_.promising(left))
            consider(columns[static_cast<size_t>(bit)], 1, left,
                     limits_.allow_all() ? 1 : rows_with(words, bit, set_is_left));
    }
    return constant;
}

}  // namespace silva
