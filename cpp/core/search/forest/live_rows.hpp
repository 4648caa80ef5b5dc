// The rows of a node in those of its coarse bins that may hold a better cut.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/columns/split_values.hpp"
#include "core/simd/kernels.hpp"

namespace silva {

using LiveBins = std::array<uint64_t, 4>;  // a bit for each of up to 256 bins

// The rows whose bins, (rank - lowest) >> shift, are alive, and their ranks above the lowest; how
// many they are. Up to kSparePadding entries beyond them may be written.
inline int64_t pick_live(const uint16_t* ranks, const uint32_t* rows, int64_t n, uint32_t lowest,
                         int shift, const LiveBins& alive, uint16_t* ranks_out,
                         uint32_t* rows_out) {
    return simd::kernels().live.pick_16(ranks, rows, n, lowest, shift, alive.data(), ranks_out,
                                        rows_out);
}
inline int64_t pick_live(const uint32_t* ranks, const uint32_t* rows, int64_t n, uint32_t lowest,
                         int shift, const LiveBins& alive, uint32_t* ranks_out,
                         uint32_t* rows_out) {
    return simd::kernels().live.pick_32(ranks, rows, n, lowest, shift, alive.data(), ranks_out,
                                        rows_out);
}

struct LiveRows {
    std::vector<uint32_t> rows;

    template <class Rank>
    std::vector<Rank>& ranks() {
        if constexpr (sizeof(Rank) == 2)
            return short_ranks_;
        else
            return long_ranks_;
    }

    // The weight of the bins that can reach the bound.
    template <class Bins>
    int64_t find(const Bins& bins, double bound) {
        alive_ = {};
        int64_t weight = 0;
        for (int b = 0; b < bins.n_bins; ++b) {
            if (bins.inside[b] < bound) continue;
            alive_[b / 64] |= uint64_t{1} << (b % 64);
            weight += bins.weight_of(b);
        }
        return weight;
    }
    // Calls use(bin) for the heaviest live bin as long as live bins weigh more than a third of the
    // node and this one more than a quarter; it is no longer live then. The weight of these bins.
    template <class Bins, class Use>
    int64_t take_heavy(const Bins& bins, int64_t weight_live, int64_t weight, Use&& use) {
        int64_t taken = 0;
        while (3 * (weight_live - taken) > weight) {
            const int bin = heaviest(bins);
            if (4 * bins.weight_of(bin) <= weight) break;
            use(bin);
            alive_[bin / 64] &= ~(uint64_t{1} << (bin % 64));
            taken += bins.weight_of(bin);
        }
        return taken;
    }
    // Their rows: not more than their weight.
    template <class Bins, class Rank>
    int64_t pick(const Bins& bins, int64_t weight, const Rank* from, const uint32_t* from_rows,
                 int64_t n) {
        const auto room = static_cast<size_t>(weight + kSparePadding);
        if (rows.size() < room) rows.resize(room);
        if (ranks<Rank>().size() < room) ranks<Rank>().resize(room);
        return pick_live(from, from_rows, n, bins.lowest, bins.shift, alive_, ranks<Rank>().data(),
                         rows.data());
    }

  private:
    bool is_live(int bin) const { return (alive_[bin / 64] >> (bin % 64) & 1) != 0; }
    template <class Bins>
    int heaviest(const Bins& bins) const {
        int found = -1;
        for (int b = 0; b < bins.n_bins; ++b)
            if (is_live(b) && (found < 0 || bins.weight_of(b) > bins.weight_of(found))) found = b;
        return found;
    }

    LiveBins alive_;
    std::vector<uint16_t> short_ranks_;
    std::vector<uint32_t> long_ranks_;
};

}  // namespace silva
