// Coarse bins of the ranks of one column in a node, for a few classes (bins.hpp has them for two).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>

#include "core/forest/bins.hpp"

namespace silva {

struct ClassBins {
    static constexpr int kMostBins = Bins::kMostBins;
    static constexpr int kMostClasses = 16;
    static constexpr int64_t kRowsOfBin = 4;  // bounds of many classes are loose

    // Weight of the rows before each bin, by class and in all.
    using Sums = std::array<std::array<uint32_t, kMostClasses>, kMostBins + 1>;
    alignas(64) Sums before;
    std::array<int64_t, kMostBins + 1> weight_before;
    // By bin: the sum of d_k * d_k over l * r at its end; no less than any such sum inside it.
    std::array<double, kMostBins> at_end, inside;
    int32_t column;
    uint32_t lowest;
    int shift, n_bins;

    int64_t weight_of(int bin) const { return weight_before[bin + 1] - weight_before[bin]; }

    // No rank above the lowest one is higher.
    template <class Rank>
    Rank highest() const {
        return static_cast<Rank>(std::min<uint64_t>((static_cast<uint64_t>(n_bins) << shift) - 1,
                                                    std::numeric_limits<Rank>::max()));
    }

    void lay_out(int32_t of_column, int64_t n, uint32_t low, uint32_t high) {
        column = of_column;
        lowest = low;
        shift = Bins::shift_for(n, high - low, kRowsOfBin);
        n_bins = static_cast<int>((high - low) >> shift) + 1;
    }

    // What each bin has. Two tables take turns, so that equal neighbours do not wait for each
    // other.
    template <class Rank>
    void count(const Rank* ranks, const uint32_t* counts, int64_t n) {
        std::memset(before.data(), 0, sizeof(before[0]) * static_cast<size_t>(n_bins + 1));
        std::memset(odd_.data(), 0, sizeof(odd_[0]) * static_cast<size_t>(n_bins + 1));
        const uint32_t low = lowest;
        const int by = shift;
        const auto add = [=](Sums& to, uint32_t rank, uint32_t row) {
            to[((rank - low) >> by) + 1][row & 0xFFu] += row >> 8;
        };
        int64_t i = 0;
        for (; i + 1 < n; i += 2) {
            add(before, ranks[i], counts[i]);
            add(odd_, ranks[i + 1], counts[i + 1]);
        }
        if (i < n) add(before, ranks[i], counts[i]);
    }

    // Adds up what was counted; cuts at the ends of bins, bounds inside.
    void score(const int64_t* node, int n_classes, int64_t total);

  private:
    template <int width>
    void add_up(int bin);
    template <int width>
    void score_loop(const int64_t* node, int n_classes, int64_t total);
    void score_widely(const int64_t* node, int n_classes, int64_t total);
    void score_eight(const int64_t* node, int n_classes, double w);

    alignas(64) Sums odd_;
};

}  // namespace silva
