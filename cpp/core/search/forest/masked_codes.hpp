// The loops over codes of which only some rows count: those whose bits are set, 64 a word.
//
// Codes may be read up to the end of the last word.
#pragma once

#include <cstdint>
#include <span>

#include "core/columns/reductions.hpp"
#include "core/simd/kernels.hpp"

namespace silva {

using simd::Ends, simd::SmallNodeColumn, simd::kFewWords;
constexpr int64_t kFewRows = 64 * kFewWords;

// The lowest and the highest code; at least one row counts.
inline Range<uint16_t> range_of(const uint16_t* codes, std::span<const uint64_t> rows) {
    return simd::kernels().masked_codes.range(codes, rows.data(), std::ssize(rows));
}
// The first row from `begin` on that has this code, or -1.
inline int64_t find_equal(const uint16_t* codes, std::span<const uint64_t> rows, int64_t begin,
                          uint16_t code) {
    return simd::kernels().masked_codes.find_equal(codes, rows.data(), std::ssize(rows), begin,
                                                   code);
}
// The first rows that have the lowest and the highest code, and whether they are the only ones.
inline Ends find_ends(const uint16_t* codes, std::span<const uint64_t> rows,
                      Range<uint16_t> range) {
    return simd::kernels().masked_codes.find_ends(codes, rows.data(), std::ssize(rows), range);
}
// Marks the rows below the first of some codes; whether others have a code up to the last of them.
inline bool mark_below(const uint16_t* codes, std::span<const uint64_t> rows, uint16_t first,
                       uint16_t last, uint64_t* below) {
    return simd::kernels().masked_codes.mark_below(codes, rows.data(), std::ssize(rows), first,
                                                   last, below);
}
// From the codes, the share and the slack to the rest.
inline void cut_few(std::span<SmallNodeColumn> columns, std::span<const uint64_t> rows) {
    simd::kernels().masked_codes.cut_few(columns.data(), std::ssize(columns), rows.data(),
                                         std::ssize(rows));
}

}  // namespace silva
