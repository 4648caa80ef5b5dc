// The table of the kernels of one instruction set: simd/dispatch.cpp chooses among these.
#include "core/simd/kernels.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {

// Each is defined at the end of the file that has its kernels.
BinsKernels bins_kernels();
ColumnDrawsKernels column_draws_kernels();
WalkKernels gathering_walk_kernels();
KeyKernels key_kernels();
LineKernels line_kernels();
LiveKernels live_kernels();
MarkedKernels marked_kernels();
MaskedCodesKernels masked_codes_kernels();
MomentKernels moment_kernels();
MoveKernels move_kernels();
OptimalBitsKernels optimal_bits_kernels();
OptimalManyKernels optimal_many_kernels();
OptimalPairsKernels optimal_pairs_kernels();
PackedClassesKernels packed_classes_kernels();
PartitionKernels partition_kernels();
PositionKernels position_kernels();
ReductionKernels reduction_kernels();
SortedKeysKernels sorted_keys_kernels();
SplitKernels split_kernels();
WalkKernels walk_kernels();

// clang-format off: one line for each group
Kernels all_kernels() {
    return {
        .bins = bins_kernels(),
        .column_draws = column_draws_kernels(),
        .gathering_walk = gathering_walk_kernels(),
        .keys = key_kernels(),
        .lines = line_kernels(),
        .live = live_kernels(),
        .marked = marked_kernels(),
        .masked_codes = masked_codes_kernels(),
        .moments = moment_kernels(),
        .move = move_kernels(),
        .optimal_bits = optimal_bits_kernels(),
        .optimal_many = optimal_many_kernels(),
        .optimal_pairs = optimal_pairs_kernels(),
        .packed_classes = packed_classes_kernels(),
        .partition = partition_kernels(),
        .positions = position_kernels(),
        .reductions = reduction_kernels(),
        .sorted_keys = sorted_keys_kernels(),
        .split = split_kernels(),
        .walk = walk_kernels(),
    };
}
// clang-format on

}  // namespace silva::simd::SILVA_ISA_NAMESPACE
