#include "core/simd/masked_codes.hpp"

#include "core/simd/vec.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

constexpr int kWidth = kLanes<uint16_t>;
constexpr int kRegisters = 64 / kWidth;  // of a word of rows

// The rows of a word that pass a test of their codes.
template <class Test>
SILVA_INLINE uint64_t rows_where(const uint16_t* codes, const Test& test) {
    uint64_t found = 0;
    for (int i = 0; i < 64; i += 2 * kWidth)
        found |= bits_of(test(load(codes + i)), test(load(codes + i + kWidth))) << i;
    return found;
}
SILVA_INLINE uint64_t rows_equal(const uint16_t* codes, uint16_t code) {
    const auto wanted = all<uint16_t>(code);
    return rows_where(
        codes, [&](auto some) __attribute__((always_inline)) { return equal(some, wanted); });
}
// A complement costs less among bits than among lanes.
SILVA_INLINE uint64_t rows_below(const uint16_t* codes, uint16_t code) {
    const auto least = all<uint16_t>(code);
    return ~rows_where(
        codes, [&](auto some) __attribute__((always_inline)) { return at_least(some, least); });
}
SILVA_INLINE uint64_t rows_up_to(const uint16_t* codes, uint16_t code) {
    const auto most = all<uint16_t>(code);
    return rows_where(
        codes, [&](auto some) __attribute__((always_inline)) { return at_most(some, most); });
}

// The rows of a word as masks of registers.
struct RowMasks {
    Mask<uint16_t> of[kRegisters];
};
SILVA_INLINE RowMasks masks_of(uint64_t rows) {
    RowMasks masks;
    for (int r = 0; r < kRegisters; ++r)
        masks.of[r] = mask_of<uint16_t>(rows >> (r * kWidth) & lowest_bits(kWidth));
    return masks;
}

struct Extremes {
    Vec<uint16_t> lows = all<uint16_t>(65535), highs = zero<uint16_t>();

    SILVA_INLINE void see(const uint16_t* codes, const RowMasks& rows) {
        for (int r = 0; r < kRegisters; ++r) {
            const auto some = load(codes + r * kWidth);
            lows = min_where(rows.of[r], lows, some);
            highs = max_where(rows.of[r], highs, some);
        }
    }
    SILVA_INLINE Range<uint16_t> range() const { return {lowest(lows), highest(highs)}; }
};

Range<uint16_t> range(const uint16_t* codes, const uint64_t* rows, int64_t n_words) {
    Extremes extremes;
    for (int64_t word = 0; word < n_words; ++word)
        extremes.see(codes + 64 * word, masks_of(rows[word]));
    return extremes.range();
}

int64_t find_equal(const uint16_t* codes, const uint64_t* rows, int64_t n_words, int64_t begin,
                   uint16_t code) {
    uint64_t wanted = ~uint64_t{0} << (begin % 64);
    for (int64_t word = begin / 64; word < n_words; ++word, wanted = ~uint64_t{0}) {
        const uint64_t found = rows_equal(codes + 64 * word, code) & rows[word] & wanted;
        if (found != 0) return 64 * word + first_bit(found);
    }
    return -1;
}

struct FirstRow {
    int64_t row = -1, n = 0;

    SILVA_INLINE void see(int64_t word, uint64_t found) {
        if (n == 0 && found != 0) row = 64 * word + first_bit(found);
        n += count_bits(found);
    }
};

Ends find_ends(const uint16_t* codes, const uint64_t* rows, int64_t n_words,
               Range<uint16_t> range) {
    FirstRow low, high;
    for (int64_t word = 0; word < n_words; ++word) {
        low.see(word, rows_equal(codes + 64 * word, range.low) & rows[word]);
        high.see(word, rows_equal(codes + 64 * word, range.high) & rows[word]);
    }
    return {low.row, high.row, low.n == 1, high.n == 1};
}

// The rows of a word below the window; whether others are inside it.
SILVA_INLINE uint64_t split_word(const uint16_t* codes, uint64_t rows, CodeWindow window,
                                 uint64_t& inside) {
    const uint64_t below = rows_below(codes, window.first) & rows;
    inside |= (rows_up_to(codes, window.last) & rows) ^ below;
    return below;
}

bool mark_below(const uint16_t* codes, const uint64_t* rows, int64_t n_words, uint16_t first,
                uint16_t last, uint64_t* below) {
    uint64_t inside = 0;
    for (int64_t word = 0; word < n_words; ++word)
        below[word] = split_word(codes + 64 * word, rows[word], {first, last}, inside);
    return inside != 0;
}

template <int n_words, bool may_miss>
SILVA_INLINE void cut_columns(SmallNodeColumn* columns, int64_t n_columns, const uint64_t* rows) {
    RowMasks masks[n_words];
    for (int word = 0; word < n_words; ++word) masks[word] = masks_of(rows[word]);
    for (SmallNodeColumn* column = columns; column != columns + n_columns; ++column) {
        Extremes extremes;
        for (int word = 0; word < n_words; ++word) {
            const uint16_t* codes = column->codes + 64 * word;
            if (may_miss && column->may_miss) {
                column->missing[word] = rows_equal(codes, kMissingCode) & rows[word];
                extremes.see(codes, masks_of(rows[word] ^ column->missing[word]));
            } else {
                if (may_miss) column->missing[word] = 0;
                extremes.see(codes, masks[word]);
            }
        }
        column->range = extremes.range();
    }
    for (SmallNodeColumn* column = columns; column != columns + n_columns; ++column) {
        const CodeWindow window =
            code_window(column->range.low, column->range.high, column->share, column->slack);
        uint64_t inside = 0;
        int n_below = 0;
        for (int word = 0; word < n_words; ++word) {
            const uint64_t known = may_miss ? rows[word] ^ column->missing[word] : rows[word];
            column->below[word] = split_word(column->codes + 64 * word, known, window, inside);
            n_below += count_bits(column->below[word]);
        }
        column->is_clear = inside == 0 && column->slack < 0.5;
        if (may_miss) column->is_clear &= column->range.low <= column->range.high;
        column->n_below = n_below;
    }
}

void cut_few(SmallNodeColumn* columns, int64_t n_columns, const uint64_t* rows, int64_t n_words) {
    bool may_miss = false;
    for (int64_t c = 0; c < n_columns; ++c) may_miss |= columns[c].may_miss;
    if (may_miss)
        n_words == 1 ? cut_columns<1, true>(columns, n_columns, rows)
                     : cut_columns<2, true>(columns, n_columns, rows);
    else
        n_words == 1 ? cut_columns<1, false>(columns, n_columns, rows)
                     : cut_columns<2, false>(columns, n_columns, rows);
}

}  // namespace

MaskedCodesKernels masked_codes_kernels() {
    return {range, find_equal, find_ends, mark_below, cut_few};
}

}  // namespace silva::simd::SILVA_ISA_NAMESPACE
