// The filter of a block of neighbouring positions, on the widest instructions that the machine has.
#pragma once

#include <cstdint>

namespace silva {

// Whether any position j < n of a block reaches deviation^2 >= bound * l * r, where l = first_left + j
// rows are left and r = total - l rows are right.
bool any_promising(const double* deviation, int n, double first_left, double total, double bound);

}  // namespace silva
