// The kernels of the instruction set in use.
//
// Every loop over rows that gains from vector instructions is a kernel: written once over Vec
// (vec.hpp), in a file of simd/kernels/ that is compiled once per instruction set. The table of
// pointers to those of the best instruction set that this machine has is filled when the module
// loads; SILVA_ISA=avx512|avx2|baseline forces one. Every instruction set gives the same bytes.
#pragma once

#include <string>
#include <vector>

#include "core/simd/partition.hpp"
#include "core/simd/walk.hpp"

namespace silva::simd {

struct Kernels {
    PartitionKernels partition;
    KeyKernels keys;
    WalkKernels walk, gathering_walk;
};

namespace detail {
extern const Kernels active;
}
inline const Kernels& kernels() { return detail::active; }

// The instruction sets that this build has and this machine supports, best first.
std::vector<std::string> instruction_sets();
// The one in use.
std::string instruction_set();
// Throws std::runtime_error if SILVA_ISA names none of instruction_sets().
void check_choice();

}  // namespace silva::simd
