#include "core/simd/row_parts.hpp"

#include "core/simd/vec.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

constexpr int kBlock = 32;

template <class T>
struct Block {
    static constexpr int kWidth = kLanes<T> < kBlock ? kLanes<T> : kBlock;
    static constexpr int kRegisters = kBlock / kWidth;
    Vec<T> entries[kRegisters];

    SILVA_INLINE void load_from(const T* from) {
        for (int r = 0; r < kRegisters; ++r)
            entries[r] = kWidth < kLanes<T> ? load_first(from + kWidth * r, kWidth)
                                            : load(from + kWidth * r);
    }
    static SILVA_INLINE uint64_t part(uint32_t rows, int r) {
        return rows >> (kWidth * r) & lowest_bits(kWidth);
    }
    // has_room: for a whole block on the left.
    template <bool has_room>
    SILVA_INLINE void store_to(T* values, const BlockMove& move) const {
        T *left = values + move.left_to, *right = values + move.right_to;
        for (int r = 0; r < kRegisters; ++r) {
            if constexpr (has_room && kWidth == kLanes<T>)
                left = compress(left, entries[r], part(move.left, r));
            else
                left = compress_exactly(left, entries[r], part(move.left, r));
            right = compress_exactly(right, entries[r], part(move.right, r));
        }
    }
};

template <class T>
void move_blocks(T* values, const BlockMove* moves, int64_t n_moves) {
    Block<T> first, last, block;
    first.load_from(values + moves[0].from);
    last.load_from(values + moves[1].from);
    for (int64_t i = 2; i < n_moves; ++i) {
        block.load_from(values + moves[i].from);
        block.template store_to<true>(values, moves[i]);
    }
    first.template store_to<false>(values, moves[0]);
    last.template store_to<false>(values, moves[1]);
}

}  // namespace

MoveKernels move_kernels() {
    return {kStoresLanes, move_blocks, move_blocks, move_blocks, move_blocks};
}

}  // namespace silva::simd::SILVA_ISA_NAMESPACE
