// Coarse bins of the ranks of one column in a node, for a few classes (bins.hpp has them for two).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>

#include "core/forest/bins.hpp"
#include "core/wide.hpp"

namespace silva {

struct ClassBins {
    static constexpr int kMostBins = Bins::kMostBins;
    static constexpr int kMostClasses = 16;

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
        shift = Bins::shift_for(n, high - low);
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

    // Adds up what was counted.
    void score(const int64_t* node, int n_classes, int64_t total) {
#ifdef SILVA_HAS_WIDE
        if (can_go_wide()) return score_widely(node, n_classes, total);
#endif
        score_loop<kMostClasses>(node, n_classes, total);
    }

  private:
    template <int width>
    [[gnu::always_inline]] void add_up(int bin) {
        uint32_t weight = 0;
        for (int k = 0; k < width; ++k) {
            const uint32_t mine = before[bin + 1][k] + odd_[bin + 1][k];
            weight += mine;
            before[bin + 1][k] = before[bin][k] + mine;
        }
        weight_before[bin + 1] = weight_before[bin] + weight;
    }

    // With d_k = l_k * total - N_k * l: inside a bin of the weights b_k, d_k is at most what it is
    // when all of class k come first, and at least what it is when they come last; l * r is least
    // at an end of the bin.
    template <int width>
    [[gnu::always_inline]] void score_loop(const int64_t* node, int n_classes, int64_t total) {
        double shares[width] = {};
        for (int k = 0; k < n_classes; ++k) shares[k] = static_cast<double>(node[k]);
        const auto w = static_cast<double>(total);
        weight_before[0] = 0;
        for (int b = 0; b < n_bins; ++b) {
            add_up<width>(b);
            const auto l = static_cast<double>(weight_before[b]);
            const auto end = static_cast<double>(weight_before[b + 1]);
            const uint32_t *from = before[b].data(), *to = before[b + 1].data();
            double at = 0.0, most = 0.0;
            for (int k = 0; k < width; ++k) {
                const auto first = static_cast<double>(from[k]), last = static_cast<double>(to[k]);
                const double d = last * w - shares[k] * end;
                const double high = last * w - shares[k] * (l + (last - first));
                const double low = first * w - shares[k] * (end - (last - first));
                const double larger = std::max(high * high, low * low);
                at += d * d;
                most += larger;
            }
            const double end_area = end * (w - end);
            const double least = std::min(std::max(l, 1.0) * (w - std::max(l, 1.0)),
                                          std::min(end, w - 1) * (w - std::min(end, w - 1)));
            at_end[b] = at / std::max(end_area, 0.5) * (1 + 1e-12);
            inside[b] = end - l < 2 ? -2.0 : most / std::max(least, 0.5) * (1 + 1e-12);
        }
    }
#ifdef SILVA_HAS_WIDE
    SILVA_WIDE void score_widely(const int64_t* node, int n_classes, int64_t total) {
        if (n_classes <= 8)
            score_loop<8>(node, n_classes, total);
        else
            score_loop<kMostClasses>(node, n_classes, total);
    }
#endif

    alignas(64) Sums odd_;
};

}  // namespace silva
