// The loops over codes of which only some rows count: those whose bits are set, 64 a word. Codes
// can be read up to the end of the last word.
#pragma once

#include <cstdint>

#include "core/simd/range.hpp"

namespace silva::simd {

// The first rows that have the lowest and the highest code, and whether they are the only ones.
struct Ends {
    int64_t low, high;
    bool one_low, one_high;
};

// The codes that a number can have which is drawn between two values, the share u of the way from
// the lower to the higher one, by the codes of these. Rounding takes it up to `slack` codes away.
struct CodeWindow {
    uint16_t first, last;
};
static inline __attribute__((always_inline)) CodeWindow code_window(uint16_t low, uint16_t high,
                                                                    double u, double slack) {
    const double least = low * (1 - u) + high * u;
    const double first = least - slack, last = least + 1 + slack;
    return {static_cast<uint16_t>(first < 0.0 ? 0.0 : first),
            static_cast<uint16_t>(last > 65535.0 ? 65535.0 : last)};
}

constexpr int64_t kFewWords = 2;
constexpr uint16_t kMissingCode = 65535;  // no number has it where values are missing

// One column of few rows and a threshold that is drawn the `share` of the way from its lowest to
// its highest value, which only their codes tell about.
struct SmallNodeColumn {
    int32_t column;
    const uint16_t* codes;
    double share, slack;
    bool may_miss;          // some rows of the table have no value, but kMissingCode
    Range<uint16_t> range;  // the lowest and the highest code of the others
    bool is_clear;  // which rows are below it: no row has a code that the threshold may have
    uint64_t below[kFewWords];
    int64_t n_below;
    uint64_t missing[kFewWords];  // rows without a value; undefined where no column may miss any
};

// See search/forest/masked_codes.hpp, which names what each of them does.
struct MaskedCodesKernels {
    Range<uint16_t> (*range)(const uint16_t* codes, const uint64_t* rows, int64_t n_words);
    int64_t (*find_equal)(const uint16_t* codes, const uint64_t* rows, int64_t n_words,
                          int64_t begin, uint16_t code);
    Ends (*find_ends)(const uint16_t* codes, const uint64_t* rows, int64_t n_words,
                      Range<uint16_t> range);
    bool (*mark_below)(const uint16_t* codes, const uint64_t* rows, int64_t n_words, uint16_t first,
                       uint16_t last, uint64_t* below);
    void (*cut_few)(SmallNodeColumn* columns, int64_t n_columns, const uint64_t* rows,
                    int64_t n_words);
};

}  // namespace silva::simd
