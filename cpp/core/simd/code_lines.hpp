// Eight columns of codes turned into lines of eight codes and back; see forest/code_lines.hpp.
#pragma once

#include <cstdint>

namespace silva::simd {

// A line is eight codes; `columns` are eight.
struct LineKernels {
    void (*to_lines)(const uint16_t* const* columns, int64_t n, uint16_t* lines);
    void (*to_columns)(const uint16_t* lines, const uint32_t* rows, int64_t n,
                       uint16_t* const* columns);
};

}  // namespace silva::simd
