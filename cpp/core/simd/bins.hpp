// What cuts at the ends of coarse bins and inside them can gain: see search/forest/bins.hpp.
#pragma once

#include <cstdint>

namespace silva::simd {

constexpr int kMostBins = 256;
constexpr int kBinClasses = 16;

// By class; before each bin.
struct ClassSums {
    alignas(64) uint32_t before[kMostBins + 1][kBinClasses];
};

// `at_end` and `inside` have kMostBins entries. All sums of floats have one order on every
// instruction set.
struct BinsKernels {
    // Of two classes: from the weights before each bin, in all and of class 1.
    void (*score_pairs)(const int64_t* left, const int64_t* left_ones, int n_bins, double total,
                        double ones, double* at_end, double* inside);
    // Of up to kBinClasses classes, which the node has so much of; adds up `sums` from bin to bin,
    // and all classes of them to weight_before, which has an entry more than there are bins. The
    // first sums are of rows before all bins.
    void (*score_classes)(ClassSums* sums, int n_bins, const int64_t* node, int n_classes,
                          int64_t total, int64_t* weight_before, double* at_end, double* inside);
};

}  // namespace silva::simd
