// The loops over codes of which only some rows count: those whose bits are set, 64 a word.
//
// Codes may be read up to the end of the last word.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/forest/value_codes.hpp"
#include "core/forest/value_facts.hpp"

namespace silva {

// The lowest and the highest code; at least one row counts.
Range<uint16_t> range_of(const uint16_t* codes, std::span<const uint64_t> rows);
// The first row from `begin` on that has this code, or -1.
int64_t find_equal(const uint16_t* codes, std::span<const uint64_t> rows, int64_t begin,
                   uint16_t code);
// The first rows that have the lowest and the highest code, and whether they are the only ones.
struct Ends {
    int64_t low, high;
    bool one_low, one_high;
};
Ends find_ends(const uint16_t* codes, std::span<const uint64_t> rows, Range<uint16_t> range);
// Marks the rows below the first of some codes; whether others have a code up to the last of them.
bool mark_below(const uint16_t* codes, std::span<const uint64_t> rows, uint16_t first,
                uint16_t last, uint64_t* below);

constexpr int64_t kFewWords = 2;
constexpr int64_t kFewRows = 64 * kFewWords;

// One column of few rows and a threshold that is drawn the `share` of the way from its lowest to
// its highest value, which only their codes tell about.
struct FewCodes {
    int32_t column;
    const uint16_t* codes;
    const CodeScale* scale;
    double share;
    Range<uint16_t> range;  // the lowest and the highest code
    bool is_clear;  // which rows are below it: no row has a code that the threshold may have
    std::array<uint64_t, kFewWords> below;
    int64_t n_below;
};
// From the codes, the scale and the share to the rest.
void cut_few(std::span<FewCodes> columns, std::span<const uint64_t> rows);

}  // namespace silva
