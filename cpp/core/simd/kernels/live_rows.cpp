#include "core/simd/live_rows.hpp"

#include "core/simd/vec.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

constexpr int kTogether = kLanes<uint8_t>;  // the bins of so many rows fill a register

// Whether the bins' bits are set among 256.
SILVA_INLINE uint64_t set_among(const uint8_t* bits, Vec<uint8_t> bins) {
    alignas(16) static constexpr uint8_t one[16] = {1, 2, 4, 8, 16, 32, 64, 128};
    const auto byte = (bins >> 3) & all<uint8_t>(15);
    const auto found = select(top_bit(bins), look_up(bits + 16, byte), look_up(bits, byte));
    return bits_of(shares_bits(found, look_up(one, bins & all<uint8_t>(7))));
}

// Of n values; whole: they fill a register.
template <bool whole, class T>
SILVA_INLINE Vec<T> load_some(const T* from, int64_t n) {
    if constexpr (whole) return load(from);
    return n > 0 ? load_first(from, n) : zero<T>();
}

SILVA_INLINE Vec<uint8_t> bins_of(const Vec<uint16_t> (&ranks)[2], int shift) {
    return narrow<uint8_t>(ranks[0] >> shift, ranks[1] >> shift);
}
SILVA_INLINE Vec<uint8_t> bins_of(const Vec<uint32_t> (&ranks)[4], int shift) {
    return narrow<uint8_t>(narrow<uint16_t>(ranks[0] >> shift, ranks[1] >> shift),
                           narrow<uint16_t>(ranks[2] >> shift, ranks[3] >> shift));
}

template <class Rank>
struct Picked {
    Rank* ranks;
    uint32_t* rows;
};

// Of n rows, up to kTogether.
template <bool whole, class Rank>
SILVA_INLINE void pick_some(const Rank* ranks, const uint32_t* rows, int64_t n, Rank lowest,
                            int shift, const uint8_t* alive, Picked<Rank>& out) {
    constexpr int width = kLanes<Rank>, row_width = kLanes<uint32_t>;
    Vec<Rank> above[kTogether / width];  // the lowest
    for (int at = 0; at < kTogether; at += width)
        above[at / width] = load_some<whole>(ranks + at, n - at) - all<Rank>(lowest);
    const uint64_t good = set_among(alive, bins_of(above, shift)) & lowest_bits(n);
    for (int from = 0; from < kTogether; from += width) {
        const uint64_t set = good >> from & lowest_bits(width);
        if (set == 0) continue;
        out.ranks = compress(out.ranks, above[from / width], set);
        for (int at = from; at < from + width; at += row_width)
            out.rows = compress(out.rows, load_some<whole>(rows + at, n - at),
                                good >> at & lowest_bits(row_width));
    }
}

template <class Rank>
int64_t pick(const Rank* ranks, const uint32_t* rows, int64_t n, uint32_t lowest, int shift,
             const uint64_t* alive, Rank* ranks_out, uint32_t* rows_out) {
    const auto* bits = reinterpret_cast<const uint8_t*>(alive);
    const auto base = static_cast<Rank>(lowest);
    Picked<Rank> out{ranks_out, rows_out};
    int64_t i = 0;
    for (; i + kTogether <= n; i += kTogether)
        pick_some<true>(ranks + i, rows + i, kTogether, base, shift, bits, out);
    if (i < n) pick_some<false>(ranks + i, rows + i, n - i, base, shift, bits, out);
    return out.ranks - ranks_out;
}

}  // namespace

LiveKernels live_kernels() { return {pick, pick}; }

}  // namespace silva::simd::SILVA_ISA_NAMESPACE
