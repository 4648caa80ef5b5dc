#include "core/forest/masked_codes.hpp"

#include <algorithm>
#include <bit>

#include "core/forest/lanes.hpp"
#include "core/wide.hpp"

namespace silva {
namespace {

// ---- plain loops -------------------------------------------------------------------------------

// Calls f with each row that counts.
template <class F>
void for_each_row(std::span<const uint64_t> rows, F&& f) {
    for (size_t word = 0; word < rows.size(); ++word)
        for (uint64_t rest = rows[word]; rest != 0; rest &= rest - 1)
            f(static_cast<int64_t>(64 * word) + std::countr_zero(rest));
}

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

// Appends bits to each other.
class BitWriter {
  public:
    explicit BitWriter(uint64_t* out) : out_(out) {}

    // The lowest n bits; those above them are zeros.
    [[gnu::always_inline]] void write(uint64_t bits, int n) {
        word_ |= bits << n_;
        if (n_ + n < 64) {
            n_ += n;
            return;
        }
        *out_++ = word_;
        word_ = n_ == 0 ? 0 : bits >> (64 - n_);
        n_ += n - 64;
    }
    [[gnu::always_inline]] void end() {
        if (n_ > 0) *out_ = word_;
    }

  private:
    uint64_t* out_;
    uint64_t word_ = 0;
    int n_ = 0;  // bits in the word
};

void bits_plainly(const uint64_t* values, std::span<const uint64_t> rows, uint64_t* out) {
    BitWriter writer(out);
    for_each_row(rows, [&](int64_t row) { writer.write(values[row / 64] >> (row % 64) & 1, 1); });
    writer.end();
}

void list_plainly(std::span<const uint64_t> rows, uint32_t* out) {
    for_each_row(rows, [&](int64_t row) { *out++ = static_cast<uint32_t>(row); });
}

constexpr int64_t kFarBetween = 5;  // rows that are fewer are listed

template <class T>
void copy_plainly(const T* values, std::span<const uint64_t> rows, T* out) {
    for_each_row(rows, [&](int64_t row) { *out++ = values[row]; });
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

#define SILVA_DEFINE(Type, Mask, width, suffix)                                                  \
    SILVA_WIDE void copy_widely(const Type* values, std::span<const uint64_t> rows, Type* out) { \
        for (const uint64_t word : rows) {                                                       \
            for (int at = 0; at < 64; at += width) {                                             \
                const auto here = static_cast<Mask>(word >> at);                                 \
                const __m512i entries = _mm512_maskz_loadu_##suffix(here, values + at);          \
                _mm512_storeu_si512(out, _mm512_maskz_compress_##suffix(here, entries));         \
                out += __builtin_popcountll(here);                                               \
            }                                                                                    \
            values += 64;                                                                        \
        }                                                                                        \
    }
SILVA_DEFINE(uint8_t, __mmask64, 64, epi8)
SILVA_DEFINE(uint16_t, __mmask32, 32, epi16)
SILVA_DEFINE(uint32_t, __mmask16, 16, epi32)
SILVA_DEFINE(uint64_t, __mmask8, 8, epi64)
#undef SILVA_DEFINE

SILVA_WIDE void bits_widely(const uint64_t* values, std::span<const uint64_t> rows, uint64_t* out) {
    BitWriter writer(out);
    for (const uint64_t word : rows) writer.write(_pext_u64(*values++, word), std::popcount(word));
    writer.end();
}

SILVA_WIDE void list_widely(std::span<const uint64_t> rows, uint32_t* out) {
    __m512i numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (const uint64_t word : rows) {
        for (int at = 0; at < 64; at += 16) {
            const auto here = static_cast<__mmask16>(word >> at);
            _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(here, numbers));
            numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(16));
            out += __builtin_popcount(here);
        }
    }
}

SILVA_WIDE void pick_widely(const uint32_t* values, std::span<const uint32_t> rows, uint32_t* out) {
    const auto n = static_cast<int64_t>(rows.size());
    for (int64_t i = 0; i < n; i += 16) {
        const auto here = static_cast<__mmask16>(lowest_bits(n - i));
        const __m512i places = _mm512_maskz_loadu_epi32(here, rows.data() + i);
        _mm512_storeu_si512(
            out + i, _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), here, places, values, 4));
    }
}

SILVA_WIDE void pick_widely(const uint16_t* values, std::span<const uint32_t> rows, uint16_t* out) {
    const auto n = static_cast<int64_t>(rows.size());
    for (int64_t i = 0; i < n; i += 16) {
        const auto here = static_cast<__mmask16>(lowest_bits(n - i));
        const __m512i places = _mm512_maskz_loadu_epi32(here, rows.data() + i);
        const __m512i found =
            _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), here, places, values, 2);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), _mm512_cvtepi32_epi16(found));
    }
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

MarkedCopy::MarkedCopy(std::span<const uint64_t> rows, int64_t n, Array<uint32_t>& spare,
                       bool must_list)
    : rows_(rows), n_(n), is_dense_(n * kFarBetween > 64 * std::ssize(rows)) {
    if (is_dense_ && !must_list) return;
    spare.resize(n + kSparePadding);
    SILVA_CHOOSE(list_widely(rows, spare.data()), list_plainly(rows, spare.data()));
    std::fill_n(spare.data() + n, kSparePadding, 0);
    listed_ = {spare.data(), static_cast<size_t>(n)};
}

void MarkedCopy::pick(const uint16_t* values, uint16_t* out) const {
#ifdef SILVA_HAS_WIDE
    if (can_go_wide()) return pick_widely(values, listed_, out);
#endif
    pick_listed(values, out);
}
void MarkedCopy::pick(const uint32_t* values, uint32_t* out) const {
#ifdef SILVA_HAS_WIDE
    if (can_go_wide()) return pick_widely(values, listed_, out);
#endif
    pick_listed(values, out);
}

void MarkedCopy::bits(const uint64_t* values, uint64_t* out) const {
    SILVA_CHOOSE(bits_widely(values, rows_, out), bits_plainly(values, rows_, out));
}

#define SILVA_DEFINE(T)                                                                  \
    void MarkedCopy::pack(const T* values, T* out) const {                               \
        SILVA_CHOOSE(copy_widely(values, rows_, out), copy_plainly(values, rows_, out)); \
    }
SILVA_DEFINE(uint8_t)
SILVA_DEFINE(uint16_t)
SILVA_DEFINE(uint32_t)
SILVA_DEFINE(uint64_t)
#undef SILVA_DEFINE

void cut_few(std::span<FewCodes> columns, std::span<const uint64_t> rows) {
#ifdef SILVA_HAS_WIDE
    if (can_go_wide()) return cut_few_widely(columns, rows);
#endif
    for (FewCodes& column : columns) cut_plainly(column, rows);
}

}  // namespace silva
