// The loops that move contiguous values at every node of a forest; see columns/split_values.hpp.
#pragma once

#include <cstdint>

namespace silva::simd {

template <class T>
using SplitKernel = void (*)(T* values, int64_t n, const uint64_t* bits, T* spare);

struct SplitKernels {
    void (*mark_below_16)(const uint16_t* values, int64_t n, uint16_t cut, uint64_t* bits);
    void (*mark_below_32)(const uint32_t* values, int64_t n, uint32_t cut, uint64_t* bits);
    void (*mark_bit)(const uint64_t* words, int64_t n, int bit, bool value, uint64_t* bits);
    SplitKernel<uint8_t> split_8;
    SplitKernel<uint16_t> split_16;
    SplitKernel<uint32_t> split_32;
    SplitKernel<uint64_t> split_64;
};

}  // namespace silva::simd
