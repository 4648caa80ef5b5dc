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

template <class T>
SILVA_INLINE Vec<T> load_up_to(const T* from, int64_t n) {
    if (n >= kLanes<T>) return load(from);
    return n > 0 ? load_first(from, n) : zero<T>();
}

template <class Rank>
struct Ranks {
    static constexpr int kRegisters = static_cast<int>(sizeof(Rank));
    Vec<Rank> above[kRegisters];  // the lowest

    SILVA_INLINE void load_from(const Rank* ranks, int64_t n, Rank lowest) {
        for (int r = 0; r < kRegisters; ++r)
            above[r] =
                load_up_to(ranks + kLanes<Rank> * r, n - kLanes<Rank> * r) - all<Rank>(lowest);
    }
    SILVA_INLINE Vec<uint8_t> bins(int shift) const {
        if constexpr (sizeof(Rank) == 2)
            return narrow(above[0] >> shift, above[1] >> shift);
        else
            return narrow(narrow(above[0] >> shift, above[1] >> shift),
                          narrow(above[2] >> shift, above[3] >> shift));
    }
};

template <class Rank>
int64_t pick(const Rank* ranks, const uint32_t* rows, int64_t n, uint32_t lowest, int shift,
             const uint64_t* alive, Rank* ranks_out, uint32_t* rows_out) {
    const auto* bits = reinterpret_cast<const uint8_t*>(alive);
    const Rank* const begin = ranks_out;
    for (int64_t i = 0; i < n; i += kTogether) {
        Ranks<Rank> here;
        here.load_from(ranks + i, n - i, static_cast<Rank>(lowest));
        const uint64_t good = set_among(bits, here.bins(shift)) & lowest_bits(n - i);
        if (good == 0) continue;
        constexpr int width = kLanes<Rank>, row_width = kLanes<uint32_t>;
        for (int r = 0; r < Ranks<Rank>::kRegisters; ++r)
            ranks_out =
                compress(ranks_out, here.above[r], good >> (width * r) & lowest_bits(width));
        for (int at = 0; at < kTogether; at += row_width)
            rows_out = compress(rows_out, load_up_to(rows + i + at, n - i - at),
                                good >> at & lowest_bits(row_width));
    }
    return ranks_out - begin;
}

}  // namespace

LiveKernels live_kernels() { return {pick, pick}; }

}  // namespace silva::simd::SILVA_ISA_NAMESPACE
