// A few classes for ClassFinder: a row is its class and its weight in one word.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/columns/marked_rows.hpp"
#include "core/columns/packed_rows.hpp"
#include "core/search/criterion.hpp"
#include "core/search/forest/bins.hpp"
#include "core/search/forest/packed_classes.hpp"
#include "core/search/stats.hpp"
#include "core/simd/gini_bound.hpp"
#include "core/tree/tree_writer.hpp"

namespace silva {

class Multiclass {
  public:
    using Rows = MulticlassRows;
    using Bins = MulticlassBins;
    static constexpr int kMostClasses = Bins::kMostClasses;
    static constexpr bool kPacksCuts = true;

    using Sums = std::array<uint32_t, kMostClasses>;
    // The rows gathered so far, as the sweep Gini has them.
    struct Left {
        std::array<int64_t, kMostClasses> counts{};
        int64_t weight = 0, squares = 0, rest_squares = 0;
    };
    struct Scratch {
        PackedColumn column;
        int64_t missing_at;  // one of its entries of missing values
        PackedWorth worth;
        std::array<Sums, 64> by_bit;
        std::vector<Sums> by_rank;
    };

    Multiclass(int64_t n_classes, int64_t heaviest)
        : n_classes_(static_cast<int>(n_classes)),
          light_(n_classes <= kPackedClasses && heaviest <= kLightWeight) {}

    Sums sum(const uint32_t* rows, int64_t n) const {
        Sums sums;
        sum_classes(rows, n, light_, sums.data());
        return sums;
    }
    static Sums sum_marked(const Rows&, const uint32_t* words, std::span<const uint64_t> marked,
                           int64_t) {
        Sums sums{};
        for_each_row(marked, [&](int64_t i) { sums[words[i] & 0xFFu] += words[i] >> 8; });
        return sums;
    }

    void open(const Sums& node) {
        weight_ = squares_ = most_ = 0;
        n_present_ = 0;
        packed_ = 0;
        for (int k = 0; k < n_classes_; ++k) {
            const int64_t w = counts_[k] = node[k];
            present_[n_present_] = k;
            n_present_ += w != 0 ? 1 : 0;
            weight_ += w;
            squares_ += w * w;
            most_ = std::max(most_, w);
            packed_ |= static_cast<uint64_t>(w) << (8 * k % 64);
        }
        set_best(-1.0);
    }
    Sums node() const {
        Sums sums{};
        std::copy_n(counts_.data(), n_classes_, sums.data());
        return sums;
    }
    int64_t weight() const { return weight_; }
    bool pure() const { return n_present_ < 2; }
    bool pure(const Sums& sums) const {
        const auto is_present = [](uint32_t weight) { return weight != 0; };
        return std::count_if(sums.data(), sums.data() + n_classes_, is_present) < 2;
    }
    void write(TreeWriter& out) const {
        for (int i = 0; i < n_present_; ++i) out.weight_of_class(present_[i], counts_[present_[i]]);
    }

    void write(NodeStats& stats) const {
        stats.weight = weight_;
        stats.classes.assign(counts_.begin(), counts_.begin() + n_classes_);
    }

    // ---- the left child ------------------------------------------------------------------------

    Left nothing() const { return {{}, 0, 0, squares_}; }
    void add(Left& left, uint32_t row) const { add(left, static_cast<int>(row & 0xFFu), row >> 8); }
    Left left(const Sums& sums) const { return left(sums.data()); }
    // The rows that are not in these sums.
    Left rest(const Sums& sums) const { return rest(sums.data()); }
    Left before(const Bins& bins, int bin) const { return left(bins.before(bin)); }
    int64_t weight_of(const Sums& sums) const {
        int64_t weight = 0;
        for (int i = 0; i < n_present_; ++i) weight += sums[present_[i]];
        return weight;
    }
    // As in BinaryClasses.
    void write(const Sums& sums, int64_t* group) const {
        std::copy_n(sums.data(), n_classes_, group);
    }
    void children(const Left& best, Sums& left, Sums& right) const {
        for (int k = 0; k < kMostClasses; ++k) {
            left[k] = static_cast<uint32_t>(best.counts[k]);
            right[k] = static_cast<uint32_t>(counts_[k] - best.counts[k]);
        }
    }

    bool promising(const Left& left) const {
        const auto l = static_cast<double>(left.weight);
        const auto r = static_cast<double>(weight_ - left.weight);
        return simd::passes(simd::by_squares(static_cast<double>(left.squares),
                                             static_cast<double>(left.rest_squares), l, r, bound_));
    }
    double gain(const Left& left) const {
        const ClassCounts counts{
            left.counts.data(), counts_.data(), {present_.data(), static_cast<size_t>(n_present_)}};
        return gini_gain(counts, left.weight, weight_);
    }
    void set_best(double gain) {
        const auto w = static_cast<double>(weight_);
        bound_ = simd::squares_bound(gain, static_cast<double>(squares_), w);
        bin_bound_ = simd::spread_bound(gain, w);
    }
    double bin_bound() const { return bin_bound_; }

    // ---- many rows at once ---------------------------------------------------------------------

    template <class Rank>
    void count(Bins& bins, const Rank* ranks, const uint32_t* rows, int64_t n) const {
        bins.count(ranks, rows, n);
    }
    void score(Bins& bins) const { bins.score(counts_.data(), n_classes_, weight_); }
    // As in BinaryClasses.
    Left score_both(Bins& right, Bins& left) const {
        left.copy_counts(right);
        score(right);
        const Left missing = rest(right.before(right.n_bins));
        left.start_after(missing.counts.data());
        score(left);
        return missing;
    }
    // As in BinaryClasses.
    template <class Rank>
    static const Sums* count_ranks(const Rank* ranks, const uint32_t* rows, int64_t n,
                                   uint32_t start, uint32_t n_ranks, Scratch& scratch) {
        scratch.by_rank.assign(n_ranks + 1, Sums{});
        for (int64_t i = 0; i < n; ++i) {
            Sums& cell = scratch.by_rank[std::min(uint32_t{ranks[i]} - start, n_ranks)];
            cell[rows[i] & 0xFFu] += rows[i] >> 8;
        }
        return scratch.by_rank.data();
    }
    static bool is_empty(const Sums& cell) {
        return std::all_of(cell.begin(), cell.end(), [](uint32_t weight) { return weight == 0; });
    }
    void add_cell(Left& left, const Sums& cell) const {
        for (int i = 0; i < n_present_; ++i) add(left, present_[i], int64_t{cell[present_[i]]});
    }
    // Of the rows that have a bit, for each bit of `wanted`.
    void sum_bits(const uint64_t* words, const uint32_t* rows, int64_t n, uint64_t wanted,
                  Scratch& scratch) const {
        silva::sum_bits(words, rows, n, wanted, light_, scratch.by_bit[0].data());
    }
    static const Sums& with_bit(int bit, const Scratch& scratch) {
        return scratch.by_bit[static_cast<size_t>(bit)];
    }

    // ---- cuts of few rows as packed weights ----------------------------------------------------

    bool can_pack(int64_t n) const {
        return n <= PackedColumn::kMost && n_classes_ <= kPackedClasses && most_ <= kPackedWeight;
    }
    // The cuts of a column; false when it is constant.
    static bool pack(const uint16_t* ranks, const uint32_t* rows, int64_t n, Scratch& scratch) {
        return pack_column(ranks, rows, n, scratch.column);
    }
    // Takes the rows of this rank, which is above all others, out of the cuts; what they weigh.
    uint64_t take_missing(int64_t n, uint32_t rank, Scratch& scratch) const {
        PackedColumn& cuts = scratch.column;
        uint64_t known = packed_;
        for (int64_t i = 0; i < n; ++i) {
            if (cuts.rank[i] != rank || cuts.left[i] == 0) continue;
            known = cuts.left[i];
            cuts.left[i] = 0;
            scratch.missing_at = i;
        }
        return packed_ - known;
    }
    // Adds the missing rows to the left of every cut; `asks`: and has them as a cut at rank 0.
    static void add_left(int64_t n, uint64_t missing, bool asks, Scratch& scratch) {
        PackedColumn& cuts = scratch.column;
        for (int64_t i = 0; i < n; ++i) cuts.left[i] += cuts.left[i] != 0 ? missing : 0;
        if (!asks) return;
        cuts.left[scratch.missing_at] = missing;
        cuts.rank[scratch.missing_at] = 0;
    }
    // Calls f with the rank and the left child of the cuts that may be better. A good cut first:
    // few others reach the bound then.
    template <class F>
    void for_packed_cuts(int64_t n, Scratch& scratch, F&& f) const {
        const PackedColumn& cuts = scratch.column;
        const int64_t first =
            weigh_cuts(cuts.left, n, packed_, static_cast<double>(weight_), bound_, scratch.worth);
        if (first < 0) return;
        f(cuts.rank[first], unpacked(cuts.left[first]));
        uint16_t others[PackedColumn::kMost];
        const int64_t n_others = reaching_cuts(scratch.worth, n, bound_, others);
        for (const uint16_t i : std::span(others, static_cast<size_t>(n_others)))
            if (cuts.rank[i] != cuts.rank[first] && reaches(scratch.worth, bound_, i))
                f(cuts.rank[i], unpacked(cuts.left[i]));
    }
    Left unpacked(uint64_t packed) const {
        Left left = nothing();
        for (int k = 0; k < n_classes_; ++k)
            left.weight += left.counts[k] = static_cast<int64_t>(packed >> (8 * k) & kPackedWeight);
        return left;
    }

  private:
    void add(Left& left, int k, int64_t w) const {
        int64_t& l = left.counts[k];
        left.squares += w * (2 * l + w);
        left.rest_squares -= w * (2 * (counts_[k] - l) - w);
        l += w;
        left.weight += w;
    }
    Left left(const uint32_t* weights) const {
        Left left = nothing();
        for (int i = 0; i < n_present_; ++i) add(left, present_[i], weights[present_[i]]);
        return left;
    }
    Left rest(const uint32_t* weights) const {
        Left left = nothing();
        for (int i = 0; i < n_present_; ++i)
            add(left, present_[i], counts_[present_[i]] - int64_t{weights[present_[i]]});
        return left;
    }

    int n_classes_;
    bool light_;
    std::array<int64_t, kMostClasses> counts_{};  // of the node
    std::array<int32_t, kMostClasses> present_{};
    int n_present_ = 0;
    int64_t weight_ = 0, squares_ = 0, most_ = 0;  // most_: weight of the heaviest class
    uint64_t packed_ = 0;                          // the node, if can_pack
    double bound_ = 0.0, bin_bound_ = 0.0;
};

}  // namespace silva
