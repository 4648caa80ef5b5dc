// Checks of the primitives of simd/vec.hpp, one function for each instruction set.
#pragma once

#include "core/simd/instruction_sets.hpp"

namespace silva::simd {

using FirstWrong = const char*;  // the first primitive that does not do what a loop does, or null
SILVA_DECLARE_KERNELS(FirstWrong, first_wrong_primitive)

}  // namespace silva::simd
