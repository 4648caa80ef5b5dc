#include "core/simd/column_draws.hpp"

#include "core/simd/vec.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

constexpr int kWidth = kLanes<uint64_t>;

// mix of random.hpp.
SILVA_INLINE Vec<uint64_t> mixed(Vec<uint64_t> x) {
    x += all<uint64_t>(0x9E3779B97F4A7C15u);
    x = (x ^ (x >> 30)) * all<uint64_t>(0xBF58476D1CE4E5B9u);
    x = (x ^ (x >> 27)) * all<uint64_t>(0x94D049BB133111EBu);
    return x ^ (x >> 31);
}

void draw(uint64_t start, int64_t n, uint64_t* draws) {
    auto columns = iota<uint64_t>();
    for (int64_t c = 0; c < n; c += kWidth) {
        store(draws + c, mixed(columns ^ all<uint64_t>(start)));
        columns += all<uint64_t>(kWidth);
    }
}

// ---- few columns -------------------------------------------------------------------------------

// The upper halves of draws as signed numbers of the same order.
SILVA_INLINE int32_t upper_of(uint64_t draw) {
    return static_cast<int32_t>(static_cast<uint32_t>(draw >> 32) ^ 0x80000000u);
}

// The columns with fewer than `limit` lower draws, of up to n_most.
template <int n_most>
SILVA_INLINE uint64_t lowest_columns(const int32_t* upper, int64_t n, int64_t limit) {
    constexpr int width = kLanes<int32_t>, n_registers = (n_most + width - 1) / width;
    Vec<int32_t> mine[n_registers], lower[n_registers];
    for (int r = 0; r < n_registers; ++r) {
        mine[r] = load(upper + r * width);
        lower[r] = zero<int32_t>();
    }
    for (int64_t c = 0; c < n; ++c) {
        const auto draw = all<int32_t>(upper[c]);
        for (int r = 0; r < n_registers; ++r)
            lower[r] = add_one_where(less(draw, mine[r]), lower[r]);
    }
    uint64_t taken = 0;
    for (int r = 0; r < n_registers; ++r)
        taken |= bits_of(less(lower[r], all<int32_t>(static_cast<int32_t>(limit)))) << (r * width);
    return taken & lowest_bits(n);
}

int64_t draw_few(uint64_t start, int64_t n, int64_t limit, uint64_t alive, uint64_t* draws,
                 int32_t* chosen) {
    draw(start, n, draws);
    int32_t upper[kFewColumns];
    for (int64_t c = 0; c < n; ++c) upper[c] = upper_of(draws[c]);
    for (int64_t c = n; c < kFewColumns; ++c) upper[c] = 0;
    const uint64_t taken = n <= 8    ? lowest_columns<8>(upper, n, limit)
                           : n <= 16 ? lowest_columns<16>(upper, n, limit)
                           : n <= 24 ? lowest_columns<24>(upper, n, limit)
                                     : lowest_columns<32>(upper, n, limit);
    if (count_bits(taken) != limit) return -1;
    int64_t n_chosen = 0;
    for (uint64_t rest = taken & alive; rest != 0; rest &= rest - 1)
        chosen[n_chosen++] = first_bit(rest);
    return n_chosen;
}

// ---- many columns ------------------------------------------------------------------------------

// The columns from `at` on that are alive and fewer than n.
SILVA_INLINE uint64_t here(uint64_t alive, int64_t at, int64_t n) {
    return (at < 64 ? alive >> at : ~uint64_t{0}) & lowest_bits(least<int64_t>(n - at, kWidth));
}

// Draws are uniform: a little more than the share of them below a fixed number is looked at
// closely, and too few or too many of them are rare.
int64_t choose(const uint64_t* draws, int64_t n, int64_t limit, uint64_t alive, int32_t* chosen,
               uint64_t* last) {
    constexpr int64_t most = 64;
    uint64_t low[most + kDrawPadding], living[most + kDrawPadding], columns[most + kDrawPadding];
    const double share = (static_cast<double>(limit) * 1.5 + 3) / static_cast<double>(n);
    const uint64_t edge = share >= 1 ? ~uint64_t{0} : static_cast<uint64_t>(share * 0x1p64);
    uint64_t *end_low = low, *end_living = living, *end_columns = columns;
    auto numbers = iota<uint64_t>();
    for (int64_t at = 0; at < n; at += kWidth) {
        const auto some = load(draws + at);
        const uint64_t below = bits_of(less(some, all<uint64_t>(edge))) & here(~uint64_t{0}, at, n);
        end_low = compress(end_low, some, below);
        end_living = compress(end_living, some, below & here(alive, at, n));
        end_columns = compress(end_columns, numbers, below & here(alive, at, n));
        numbers += all<uint64_t>(kWidth);
        if (end_low - low > most - kWidth) return -1;
    }
    if (end_low - low < limit) return -1;
    store(end_low, all<uint64_t>(~uint64_t{0}));
    int64_t n_chosen = 0;
    *last = 0;
    for (const uint64_t* mine = living; mine != end_living; ++mine) {
        int lower = 0;
        for (const uint64_t* at = low; at < end_low; at += kWidth)
            lower += count_bits(bits_of(less(load(at), all<uint64_t>(*mine))));
        chosen[n_chosen] = static_cast<int32_t>(columns[mine - living]);
        const bool is_chosen = lower < limit;
        *last = is_chosen ? (*last < *mine ? *mine : *last) : *last;
        n_chosen += is_chosen ? 1 : 0;
    }
    return n_chosen;
}

int32_t next(const uint64_t* draws, int64_t n, uint64_t alive, uint64_t* last) {
    const auto before = all<uint64_t>(*last), none = all<uint64_t>(~uint64_t{0});
    auto lowest_draws = none;
    for (int64_t at = 0; at < n; at += kWidth) {
        const auto some = load(draws + at);
        const auto is_next = less(before, some) & mask_of<uint64_t>(here(alive, at, n));
        lowest_draws = min(lowest_draws, select(is_next, some, none));
    }
    *last = lowest(lowest_draws);
    if (*last == ~uint64_t{0}) return -1;
    int32_t column = 0;
    while (draws[column] != *last) ++column;
    return column;
}

}  // namespace

ColumnDrawsKernels column_draws_kernels() { return {draw, draw_few, choose, next}; }

}  // namespace silva::simd::SILVA_ISA_NAMESPACE
