// Copies of the rows whose bits are set; see columns/marked_rows.hpp.
#pragma once

#include <cstdint>

namespace silva::simd {

// `rows` are n_words words of 64 bits.
template <class T>
using MarkedKernel = void (*)(const T* values, const uint64_t* rows, int64_t n_words, T* out);

// n values by the numbers of their rows.
template <class T>
using PickKernel = void (*)(const T* values, const uint32_t* listed, int64_t n, T* out);

struct MarkedKernels {
    MarkedKernel<uint8_t> copy_8;
    MarkedKernel<uint16_t> copy_16;
    MarkedKernel<uint32_t> copy_32;
    MarkedKernel<uint64_t> copy_64;
    MarkedKernel<uint64_t> bits;
    PickKernel<uint8_t> pick_8;
    PickKernel<uint16_t> pick_16;
    PickKernel<uint32_t> pick_32;
    PickKernel<uint64_t> pick_64;
    // The numbers of the rows.
    void (*list)(const uint64_t* rows, int64_t n_words, uint32_t* out);
};

}  // namespace silva::simd
