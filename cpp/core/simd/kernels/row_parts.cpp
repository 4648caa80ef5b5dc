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
    // There is room for a whole block after the left values and before the right ones.
    SILVA_INLINE void store_roomy(T* values, const BlockMove& move) const {
        if constexpr (kWidth < kLanes<T>) return store_exactly(values, move);
        T* left = values + move.left_to;
        T* right = values + move.right_to + count_bits(move.right);
        for (int r = 0; r < kRegisters; ++r) left = compress(left, entries[r], part(move.left, r));
        for (int r = kRegisters - 1; r >= 0; --r)
            right = compress_before(right, entries[r], part(move.right, r));
    }
    SILVA_INLINE void store_exactly(T* values, const BlockMove& move) const {
        T *left = values + move.left_to, *right = values + move.right_to;
        for (int r = 0; r < kRegisters; ++r) {
            left = compress_exactly(left, entries[r], part(move.left, r));
            right = compress_exactly(right, entries[r], part(move.right, r));
        }
    }
};

// Before a whole block is read there are 64 free places, as two are in registers: after it there is
// room for 32 on both sides. Only the last block may be shorter.
template <class T>
void move_blocks(T* values, const BlockMove* moves, int64_t n_moves) {
    Block<T> first, last, block;
    first.load_from(values + moves[0].from);
    last.load_from(values + moves[1].from);
    for (int64_t i = 2; i < n_moves - 1; ++i) {
        block.load_from(values + moves[i].from);
        block.store_roomy(values, moves[i]);
    }
    if (n_moves > 2) {
        block.load_from(values + moves[n_moves - 1].from);
        block.store_exactly(values, moves[n_moves - 1]);
    }
    first.store_exactly(values, moves[0]);
    last.store_exactly(values, moves[1]);
}

}  // namespace

MoveKernels move_kernels() { return {move_blocks, move_blocks, move_blocks, move_blocks}; }

}  // namespace silva::simd::SILVA_ISA_NAMESPACE
