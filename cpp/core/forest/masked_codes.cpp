#include "core/forest/masked_codes.hpp"

#include <algorithm>
#include <bit>

#include "core/forest/lanes.hpp"
#include "core/forest/marked_rows.hpp"
#include "core/wide.hpp"

namespace silva {
namespace {

// ---- plain loops -------------------------------------------------------------------------------

Range<uint16_t> range_plainly(const uint16_t* codes, std::span<const uint64_t> rows) {
    Range<uint16_t> range{65535, 0};
    for_each_row(rows, [&](int64_t row) {
        range.low = std::min(range.low, codes[row]);
        range.high = std::max(range.high, codes[row]);
    });
    return range;
}

bool below_plainly(const uint16_t* codes, std::span<const uint64_t> rows, uint16_t first,
                   uint16_t last, uint64_t* below) {
    std::fill_n(below, rows.size(), 0);
    bool any_inside = false;
    for_each_row(rows, [&](int64_t row) {
        below[row / 64] |= static_cast<uint64_t>(codes[row] < first) << (row % 64);
        any_inside |= first <= codes[row] && codes[row] <= last;
    });
    return any_inside;
}

// The rows of a word from `begin` on.
[[gnu::always_inline]] inline uint64_t later(std::span<const uint64_t> rows, int64_t word,
                                             int64_t begin) {
    const uint64_t all = rows[static_cast<size_t>(word)];
    return begin <= 64 * word ? all : all & ~uint64_t{0} << (begin - 64 * word);
}

int64_t find_plainly(const uint16_t* codes, std::span<const uint64_t> rows, int64_t begin,
                     uint16_t code) {
    for (int64_t word = begin / 64; word < std::ssize(rows); ++word)
        for (uint64_t rest = later(rows, word, begin); rest != 0; rest &= rest - 1)
            if (codes[64 * word + std::countr_zero(rest)] == code)
                return 64 * word + std::countr_zero(rest);
    return -1;
}

inline CodeScale::Window window_of(const FewCodes& column) {
    return column.scale->window(column.range.low, column.range.high, column.share);
}
inline void settle(FewCodes& column, bool any_inside, int64_t n_below) {
    column.is_clear = !any_inside && column.scale->has_windows();
    column.n_below = n_below;
}

void cut_plainly(FewCodes& column, std::span<const uint64_t> rows) {
    column.range = range_plainly(column.codes, rows);
    const CodeScale::Window window = window_of(column);
    const bool any_inside =
        below_plainly(column.codes, rows, window.first, window.last, column.below.data());
    settle(column, any_inside, count_marked(column.below.data(), 64 * std::ssize(rows)));
}

struct FirstRow {
    int64_t row = -1, n = 0;

    void see(int64_t word, uint64_t found) {
        if (n == 0 && found != 0) row = 64 * word + std::countr_zero(found);
        n += std::popcount(found);
    }
};

Ends ends_plainly(const uint16_t* codes, std::span<const uint64_t> rows, Range<uint16_t> range) {
    FirstRow first_low, first_high;
    for_each_row(rows, [&](int64_t row) {
        const uint64_t mark = uint64_t{1} << (row % 64);
        if (codes[row] == range.low) first_low.see(row / 64, mark);
        if (codes[row] == range.high) first_high.see(row / 64, mark);
    });
    return {first_low.row, first_high.row, first_low.n == 1, first_high.n == 1};
}

// ---- wide loops --------------------------------------------------------------------------------

#ifdef SILVA_HAS_WIDE

struct Halves {
    __m512i first, second;
};
SILVA_WIDE inline Halves load(const uint16_t* codes) {
    return {_mm512_loadu_si512(codes), _mm512_loadu_si512(codes + 32)};
}
SILVA_WIDE inline __m512i spread(uint16_t code) {
    return _mm512_set1_epi16(static_cast<short>(code));
}
SILVA_WIDE inline uint64_t joined(__mmask32 first, __mmask32 second) {
    return first | static_cast<uint64_t>(second) << 32;
}
SILVA_WIDE inline uint64_t equal(const Halves& codes, uint64_t rows, __m512i code) {
    return joined(
        _mm512_mask_cmpeq_epu16_mask(static_cast<__mmask32>(rows), codes.first, code),
        _mm512_mask_cmpeq_epu16_mask(static_cast<__mmask32>(rows >> 32), codes.second, code));
}

SILVA_WIDE inline Range<uint16_t> range_of_lanes(__m512i lows, __m512i highs) {
    const __m512i flipped = _mm512_xor_si512(highs, _mm512_set1_epi16(-1));
    return {lowest_of(lows), static_cast<uint16_t>(~lowest_of(flipped))};
}

SILVA_WIDE inline void widen_range(const Halves& codes, uint64_t rows, __m512i& lows,
                                   __m512i& highs) {
    const auto here = static_cast<__mmask32>(rows), more = static_cast<__mmask32>(rows >> 32);
    lows = _mm512_mask_min_epu16(lows, here, lows, codes.first);
    highs = _mm512_mask_max_epu16(highs, here, highs, codes.first);
    lows = _mm512_mask_min_epu16(lows, more, lows, codes.second);
    highs = _mm512_mask_max_epu16(highs, more, highs, codes.second);
}
SILVA_WIDE inline Range<uint16_t> range_widely(const uint16_t* codes,
                                               std::span<const uint64_t> rows) {
    __m512i lows = _mm512_set1_epi16(-1), highs = _mm512_setzero_si512();
    for (const uint64_t word : rows) {
        widen_range(load(codes), word, lows, highs);
        codes += 64;
    }
    return range_of_lanes(lows, highs);
}

SILVA_WIDE int64_t find_widely(const uint16_t* codes, std::span<const uint64_t> rows, int64_t begin,
                               uint16_t code) {
    const __m512i wanted = spread(code);
    for (int64_t word = begin / 64; word < std::ssize(rows); ++word) {
        const uint64_t found = equal(load(codes + 64 * word), later(rows, word, begin), wanted);
        if (found != 0) return 64 * word + std::countr_zero(found);
    }
    return -1;
}

SILVA_WIDE inline uint64_t below(const Halves& codes, uint64_t rows, __m512i cuts) {
    return joined(
        _mm512_mask_cmplt_epu16_mask(static_cast<__mmask32>(rows), codes.first, cuts),
        _mm512_mask_cmplt_epu16_mask(static_cast<__mmask32>(rows >> 32), codes.second, cuts));
}

SILVA_WIDE inline uint64_t not_above(const Halves& codes, uint64_t rows, __m512i lasts) {
    return joined(
        _mm512_mask_cmple_epu16_mask(static_cast<__mmask32>(rows), codes.first, lasts),
        _mm512_mask_cmple_epu16_mask(static_cast<__mmask32>(rows >> 32), codes.second, lasts));
}

SILVA_WIDE inline bool below_widely(const uint16_t* codes, std::span<const uint64_t> rows,
                                    uint16_t first, uint16_t last, uint64_t* out) {
    const __m512i firsts = spread(first), lasts = spread(last);
    uint64_t any_inside = 0;
    for (const uint64_t word : rows) {
        const Halves all = load(codes);
        const uint64_t left = below(all, word, firsts);
        any_inside |= not_above(all, word, lasts) ^ left;
        *out++ = left;
        codes += 64;
    }
    return any_inside != 0;
}

SILVA_WIDE Ends ends_widely(const uint16_t* codes, std::span<const uint64_t> rows,
                            Range<uint16_t> range) {
    const __m512i low = spread(range.low), high = spread(range.high);
    FirstRow first_low, first_high;
    for (int64_t word = 0; word < std::ssize(rows); ++word) {
        const Halves all = load(codes + 64 * word);
        const uint64_t here = rows[static_cast<size_t>(word)];
        first_low.see(word, equal(all, here, low));
        first_high.see(word, equal(all, here, high));
    }
    return {first_low.row, first_high.row, first_low.n == 1, first_high.n == 1};
}

// Every code is read once.
template <int n_words>
SILVA_WIDE inline void cut_widely(FewCodes& column, const uint64_t* rows) {
    Halves all[n_words];
    __m512i lows = _mm512_set1_epi16(-1), highs = _mm512_setzero_si512();
    for (int word = 0; word < n_words; ++word) {
        all[word] = load(column.codes + 64 * word);
        widen_range(all[word], rows[word], lows, highs);
    }
    column.range = range_of_lanes(lows, highs);
    const CodeScale::Window window = window_of(column);
    const __m512i firsts = spread(window.first), lasts = spread(window.last);
    uint64_t inside = 0;
    int n_below = 0;
    for (int word = 0; word < n_words; ++word) {
        const uint64_t left = below(all[word], rows[word], firsts);
        inside |= not_above(all[word], rows[word], lasts) ^ left;
        n_below += __builtin_popcountll(left);
        column.below[static_cast<size_t>(word)] = left;
    }
    settle(column, inside != 0, n_below);
}

SILVA_WIDE void cut_few_widely(std::span<FewCodes> columns, std::span<const uint64_t> rows) {
    if (rows.size() == 1)
        for (FewCodes& column : columns) cut_widely<1>(column, rows.data());
    else
        for (FewCodes& column : columns) cut_widely<2>(column, rows.data());
}

#endif

}  // namespace

Range<uint16_t> range_of(const uint16_t* codes, std::span<const uint64_t> rows) {
    return SILVA_CHOOSE(range_widely(codes, rows), range_plainly(codes, rows));
}

int64_t find_equal(const uint16_t* codes, std::span<const uint64_t> rows, int64_t begin,
                   uint16_t code) {
    return SILVA_CHOOSE(find_widely(codes, rows, begin, code),
                        find_plainly(codes, rows, begin, code));
}

Ends find_ends(const uint16_t* codes, std::span<const uint64_t> rows, Range<uint16_t> range) {
    return SILVA_CHOOSE(ends_widely(codes, rows, range), ends_plainly(codes, rows, range));
}

bool mark_below(const uint16_t* codes, std::span<const uint64_t> rows, uint16_t first,
                uint16_t last, uint64_t* below) {
    return SILVA_CHOOSE(below_widely(codes, rows, first, last, below),
                        below_plainly(codes, rows, first, last, below));
}

void cut_few(std::span<FewCodes> columns, std::span<const uint64_t> rows) {
#ifdef SILVA_HAS_WIDE
    if (can_go_wide()) return cut_few_widely(columns, rows);
#endif
    for (FewCodes& column : columns) cut_plainly(column, rows);
}

}  // namespace silva
