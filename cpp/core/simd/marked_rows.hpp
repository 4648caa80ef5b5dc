// Copies of the rows whose bits are set; see forest/marked_rows.hpp.
#pragma once

#include <cstdint>

#include "core/simd/instruction_sets.hpp"

namespace silva::simd {

// `rows` are n_words words of 64 bits.
template <class T>
using MarkedKernel = void (*)(const T* values, const uint64_t* rows, int64_t n_words, T* out);

struct MarkedKernels {
    MarkedKernel<uint8_t> copy_8;
    MarkedKernel<uint16_t> copy_16;
    MarkedKernel<uint32_t> copy_32;
    MarkedKernel<uint64_t> copy_64;
    MarkedKernel<uint64_t> bits;
    // The numbers of the rows.
    void (*list)(const uint64_t* rows, int64_t n_words, uint32_t* out);
};
SILVA_DECLARE_KERNELS(MarkedKernels, marked_kernels)

}  // namespace silva::simd
