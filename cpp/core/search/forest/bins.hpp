// Coarse bins of the ranks of one column in a node, for two classes: counts, cuts between bins,
// bounds inside.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include "core/search/sweeps/rows.hpp"
#include "core/simd/kernels.hpp"

namespace silva {

// Where the bins of a column lie, and what cuts at their ends and inside them can gain.
struct BinLayout {
    static constexpr int kMostBins = simd::kMostBins;

    std::array<double, kMostBins> at_end, inside;  // by bin
    int32_t column;
    uint32_t lowest;  // the rank at which bin 0 begins
    int shift, n_bins;

    // So that the range of ranks has a bin for some rows each.
    void lay_out(int32_t of_column, int64_t n, uint32_t low, uint32_t high) {
        column = of_column;
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
    // Whether a cut inside a bin can reach the bound.
    bool can_reach(double bound) const {
        return std::any_of(inside.begin(), inside.begin() + n_bins,
                           [=](double most) { return most >= bound; });
    }

  protected:
    explicit BinLayout(int64_t rows_of_bin) : rows_of_bin_(rows_of_bin) {}

  private:
    int64_t rows_of_bin_;
};

// Gains are d * d / (l * r).
struct Bins : BinLayout {
    // Weight of the rows before each bin, in all and of class 1.
    std::array<int64_t, kMostBins + 1> left, left_ones;

    Bins() : BinLayout(8) {}

    int64_t weight_of(int bin) const { return left[bin + 1] - left[bin]; }

    // Fills `left` and `left_ones`. Two tables take turns, so that equal neighbours do not wait for
    // each other. A cell of 32 bits holds both sums in 16 bits each.
    template <class Rank, class Cell>
    void count(const Rank* ranks, const uint32_t* pairs, int64_t n) {
        Cell even[kMostBins], odd[kMostBins];
        std::memset(even, 0, sizeof(Cell) * static_cast<size_t>(n_bins));
        std::memset(odd, 0, sizeof(Cell) * static_cast<size_t>(n_bins));
        const auto cell_of = [](uint32_t pair) {
            if constexpr (sizeof(Cell) == 4) return pair;
            return (pair & 0xFFFFu) | static_cast<Cell>(pair >> 16) << (sizeof(Cell) * 4);
        };
        const uint32_t low_rank = lowest;
        const int by = shift;
        int64_t i = 0;
        for (; i + 1 < n; i += 2) {
            even[(ranks[i] - low_rank) >> by] += cell_of(pairs[i]);
            odd[(ranks[i + 1] - low_rank) >> by] += cell_of(pairs[i + 1]);
        }
        if (i < n) even[(ranks[i] - low_rank) >> by] += cell_of(pairs[i]);
        constexpr int half = sizeof(Cell) * 4;
        constexpr Cell low = (Cell(1) << half) - 1;
        int64_t all = 0, ones = 0;
        for (int b = 0; b < n_bins; ++b) {
            left[b] = all;
            left_ones[b] = ones;
            const Cell cell = even[b] + odd[b];
            all += static_cast<int64_t>(cell & low);
            ones += static_cast<int64_t>(cell >> half);
        }
        left[n_bins] = all;
        left_ones[n_bins] = ones;
    }

    // What cuts at the ends of bins gain, and at most inside.
    void score(double total, double ones) {
        simd::kernels().bins.score_pairs(left.data(), left_ones.data(), n_bins, total, ones,
                                         at_end.data(), inside.data());
    }
};

}  // namespace silva
