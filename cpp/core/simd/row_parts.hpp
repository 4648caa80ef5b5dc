// Blocks of rows moved in place; see forest/row_parts.hpp.
#pragma once

#include <cstdint>

namespace silva {

// A block of up to 32 rows and where its two parts go.
struct BlockMove {
    uint32_t from, left, right;  // left, right: bits of the block's rows
    uint32_t left_to, right_to;
};

namespace simd {

struct MoveKernels {
    // Whether moves in place are faster than splits through other memory: they write exactly the
    // values of a block, which takes a masked store.
    bool pay;
    void (*move_8)(uint8_t* values, const BlockMove* moves, int64_t n_moves);
    void (*move_16)(uint16_t* values, const BlockMove* moves, int64_t n_moves);
    void (*move_32)(uint32_t* values, const BlockMove* moves, int64_t n_moves);
    void (*move_64)(uint64_t* values, const BlockMove* moves, int64_t n_moves);
};

}  // namespace simd
}  // namespace silva
