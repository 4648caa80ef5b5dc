// The rows of a node put into two parts, every array of the node in the same way.
#pragma once

#include <cstdint>
#include <span>

#include "core/columns/split_values.hpp"
#include "core/simd/kernels.hpp"

namespace silva {

// Moves the marked of more than 64 rows to the front, in place. The first two moves are the first
// and the last block: they are kept in registers until all others have left their places, and each
// block is read from the side that has less room. `room` has an entry for each 32 rows and one
// more.
std::span<const BlockMove> plan_moves(int64_t n, const uint64_t* bits, BlockMove* room);
inline void move_blocks(uint8_t* values, std::span<const BlockMove> moves) {
    simd::kernels().move.move_8(values, moves.data(), std::ssize(moves));
}
inline void move_blocks(uint16_t* values, std::span<const BlockMove> moves) {
    simd::kernels().move.move_16(values, moves.data(), std::ssize(moves));
}
inline void move_blocks(uint32_t* values, std::span<const BlockMove> moves) {
    simd::kernels().move.move_32(values, moves.data(), std::ssize(moves));
}
inline void move_blocks(uint64_t* values, std::span<const BlockMove> moves) {
    simd::kernels().move.move_64(values, moves.data(), std::ssize(moves));
}

class RowParts {
  public:
    // Marked rows go left. `spare` has room for the longest array, as in split_values. Where the
    // order of the rows may change, large nodes are split in place.
    RowParts(int64_t n, const uint64_t* bits, uint64_t* spare, bool keep_order)
        : n_(n), bits_(bits), spare_(spare) {
        if (!keep_order && n > kStayInOrder && simd::kernels().move.pay)
            moves_ = plan_moves(n, bits, reinterpret_cast<BlockMove*>(spare));
    }

    // Without `keep_right` the right part may be lost.
    template <class T>
    void split(T* values, bool keep_right = true) const {
        if (moves_.empty())
            split_values(values, n_, bits_, reinterpret_cast<T*>(spare_), keep_right);
        else
            move_blocks(values, moves_);
    }
    void split_columns(std::span<uint16_t* const> columns, bool keep_right) const {
        if (moves_.empty())
            return split_columns_of(columns, n_, bits_, reinterpret_cast<uint16_t*>(spare_),
                                    keep_right);
        for (uint16_t* column : columns) move_blocks(column, moves_);
    }

  private:
    static constexpr int64_t kStayInOrder = 256;  // fit into registers

    int64_t n_;
    const uint64_t* bits_;
    uint64_t* spare_;
    std::span<const BlockMove> moves_;
};

}  // namespace silva
