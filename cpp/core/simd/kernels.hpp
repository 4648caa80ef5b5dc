// The kernels of the instruction set in use.
//
// A loop over rows that gains from vector instructions is a kernel: written once over Vec (vec.hpp)
// in a folder kernels/, and compiled once per instruction set. The table is filled when the module
// loads, with those of the best instruction set that this machine has; SILVA_ISA forces another.
// Every instruction set gives the same bytes. See README.md.
#pragma once

#include "core/optimal/kernels/bits.hpp"
#include "core/optimal/kernels/stumps.hpp"
#include "core/simd/bins.hpp"
#include "core/simd/code_lines.hpp"
#include "core/simd/column_draws.hpp"
#include "core/simd/live_rows.hpp"
#include "core/simd/marked_rows.hpp"
#include "core/simd/masked_codes.hpp"
#include "core/simd/moments.hpp"
#include "core/simd/packed_classes.hpp"
#include "core/simd/partition.hpp"
#include "core/simd/positions.hpp"
#include "core/simd/reductions.hpp"
#include "core/simd/row_parts.hpp"
#include "core/simd/sorted_keys.hpp"
#include "core/simd/split_values.hpp"
#include "core/simd/walk.hpp"

namespace silva::simd {

struct Kernels {
    BinsKernels bins;
    ColumnDrawsKernels column_draws;
    WalkKernels gathering_walk;  // on AVX-512's gathers; null elsewhere
    KeyKernels keys;
    LineKernels lines;
    LiveKernels live;
    MarkedKernels marked;
    MaskedCodesKernels masked_codes;
    MomentKernels moments;
    MoveKernels move;
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

}  // namespace silva::simd
