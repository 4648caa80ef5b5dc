// Values as codes of 16 bits in their order, for thresholds that are drawn between values.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/base/array.hpp"
#include "core/columns/keyed_entries.hpp"
#include "core/columns/reductions.hpp"
#include "core/columns/table.hpp"
#include "core/columns/target.hpp"
#include "core/simd/masked_codes.hpp"

namespace silva {

using simd::kMissingCode;

// A code up to `highest` for every number between the lowest and the highest value: never lower for
// a higher number. Values are spread evenly, or, where these are crowded, by their exponents.
class CodeScale {
  public:
    static CodeScale even(double low, double high, uint16_t highest = 65535);
    static CodeScale by_exponent(double low, double high, uint16_t highest = 65535);
    // Whether `even` can be had: the distance is neither too long nor too short to divide by.
    static bool has_even(double low, double high);

    bool has_windows() const { return slack_ < 0.5; }
    double slack() const { return slack_; }
    // The codes of a number that is drawn the share u of the way between values of these codes.
    simd::CodeWindow window(uint16_t low, uint16_t high, double u) const {
        return simd::code_window(low, high, u, slack_);
    }

    uint16_t code(double x) const {
        if (by_exponent_) return static_cast<uint16_t>((bits_of(x) - lowest_bits_) >> shift_);
        return static_cast<uint16_t>(static_cast<int32_t>((x - low_) * factor_));
    }

  private:
    // The bits of a number as an integer of the same order.
    static uint64_t bits_of(double x) { return ordered_bits<uint64_t>(x + 0.0); }

    bool by_exponent_ = false;
    double low_ = 0.0, factor_ = 0.0;
    double slack_ = 1.0;  // how far rounding can take a number that is drawn, in codes
    uint64_t lowest_bits_ = 0;
    int shift_ = 0;
};

struct ValueCodes {
    CodeScale scale;
    Array<uint16_t> codes;  // by id, and some room beyond
    // A bit for each code: it stands for more than one value. Empty where no code does.
    std::vector<uint64_t> mixed;
    bool has_missing = false;  // these have the code kMissingCode, of categories the highest

    bool has_collision(uint16_t code) const {
        return !mixed.empty() && (mixed[code / 64] >> (code % 64) & 1) != 0;
    }
};

// Memory of one worker: by code, the lowest and the highest of its values' bits, in any order of
// these; empty ranges between two columns.
struct CodeScratch {
    std::vector<Range<uint64_t>> bits_of;
};

// Codes of the rows that `target` keeps; false, and no codes, where all values are equal, or
// missing.
bool code_values(const ColumnView& view, const Target& target, CodeScratch& scratch,
                 ValueCodes& out);

}  // namespace silva
