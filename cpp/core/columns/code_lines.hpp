// The codes of eight columns row by row, so that rows far between are copied at once.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/simd/kernels.hpp"

namespace silva {

struct CodeLine {
    static constexpr int64_t kColumns = 8;

    std::array<uint16_t, kColumns> codes;
};
constexpr int64_t kLinesTogether = 32;  // lines and columns may be read and written up to whole 32

template <class T>
using EightColumns = std::array<T*, CodeLine::kColumns>;

// A column may be nullptr: its codes in the lines are undefined.
inline void columns_to_lines(const EightColumns<const uint16_t>& columns, int64_t n,
                             CodeLine* lines) {
    simd::kernels().lines.to_lines(columns.data(), n, lines->codes.data());
}
// The lines with these numbers, which must be followed by numbers of others up to whole 32.
inline void lines_to_columns(const CodeLine* lines, std::span<const uint32_t> rows,
                             const EightColumns<uint16_t>& columns) {
    simd::kernels().lines.to_columns(lines->codes.data(), rows.data(), std::ssize(rows),
                                     columns.data());
}

}  // namespace silva
