// The filter of a block of neighbouring positions, on the widest instructions that the machine has.
#pragma once

#include <cstdint>

namespace silva {

// A position of a sweep: `sum` of the left rows, of which there are l = first_left + j at position
// j.
struct PositionFilter {
    double scale, per_row;  // deviation = scale * sum - per_row * l
    double total;           // r = total - l rows are right
    double bound;           // promising: deviation^2 >= bound * l * r
};

// The promising ones among at most 64 positions, as a mask.
uint64_t promising_positions(const PositionFilter& filter, const int64_t* sums, int n,
                             int64_t first_left);

}  // namespace silva
