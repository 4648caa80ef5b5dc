// Coarse bins of the ranks of one column in a node, for a few classes (bins.hpp has them for two).
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "core/forest/bins.hpp"

namespace silva {

// Gains are the sums of d_k * d_k / (l * r); those inside a bin are bounded class by class,
// loosely, so that bins are small.
struct ClassBins : BinLayout {
    static constexpr int kMostClasses = 16;

    // Weight of the rows before each bin, by class and in all.
    using Weights = std::array<uint32_t, kMostClasses>;
    using Sums = std::array<Weights, kMostBins + 1>;
    alignas(64) Sums before;
    std::array<int64_t, kMostBins + 1> weight_before;

    ClassBins() : BinLayout(4) {}

    int64_t weight_of(int bin) const { return weight_before[bin + 1] - weight_before[bin]; }

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
