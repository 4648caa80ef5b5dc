// Coarse bins of the ranks of a node, for two classes: counts, cuts between bins, bounds inside.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/random.hpp"
#include "core/sweeps/rows.hpp"
#include "core/wide.hpp"

namespace silva {

// The least number of the type that is not below x: values are below one exactly if below the
// other.
template <class Value>
Value least_not_below(double x) {
    auto value = static_cast<Value>(x);
    if (static_cast<double>(value) < x) value = std::nextafter(value, Value(INFINITY));
    return value;
}

struct BinScratch {
    static constexpr int kMostBins = 256;
    static constexpr int64_t kRowsOfBin = 8;

    // Weight of the rows before each bin, in all and of class 1.
    std::array<int64_t, kMostBins + 1> left, left_ones;
    // By bin: d * d / (l * r) at its end; the most that a cut inside it can have.
    std::array<double, kMostBins> at_end, inside;
    std::array<uint8_t, kMostBins> alive;
    std::vector<uint64_t> keys;
    int n_alive = 0;

    // So that the range of ranks has a bin for some rows each.
    static int shift_for(int64_t n, uint32_t range) {
        const auto wanted = std::clamp<uint64_t>(
            std::bit_floor(static_cast<uint64_t>(n / kRowsOfBin)), 16, kMostBins);
        int shift = 0;
        while ((range >> shift) >= wanted) ++shift;
        return shift;
    }

    // Fills `left` and `left_ones`. Two tables take turns, so that equal neighbours do not wait for
    // each other. A cell of 32 bits holds both sums in 16 bits each.
    template <class Rank, class Cell>
    void count(const Rank* ranks, const uint32_t* pairs, int64_t n, Rank lowest, int shift,
               int n_bins) {
        Cell even[kMostBins], odd[kMostBins];
        std::memset(even, 0, sizeof(Cell) * static_cast<size_t>(n_bins));
        std::memset(odd, 0, sizeof(Cell) * static_cast<size_t>(n_bins));
        const auto cell_of = [](uint32_t pair) {
            if constexpr (sizeof(Cell) == 4) return pair;
            return (pair & 0xFFFFu) | static_cast<Cell>(pair >> 16) << (sizeof(Cell) * 4);
        };
        int64_t i = 0;
        for (; i + 1 < n; i += 2) {
            even[static_cast<uint32_t>(ranks[i] - lowest) >> shift] += cell_of(pairs[i]);
            odd[static_cast<uint32_t>(ranks[i + 1] - lowest) >> shift] += cell_of(pairs[i + 1]);
        }
        if (i < n) even[static_cast<uint32_t>(ranks[i] - lowest) >> shift] += cell_of(pairs[i]);
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

    void score(int n_bins, double total, double ones) {
#ifdef SILVA_HAS_WIDE
        if (can_go_wide()) return score_widely(n_bins, total, ones);
#endif
        score_loop(n_bins, total, ones);
    }

    // Marks the bins inside which a cut may reach the bound; returns how many.
    int64_t mark_alive(int n_bins, double bound) {
        n_alive = 0;
        for (int b = 0; b < n_bins; ++b) {
            const bool is_alive = inside[b] >= bound;
            alive[b] = is_alive ? 1 : 0;
            n_alive += is_alive ? 1 : 0;
        }
        return n_alive;
    }

    // The rows of the marked bins as keys: rank in the upper half, pair in the lower one. Returns
    // their number, or -1 when there are more than `most`.
    template <class Rank>
    int64_t gather(const Rank* ranks, const uint32_t* pairs, int64_t n, uint32_t lowest, int shift,
                   int64_t most) {
        if (keys.size() < static_cast<size_t>(n) + 1) keys.resize(static_cast<size_t>(n) + 1);
        int64_t n_keys = 0;
        for (int64_t i = 0; i < n; ++i) {
            const uint32_t rank = static_cast<uint32_t>(ranks[i]) - lowest;
            keys[static_cast<size_t>(n_keys)] = static_cast<uint64_t>(rank) << 32 | pairs[i];
            n_keys += alive[rank >> shift];
        }
        return n_keys > most ? -1 : n_keys;
    }

  private:
    // Convex in the counts of the left child, so the most inside a bin is at one of the corners
    // "all of class 0 first" and "all of class 1 first", or at an end. A cut inside a bin leaves
    // something on both sides, so that corners with an empty child are not reached.
    [[gnu::always_inline]] void score_loop(int n_bins, double total, double ones) {
        const auto square_over = [total, ones](double l, double l1) {
            const double d = l1 * total - ones * l;
            const double area = l * (total - l);
            return d * d / std::max(area, 0.5) * (1 + 1e-12);
        };
        for (int b = 0; b < n_bins; ++b) {
            const auto l = static_cast<double>(left[b]), l1 = static_cast<double>(left_ones[b]);
            const auto end = static_cast<double>(left[b + 1]);
            const auto end1 = static_cast<double>(left_ones[b + 1]);
            const double at = square_over(end, end1);
            const double corners = std::max(square_over(l + (end - l) - (end1 - l1), l1),
                                            square_over(l + (end1 - l1), end1));
            at_end[b] = at;
            inside[b] = std::max({corners, at, square_over(l, l1)});
        }
        for (int b = 0; b < n_bins; ++b)
            if (left[b + 1] - left[b] < 2) inside[b] = -2.0;
    }
#ifdef SILVA_HAS_WIDE
    SILVA_WIDE void score_widely(int n_bins, double total, double ones) {
        score_loop(n_bins, total, ones);
    }
#endif
};

}  // namespace silva
