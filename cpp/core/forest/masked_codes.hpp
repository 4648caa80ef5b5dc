// The loops over codes of which only some rows count: those whose bits are set, 64 a word.
//
// Codes may be read up to the end of the last word.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/forest/value_facts.hpp"

namespace silva {

// The lowest and the highest code; at least one row counts.
Range<uint16_t> range_of(const uint16_t* codes, std::span<const uint64_t> rows);
// The first row from `begin` on that has this code, or -1.
int64_t find_equal(const uint16_t* codes, std::span<const uint64_t> rows, int64_t begin,
                   uint16_t code);
// Marks the rows below the first of some codes; whether others have a code up to the last of them.
bool mark_below(const uint16_t* codes, std::span<const uint64_t> rows, uint16_t first,
                uint16_t last, uint64_t* below);

constexpr int64_t kFewWords = 2;
constexpr int64_t kFewRows = 64 * kFewWords;

// One column of few rows: its lowest and its highest code; some codes, the rows below them, and
// whether others have one of them.
struct FewCodes {
    int32_t column;
    const uint16_t* codes;
    uint16_t low, high;
    uint16_t first, last;
    bool any_inside;
    std::array<uint64_t, kFewWords> below;
};
// The lowest and the highest code of each column.
void find_ranges(std::span<FewCodes> columns, std::span<const uint64_t> rows);
// From the first and the last of some codes to the rows.
void find_sides(std::span<FewCodes> columns, std::span<const uint64_t> rows);

// Copies the values of the rows that count, n of them, in their order; may write a register more
// and read one value beyond the last row.
class MarkedCopy {
  public:
    MarkedCopy(std::span<const uint64_t> rows, int64_t n, std::vector<uint32_t>& spare);

    template <class T>
    void operator()(const T* values, T* out) const {
        if (listed_.empty()) return pack(values, out);
        if constexpr (sizeof(T) == 2) return pick(values, out);
        for (const uint32_t row : listed_) *out++ = values[row];
    }
    int64_t size() const { return n_; }

  private:
    void pick(const uint16_t* values, uint16_t* out) const;
    void pack(const uint8_t* values, uint8_t* out) const;
    void pack(const uint16_t* values, uint16_t* out) const;
    void pack(const uint32_t* values, uint32_t* out) const;
    void pack(const uint64_t* values, uint64_t* out) const;

    std::span<const uint64_t> rows_;
    int64_t n_;
    std::span<const uint32_t> listed_;  // the rows themselves, where they are far between
};

}  // namespace silva
