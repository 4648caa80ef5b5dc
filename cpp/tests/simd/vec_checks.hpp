// Checks of the primitives of simd/vec.hpp, one function for each instruction set: the first
// primitive that differs from a scalar loop, or null.
#pragma once

namespace silva::simd {

namespace avx512 {
const char* first_wrong_primitive();
}
namespace avx2 {
const char* first_wrong_primitive();
}
namespace baseline {
const char* first_wrong_primitive();
}

}  // namespace silva::simd
