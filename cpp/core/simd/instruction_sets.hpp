// The instruction sets that kernels are compiled for, by the names that SILVA_ISA takes.
#pragma once

#include <string>
#include <vector>

namespace silva::simd {

// Those that this build has and this machine supports, best first.
std::vector<std::string> instruction_sets();
// The one in use.
std::string instruction_set();
// Throws std::runtime_error if SILVA_ISA names none of instruction_sets().
void check_choice();

}  // namespace silva::simd
