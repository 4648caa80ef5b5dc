// Weights by class in one word: a byte for each of up to eight classes. A row is its class in the
// lower 8 bits of a number and its weight above it.
#pragma once

#include <cstdint>

#include "core/simd/kernels.hpp"

namespace silva {

using simd::kLightWeight, simd::kPackedClasses, simd::kPackedCuts, simd::kPackedWeight,
    simd::kSumClasses;
using simd::PackedColumn, simd::PackedWorth;

// The weight of each class. `light`: no more than kPackedClasses classes, no weight above
// kLightWeight.
void sum_classes(const uint32_t* rows, int64_t n, bool light, uint32_t* sums);
// The same of the rows that have a bit, for each bit of `wanted`: sums[bit * kSumClasses + class].
void sum_bits(const uint64_t* words, const uint32_t* rows, int64_t n, uint64_t wanted, bool light,
              uint32_t* sums);

// False when all ranks are equal. Up to PackedColumn::kMost rows, which have no more weight of a
// class than kPackedWeight.
inline bool pack_column(const uint16_t* ranks, const uint32_t* rows, int64_t n, PackedColumn& out) {
    return simd::kernels().packed_classes.pack_column(ranks, rows, n, &out);
}
// One of the best cuts, give or take a rounding; -1 when no cut reaches the bound. `classes` and
// `weight` are those of the node.
inline int64_t weigh_cuts(const uint64_t* left, int64_t n, uint64_t classes, double weight,
                          double bound, PackedWorth& out) {
    return simd::kernels().packed_classes.weigh_cuts(left, n, classes, weight, bound, &out);
}
inline bool reaches(const PackedWorth& worth, double bound, int64_t cut) {
    return worth.terms[cut] >= bound * worth.areas[cut];
}
// The cuts that reach the bound; how many they are.
inline int64_t reaching_cuts(const PackedWorth& worth, int64_t n, double bound, uint16_t* cuts) {
    return simd::kernels().packed_classes.reaching_cuts(&worth, n, bound, cuts);
}

}  // namespace silva
