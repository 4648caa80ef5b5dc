// Weights by class in one word, a byte for each of up to eight classes: see
// search/forest/packed_classes.hpp, which names what each kernel does.
#pragma once

#include <cstdint>

namespace silva::simd {

constexpr int kPackedClasses = 8;
constexpr int64_t kPackedWeight = 255;  // of a class in a word
constexpr uint32_t kLightWeight = 15;   // rows up to here can be added up in bytes, some at a time
constexpr int kSumClasses = 16;         // sums have room for so many classes
constexpr int kPackedCuts = 8;          // cuts are read and written up to whole eights

// The cuts of a column in a node of few rows: `left` are the rows whose ranks are below `rank`. An
// entry for each row; some are there twice, or empty.
struct PackedColumn {
    static constexpr int64_t kMost = 256;
    alignas(64) uint64_t left[kMost + kPackedCuts];
    uint16_t rank[kMost + kPackedCuts];
};
// What these cuts are worth: for sums of squares L and R of the weights of the children's classes,
// L * r + R * l and l * r. The term of an empty child is negative.
struct PackedWorth {
    alignas(64) double terms[PackedColumn::kMost + kPackedCuts];
    alignas(64) double areas[PackedColumn::kMost + kPackedCuts];
};

// Rows of up to kPackedClasses classes; those that are added up weigh no more than kLightWeight.
struct PackedClassesKernels {
    void (*sum_light)(const uint32_t* rows, int64_t n, uint32_t* sums);
    void (*sum_light_bits)(const uint64_t* words, const uint32_t* rows, int64_t n, uint64_t wanted,
                           uint32_t* sums);
    bool (*pack_column)(const uint16_t* ranks, const uint32_t* rows, int64_t n, PackedColumn* out);
    int64_t (*weigh_cuts)(const uint64_t* left, int64_t n, uint64_t classes, double weight,
                          double bound, PackedWorth* out);
    int64_t (*reaching_cuts)(const PackedWorth* worth, int64_t n, double bound, uint16_t* cuts);
};

}  // namespace silva::simd
