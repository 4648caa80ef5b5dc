// The loop that measures a block of values of a column.
#pragma once

#include <cstdint>

namespace silva::simd {

// Values that the kernel takes at a time, and that have a running sum each: the same number for
// every instruction set, so that all of them add in the same order.
constexpr int64_t kMomentLanes = 8;

// `sum` and `squares` are those of the differences from a base.
struct BlockMoments {
    double low, high, sum, squares;
};

struct MomentKernels {
    // Of n values, a multiple of kMomentLanes above 0. Where one is not finite, or the base is not,
    // `squares` is not finite and the rest has no meaning.
    BlockMoments (*block_moments)(const double* values, int64_t n, double base);
};

}  // namespace silva::simd
