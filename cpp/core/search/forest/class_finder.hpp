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
#include "core/search/forest/known_rows.hpp"
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
    KnownRows known;
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
    // The best cut with what its left child weighs, and to have it again in the node of this cut.
    struct Found {
        Cut cut;
        Left left;
    };
    Found found() const { return {best_, best_left_}; }
    void restore(const Found& found) {
        best_ = found.cut;
        best_left_ = found.left;
    }
    void write_leaf(TreeWriter& out) const {
        classes_.write(out);
        out.end_leaf(n_);
    }

    // False when the column is constant here. Of large nodes only some cuts are tried at once: the
    // column is pending then, and `refine` must be called for it when its fellows have been seen.
    template <class Rank>
    bool ranks(int32_t column, const Rank* ranks, const MissingValues& missing = {}) {
        if constexpr (Classes::kPacksCuts && sizeof(Rank) == 2)
            if (limits_.allow_all() && classes_.can_pack(n_))
                return by_packed_cuts(column, ranks, missing);
        const Range<Rank> range = range_of(ranks, n_);
        if (range.low == range.high) return false;
        if (n_ <= kFewKeys || !limits_.allow_all())
            by_order(column, ranks, range, missing);
        else if (range.high == missing.rank)
            by_bins_of_known(column, ranks, missing);
        else
            by_bins(column, {ranks, words_, n_}, range);
        return true;
    }
    size_t n_pending() const { return n_pending_; }
    // The column of a pending search that can still hold a better cut, or -1.
    int32_t pending(size_t i) const {
        const Bins& bins = scratch_.bins[i];
        return bins.can_reach(classes_.bin_bound()) ? bins.column : -1;
    }
    template <class Rank>
    bool refine(size_t i, const Rank* ranks, const MissingValues& missing = {});
    void end_pending() { n_pending_ = 0; }

    // The split of the marked rows from the others: whether it is the best so far.
    bool marked(int32_t column, std::span<const uint64_t> marks, int64_t left_rows,
                double threshold, const MissingPass& pass = kNoneMissing) {
        const Left left = classes_.left(classes_.sum_marked(*rows_, words_, marks, left_rows));
        return classes_.promising(left) && consider(column, 0, left, left_rows, pass, threshold);
    }
    // The weight of n marked rows.
    int64_t weight_of(std::span<const uint64_t> marks, int64_t n) const {
        return classes_.weight_of(classes_.sum_marked(*rows_, words_, marks, n));
    }
    // The same as a group of a sweep, which must be zero before.
    void write_group(std::span<const uint64_t> marks, int64_t n, int64_t* group) const {
        classes_.write(classes_.sum_marked(*rows_, words_, marks, n), group);
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
                  const MissingPass& pass = kNoneMissing, double threshold = 0.0) {
        const int64_t lighter = std::min(left.weight, weight() - left.weight);
        if (!limits_.allow(left_rows, n_, lighter)) return false;
        if (!pass.allows(left.weight, weight())) return false;
        const Cut cut{classes_.gain(left), left.weight, lighter,   column, rank,
                      threshold,           pass.left,   pass.exist};
        if (!better(cut, best_)) return false;
        best_ = cut;
        best_left_ = left;
        classes_.set_best(best_.gain);
        return true;
    }

    void ask_missing(int32_t column, const Left& missing, int64_t rows, const MissingPass& pass) {
        if (pass.asks_missing() && classes_.promising(missing))
            consider(column, 0, missing, rows, pass);
    }

    void sweep(const KeyedRows& rows, Left left, int64_t left_rows, const MissingPass& pass);
    template <class Rank>
    void by_order(int32_t column, const Rank* ranks, Range<Rank> range,
                  const MissingValues& missing);

    template <class Rank>
    void by_bins(int32_t column, const RankedRows<Rank>& rows, Range<Rank> range);
    template <class Rank>
    void by_bins_of_known(int32_t column, const Rank* ranks, const MissingValues& missing);
    void between_bins(const Bins& bins);
    template <class Rank>
    void inside_bin(const Bins& bins, int bin, const RankedRows<Rank>& rows);
    template <class Rank>
    void inside_bins(const Bins& bins, int64_t n_keys);

    bool by_packed_cuts(int32_t column, const uint16_t* ranks, const MissingValues& missing);
    void consider_packed(int32_t column, const MissingPass& pass) {
        classes_.for_packed_cuts(n_, scratch_.classes, [&](uint32_t rank, const Left& left) {
            consider(column, rank, left, 1, pass);
        });
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
void ClassFinder<Classes>::sweep(const KeyedRows& rows, Left left, int64_t left_rows,
                                 const MissingPass& pass) {
    const auto [column, lowest, keys, words, n] = rows;
    for (int64_t i = 0; i + 1 < n; ++i) {
        classes_.add(left, words[static_cast<uint32_t>(keys[i])]);
        if (!classes_.promising(left) || keys[i] >> 32 == keys[i + 1] >> 32) continue;
        const Left here = left;  // so that `left` stays in registers
        const auto rank = static_cast<uint32_t>(keys[i + 1] >> 32) + lowest;
        consider(column, rank, here, left_rows + i + 1, pass);
    }
}

template <class Classes>
template <class Rank>
void ClassFinder<Classes>::by_order(int32_t column, const Rank* ranks, Range<Rank> range,
                                    const MissingValues& missing) {
    const uint64_t* keys = sorted_keys(ranks, n_, range.low, range.high, scratch_.keys);
    const int64_t known = count_known(keys, n_, range, missing.rank);
    const KeyedRows rows{column, range.low, keys, words_, known};
    if (known == n_) return sweep(rows, classes_.nothing(), 0, kNoneMissing);
    Left absent = classes_.nothing();
    for (int64_t i = known; i < n_; ++i)
        classes_.add(absent, words_[static_cast<uint32_t>(keys[i])]);
    sweep(rows, classes_.nothing(), 0, MissingPass::of(missing, false, absent.weight));
    const MissingPass left = MissingPass::of(missing, true, absent.weight);
    ask_missing(column, absent, n_ - known, left);
    sweep(rows, absent, n_ - known, left);
}

// The cuts between coarse bins exactly, and for each bin a bound on the cuts inside.
template <class Classes>
template <class Rank>
void ClassFinder<Classes>::by_bins(int32_t column, const RankedRows<Rank>& rows,
                                   Range<Rank> range) {
    if (scratch_.bins.size() <= n_pending_) scratch_.bins.resize(n_pending_ + 1);
    Bins& bins = scratch_.bins[n_pending_];
    bins.lay_out(column, rows.n, range.low, range.high);
    classes_.count(bins, rows.ranks, rows.words, rows.n);
    classes_.score(bins);
    between_bins(bins);
    if (bins.shift > 0) ++n_pending_;
}

// The same of the rows that are not missing, with the others on the right and on the left.
template <class Classes>
template <class Rank>
void ClassFinder<Classes>::by_bins_of_known(int32_t column, const Rank* ranks,
                                            const MissingValues& missing) {
    const RankedRows<Rank> rows =
        scratch_.known.copy(column, RankedRows<Rank>{ranks, words_, n_}, missing.rank);
    const Range<Rank> range = range_of(rows.ranks, rows.n);
    if (scratch_.bins.size() <= n_pending_ + 1) scratch_.bins.resize(n_pending_ + 2);
    Bins &right = scratch_.bins[n_pending_], &left = scratch_.bins[n_pending_ + 1];
    right.lay_out(column, rows.n, range.low, range.high);
    classes_.count(right, rows.ranks, rows.words, rows.n);
    const Left absent = classes_.score_both(right, left);
    right.pass = MissingPass::of(missing, false, absent.weight);
    left.pass = MissingPass::of(missing, true, absent.weight);
    between_bins(right);
    ask_missing(column, absent, 1, left.pass);
    between_bins(left);
    if (right.shift > 0) n_pending_ += 2;
}

template <class Classes>
void ClassFinder<Classes>::between_bins(const Bins& bins) {
    for (int b = 0; b + 1 < bins.n_bins; ++b) {
        if (bins.at_end[b] < classes_.bin_bound()) continue;
        const int64_t weight_left = bins.weight_before[b + 1];
        if (weight_left == weight() || weight_left == bins.weight_before[b]) continue;
        consider(bins.column, bins.start_of(b + 1), classes_.before(bins, b + 1), 1, bins.pass);
    }
}

// Puts the bins that may hold a better cut in order.
template <class Classes>
template <class Rank>
bool ClassFinder<Classes>::refine(size_t i, const Rank* ranks, const MissingValues& missing) {
    const Bins& bins = scratch_.bins[i];
    RankedRows<Rank> rows{ranks, words_, n_};
    if (bins.pass.exist) rows = scratch_.known.again(bins.column, rows, missing.rank);
    int64_t weight_live = scratch_.live.find(bins, classes_.bin_bound());
    if (rows.n >> bins.shift >= 1)
        weight_live -= scratch_.live.take_heavy(bins, weight_live, weight(),
                                                [&](int bin) { inside_bin(bins, bin, rows); });
    if (weight_live == 0) return true;
    if (3 * weight_live > weight()) {
        const Range<Rank> range = range_of(rows.ranks, rows.n);
        const uint64_t* keys =
            sorted_keys(rows.ranks, rows.n, range.low, range.high, scratch_.keys);
        const KeyedRows keyed{bins.column, range.low, keys, rows.words, rows.n};
        sweep(keyed, classes_.before(bins, 0), 0, bins.pass);
    } else {
        inside_bins<Rank>(bins,
                          scratch_.live.pick(bins, weight_live, rows.ranks, rows.words, rows.n));
    }
    return true;
}

// The cuts between all ranks of a bin. Where a bin holds much of the weight, such as that of zero,
// counting its ranks costs less than sorting its rows.
template <class Classes>
template <class Rank>
void ClassFinder<Classes>::inside_bin(const Bins& bins, int bin, const RankedRows<Rank>& rows) {
    const uint32_t start = bins.start_of(bin), n_ranks = uint32_t{1} << bins.shift;
    const auto* cells =
        classes_.count_ranks(rows.ranks, rows.words, rows.n, start, n_ranks, scratch_.classes);
    Left left = classes_.before(bins, bin);
    bool is_inside = false;
    for (uint32_t r = 0; r < n_ranks; ++r) {
        if (Classes::is_empty(cells[r])) continue;
        if (is_inside && classes_.promising(left))
            consider(bins.column, start + r, left, 1, bins.pass);
        classes_.add_cell(left, cells[r]);
        is_inside = true;
    }
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
            consider(bins.column, bins.lowest + rank, left, 1, bins.pass);
        classes_.add(left, scratch_.live.rows[static_cast<uint32_t>(keys[i])]);
    }
}

template <class Classes>
bool ClassFinder<Classes>::by_packed_cuts(int32_t column, const uint16_t* ranks,
                                          const MissingValues& missing) {
    typename Classes::Scratch& scratch = scratch_.classes;
    if (!classes_.pack(ranks, words_, n_, scratch)) return false;
    const uint64_t packed =
        missing.exist() ? classes_.take_missing(n_, missing.rank, scratch) : uint64_t{0};
    if (packed == 0) {
        consider_packed(column, kNoneMissing);
        return true;
    }
    const int64_t absent = classes_.unpacked(packed).weight;
    consider_packed(column, MissingPass::of(missing, false, absent));
    const MissingPass left = MissingPass::of(missing, true, absent);
    classes_.add_left(n_, packed, left.asks_missing(), scratch);
    consider_packed(column, left);
    return true;
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
