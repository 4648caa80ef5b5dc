// Coarse bins of the ranks of one column in a node, for a few classes (bins.hpp has them for two).
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "core/search/forest/bins.hpp"

namespace silva {

// Gains are the sums of d_k * d_k / (l * r); those inside a bin are bounded class by class,
// loosely, so that bins are small.
struct ClassBins : BinLayout {
    static constexpr int kMostClasses = simd::kBinClasses;

    using Weights = std::array<uint32_t, kMostClasses>;
    std::array<int64_t, kMostBins + 1> weight_before;  // of the rows before each bin

    ClassBins() : BinLayout(4) {}

    // The same by class.
    const uint32_t* before(int bin) const { return sums_.before[bin]; }
    int64_t weight_of(int bin) const { return weight_before[bin + 1] - weight_before[bin]; }

    // What each bin has. Two tables take turns, so that equal neighbours do not wait for each
    // other.
    template <class Rank>
    void count(const Rank* ranks, const uint32_t* counts, int64_t n) {
        std::memset(sums_.before, 0, sizeof(sums_.before[0]) * static_cast<size_t>(n_bins + 1));
        std::memset(sums_.odd, 0, sizeof(sums_.odd[0]) * static_cast<size_t>(n_bins + 1));
        const uint32_t low = lowest;
        const int by = shift;
        const auto add = [=](auto& to, uint32_t rank, uint32_t row) {
            to[((rank - low) >> by) + 1][row & 0xFFu] += row >> 8;
        };
        int64_t i = 0;
        for (; i + 1 < n; i += 2) {
            add(sums_.before, ranks[i], counts[i]);
            add(sums_.odd, ranks[i + 1], counts[i + 1]);
        }
        if (i < n) add(sums_.before, ranks[i], counts[i]);
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
