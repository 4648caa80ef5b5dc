// Coarse bins of the ranks of one column in a node: weights, cuts between bins, bounds inside.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include "core/columns/packed_rows.hpp"
#include "core/search/forest/cut.hpp"
#include "core/simd/kernels.hpp"

namespace silva {

// Where the bins of a column lie, and what cuts at their ends and inside them can gain.
struct BinLayout {
    static constexpr int kMostBins = simd::kMostBins;

    std::array<double, kMostBins> at_end, inside;      // by bin
    std::array<int64_t, kMostBins + 1> weight_before;  // of the rows before each bin
    int32_t column;
    uint32_t lowest;  // the rank at which bin 0 begins
    int shift, n_bins;
    MissingPass pass;  // with missing rows on the left these are before bin 0

    // So that the range of ranks has a bin for some rows each.
    void lay_out(int32_t of_column, int64_t n, uint32_t low, uint32_t high) {
        column = of_column;
        pass = {};
        lowest = low;
        const auto wanted = std::clamp<uint64_t>(
            std::bit_floor(static_cast<uint64_t>(n / rows_of_bin_)), 16, kMostBins);
        shift = 0;
        while (((high - low) >> shift) >= wanted) ++shift;
        n_bins = static_cast<int>((high - low) >> shift) + 1;
    }
    // The rank at which a bin begins.
    uint32_t start_of(int bin) const { return lowest + (static_cast<uint32_t>(bin) << shift); }
    // No rank above the lowest one is higher.
    template <class Rank>
    Rank highest() const {
        return static_cast<Rank>(std::min<uint64_t>((static_cast<uint64_t>(n_bins) << shift) - 1,
                                                    std::numeric_limits<Rank>::max()));
    }
    int64_t weight_of(int bin) const { return weight_before[bin + 1] - weight_before[bin]; }
    // Whether a cut inside a bin can reach the bound.
    bool can_reach(double bound) const {
        return std::any_of(inside.begin(), inside.begin() + n_bins,
                           [=](double most) { return most >= bound; });
    }

  protected:
    explicit BinLayout(int64_t rows_of_bin) : rows_of_bin_(rows_of_bin) {}

    void lay_out_like(const BinLayout& other) {
        column = other.column;
        lowest = other.lowest;
        shift = other.shift;
        n_bins = other.n_bins;
    }

  private:
    int64_t rows_of_bin_;
};

// Two classes: gains are d * d / (l * r).
struct BinaryBins : BinLayout {
    std::array<int64_t, kMostBins + 1> ones_before;  // of class 1

    BinaryBins() : BinLayout(8) {}

    // Two tables take turns, so that equal neighbours do not wait for each other. A cell of 32 bits
    // holds both sums in 16 bits each.
    template <class Cell, class Rank>
    void count(const Rank* ranks, const uint32_t* pairs, int64_t n) {
        constexpr int half = sizeof(Cell) * 4;
        constexpr Cell low = (Cell(1) << half) - 1;
        Cell cells[kMostBins], odd[kMostBins];
        std::memset(cells, 0, sizeof(Cell) * static_cast<size_t>(n_bins));
        std::memset(odd, 0, sizeof(Cell) * static_cast<size_t>(n_bins));
        const auto add = [ranks, pairs, low_rank = lowest, by = shift](Cell* to, int64_t i) {
            const Cell cell = sizeof(Cell) == 4 ? pairs[i] : BinaryRows::widened(pairs[i]);
            to[(ranks[i] - low_rank) >> by] += cell;
        };
        for (int64_t i = 0; i + 1 < n; i += 2) {
            add(cells, i);
            add(odd, i + 1);
        }
        if (n % 2 != 0) add(cells, n - 1);
        for (int b = 0; b < n_bins; ++b) cells[b] += odd[b];
        weight_before[0] = ones_before[0] = 0;
        for (int b = 0; b < n_bins; ++b) {
            weight_before[b + 1] = weight_before[b] + static_cast<int64_t>(cells[b] & low);
            ones_before[b + 1] = ones_before[b] + static_cast<int64_t>(cells[b] >> half);
        }
    }

    // The same bins after some more rows.
    void start_after(int64_t weight, int64_t ones, const BinaryBins& other) {
        lay_out_like(other);
        for (int b = 0; b <= n_bins; ++b) {
            weight_before[b] = other.weight_before[b] + weight;
            ones_before[b] = other.ones_before[b] + ones;
        }
    }

    // What cuts at the ends of bins gain, and at most inside.
    void score(double total, double ones) {
        simd::kernels().bins.score_pairs(weight_before.data(), ones_before.data(), n_bins, total,
                                         ones, at_end.data(), inside.data());
    }
};

// A few classes: gains are the sums of d_k * d_k / (l * r). Those inside a bin are bounded class by
// class, loosely, so that bins are small.
struct MulticlassBins : BinLayout {
    static constexpr int kMostClasses = simd::kBinClasses;

    MulticlassBins() : BinLayout(4) {}

    // By class.
    const uint32_t* before(int bin) const { return sums_.before[bin]; }

    template <class Rank>
    void count(const Rank* ranks, const uint32_t* rows, int64_t n) {
        std::memset(sums_.before, 0, sizeof(sums_.before[0]) * static_cast<size_t>(n_bins + 1));
        const uint32_t low = lowest;
        const int by = shift;
        for (int64_t i = 0; i < n; ++i)
            sums_.before[((ranks[i] - low) >> by) + 1][rows[i] & 0xFFu] += rows[i] >> 8;
    }

    // The counts of other bins, which are not added up.
    void copy_counts(const MulticlassBins& other) {
        lay_out_like(other);
        std::memcpy(sums_.before, other.sums_.before,
                    sizeof(sums_.before[0]) * static_cast<size_t>(n_bins + 1));
    }
    // Puts more rows before the first bin.
    void start_after(const int64_t* weights) {
        for (int k = 0; k < kMostClasses; ++k)
            sums_.before[0][k] = static_cast<uint32_t>(weights[k]);
    }

    // Adds up what was counted; cuts at the ends of bins, bounds inside.
    void score(const int64_t* node, int n_classes, int64_t total) {
        simd::kernels().bins.score_classes(&sums_, n_bins, node, n_classes, total,
                                           weight_before.data(), at_end.data(), inside.data());
    }

  private:
    simd::ClassSums sums_;
};

}  // namespace silva
