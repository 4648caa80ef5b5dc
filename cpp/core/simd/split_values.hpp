// The loops that move contiguous values at every node of a forest; see forest/split_values.hpp.
#pragma once

#include <cstdint>

namespace silva::simd {

template <class T>
using SplitKernel = void (*)(T* values, int64_t n, const uint64_t* bits, T* spare, bool keep_rest);

struct SplitKernels {
    void (*mark_below_16)(const uint16_t* values, int64_t n, uint16_t cut, uint64_t* bits);
    void (*mark_below_32)(const uint32_t* values, int64_t n, uint32_t cut, uint64_t* bits);
    void (*mark_bit)(const uint64_t* words, int64_t n, int bit, bool value, uint64_t* bits);
    SplitKernel<uint8_t> split_8;
    SplitKernel<uint16_t> split_16;
    SplitKernel<uint32_t> split_32;
    SplitKernel<uint64_t> split_64;
    void (*split_columns)(uint16_t* const* columns, int64_t n_columns, int64_t n,
                          const uint64_t* bits, uint16_t* spare, bool keep_rest);
    void (*pick_16)(const uint16_t* values, uint32_t rows, uint16_t* out);
    void (*pick_64)(const uint64_t* values, uint32_t rows, uint64_t* out);
    uint32_t (*spread_bits)(uint64_t bits, uint32_t places);
};

}  // namespace silva::simd
