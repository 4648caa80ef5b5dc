// Two classes for ClassFinder: a row is a pair of weights in one word.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "core/columns/packed_rows.hpp"
#include "core/columns/reductions.hpp"
#include "core/search/criterion.hpp"
#include "core/search/forest/bins.hpp"
#include "core/search/stats.hpp"
#include "core/simd/gini_bound.hpp"
#include "core/tree/tree_writer.hpp"

namespace silva {

class BinaryClasses {
  public:
    using Rows = BinaryRows;
    using Bins = BinaryBins;
    static constexpr bool kPacksCuts = false;

    // The weight of a node or of the rows gathered so far, in all and of class 1.
    struct Sums {
        int64_t weight, ones;
    };
    using Left = Sums;
    struct Scratch {
        std::array<uint64_t, 64> by_bit;  // the weight in the lower half, that of class 1 above it
        std::vector<uint64_t> by_rank;    // the same, in four tables
    };

    static Sums sum(const uint32_t* rows, int64_t n) {
        const PairSum sum = sum_pairs(rows, n);
        return {sum.low, sum.high};
    }
    // n rows are marked; bit 0 is the row at `words`, among `rows`.
    static Sums sum_marked(const Rows& rows, const uint32_t* words,
                           std::span<const uint64_t> marked, int64_t n) {
        const auto n_words = static_cast<int64_t>(marked.size());
        if (!rows.zeros.empty())
            return {n, n - int64_t{count_common(marked.data(), rows.zeros.data(), n_words)}};
        const PairSum sum = silva::sum_marked(words, 64 * n_words, marked.data());
        return {sum.low, sum.high};
    }

    void open(const Sums& node) {
        node_ = node;
        bound_ = -1.0;
    }
    const Sums& node() const { return node_; }
    int64_t weight() const { return node_.weight; }
    bool pure() const { return pure(node_); }
    static bool pure(const Sums& sums) { return sums.ones == 0 || sums.ones == sums.weight; }
    void write(TreeWriter& out) const {
        out.weight_of_class(0, node_.weight - node_.ones);
        out.weight_of_class(1, node_.ones);
    }

    void write(NodeStats& stats) const {
        stats.weight = node_.weight;
        stats.classes = {node_.weight - node_.ones, node_.ones};
    }

    // ---- the left child ------------------------------------------------------------------------

    static Left nothing() { return {0, 0}; }
    static void add(Left& left, uint32_t row) {
        left.weight += row & 0xFFFFu;
        left.ones += row >> 16;
    }
    static Left left(const Sums& sums) { return sums; }
    static Left before(const Bins& bins, int bin) {
        return {bins.weight_before[bin], bins.ones_before[bin]};
    }
    // The rows that are not in these sums.
    Left rest(const Sums& sums) const {
        return {node_.weight - sums.weight, node_.ones - sums.ones};
    }
    static int64_t weight_of(const Sums& sums) { return sums.weight; }
    // As a group of a sweep.
    static void write(const Sums& sums, int64_t* group) {
        group[0] = sums.weight - sums.ones;
        group[1] = sums.ones;
    }
    void children(const Left& best, Sums& left, Sums& right) const {
        left = best;
        right = rest(best);
    }

    bool promising(const Left& left) const {
        const auto l = static_cast<double>(left.weight);
        const auto r = static_cast<double>(node_.weight - left.weight);
        return simd::passes(simd::by_deviation(deviation(left), l, r, bound_));
    }
    double gain(const Left& left) const {
        const double d = deviation(left);
        return spread_gain(d * d + d * d, left.weight, node_.weight);
    }
    // The gain times a number that all splits of the node share, but for rounding.
    double worth(const Left& left) const {
        const double d = deviation(left);
        return d * d /
               (static_cast<double>(left.weight) * static_cast<double>(node_.weight - left.weight));
    }
    void set_best(double gain) {
        bound_ = simd::two_class_bound(gain, static_cast<double>(node_.weight));
    }
    double bin_bound() const { return bound_; }

    // ---- many rows at once ---------------------------------------------------------------------

    template <class Rank>
    void count(Bins& bins, const Rank* ranks, const uint32_t* rows, int64_t n) const {
        if (node_.weight <= Rows::kMostWeight)
            bins.count<uint32_t>(ranks, rows, n);
        else
            bins.count<uint64_t>(ranks, rows, n);
    }
    void score(Bins& bins) const {
        bins.score(static_cast<double>(node_.weight), static_cast<double>(node_.ones));
    }
    // What the rows of each of n_ranks ranks weigh, from `start` on. Four tables take turns, since
    // most rows fall on one rank; rows of other ranks have a cell behind the last one.
    template <class Rank>
    static const uint64_t* count_ranks(const Rank* ranks, const uint32_t* rows, int64_t n,
                                       uint32_t start, uint32_t n_ranks, Scratch& scratch) {
        const size_t width = size_t{n_ranks} + 1;
        scratch.by_rank.assign(4 * width, 0);
        uint64_t* const sums = scratch.by_rank.data();
        for (int64_t i = 0; i < n; ++i)
            sums[width * (i % 4) + std::min(uint32_t{ranks[i]} - start, n_ranks)] +=
                Rows::widened(rows[i]);
        for (size_t r = 0; r < n_ranks; ++r)
            sums[r] += sums[width + r] + sums[2 * width + r] + sums[3 * width + r];
        return sums;
    }
    static bool is_empty(uint64_t cell) { return cell == 0; }
    static void add_cell(Left& left, uint64_t cell) {
        left.weight += static_cast<int64_t>(cell & 0xFFFFFFFFu);
        left.ones += static_cast<int64_t>(cell >> 32);
    }
    // `right` has counted the rows that are not missing; `left` becomes its bins after the missing
    // rows, which are returned.
    Left score_both(Bins& right, Bins& left) const {
        const Left missing = rest(before(right, right.n_bins));
        left.start_after(missing.weight, missing.ones, right);
        score(right);
        score(left);
        return missing;
    }
    // Of the rows that have a bit, for each bit of `wanted`.
    static void sum_bits(const uint64_t* words, const uint32_t* rows, int64_t n, uint64_t wanted,
                         Scratch& scratch) {
        scratch.by_bit.fill(0);
        for (int64_t i = 0; i < n; ++i) {
            const uint64_t row = Rows::widened(rows[i]);
            for (uint64_t word = words[i] & wanted; word != 0; word &= word - 1)
                scratch.by_bit[static_cast<size_t>(std::countr_zero(word))] += row;
        }
    }
    static Sums with_bit(int bit, const Scratch& scratch) {
        const uint64_t sums = scratch.by_bit[static_cast<size_t>(bit)];
        return {static_cast<int64_t>(sums & 0xFFFFFFFFu), static_cast<int64_t>(sums >> 32)};
    }

  private:
    double deviation(const Left& left) const {
        return static_cast<double>(
            simd::gini_deviation(left.ones, left.weight, node_.ones, node_.weight));
    }

    Sums node_{};
    double bound_ = -1.0;
};

}  // namespace silva
