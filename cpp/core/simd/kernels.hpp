// The kernels of the instruction set in use.
//
// Every loop over rows that gains from vector instructions is a kernel: written once over Vec
// (vec.hpp), in a file of a folder kernels/ that is compiled once per instruction set. The table of
// pointers to those of the best instruction set that this machine has is filled when the module
// loads; SILVA_ISA=avx512|avx2|baseline forces one. Every instruction set gives the same bytes.
#pragma once

#include <string>
#include <vector>

#include "core/optimal/kernels/bits.hpp"
#include "core/optimal/kernels/stumps.hpp"
#include "core/simd/bins.hpp"
#include "core/simd/column_draws.hpp"
#include "core/simd/live_rows.hpp"
#include "core/simd/marked_rows.hpp"
#include "core/simd/masked_codes.hpp"
#include "core/simd/moments.hpp"
#include "core/simd/packed_classes.hpp"
#include "core/simd/partition.hpp"
#include "core/simd/positions.hpp"
#include "core/simd/reductions.hpp"
#include "core/simd/sorted_keys.hpp"
#include "core/simd/split_values.hpp"
#include "core/simd/walk.hpp"

namespace silva::simd {

struct Kernels {
    BinsKernels bins;
    ColumnDrawsKernels column_draws;
    WalkKernels gathering_walk;
    KeyKernels keys;
    LiveKernels live;
    MarkedKernels marked;
    MaskedCodesKernels masked_codes;
    MomentKernels moments;
    OptimalBitsKernels optimal_bits;
    OptimalManyKernels optimal_many;
    OptimalPairsKernels optimal_pairs;
    PackedClassesKernels packed_classes;
    PartitionKernels partition;
    PositionKernels positions;
    ReductionKernels reductions;
    SortedKeysKernels sorted_keys;
    SplitKernels split;
    WalkKernels walk;
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
