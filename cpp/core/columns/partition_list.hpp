// The stable partition of one sorted list: the loop that every level of a tree repeats.
#pragma once

#include <cstdint>

#include "core/simd/kernels.hpp"

namespace silva {

// Moves the entries whose row has side 1 to the front of `list`, keeping their order, and the
// others to `spare` (room for n + 64 entries). Who goes left is a byte for each of few ids and a
// bit for each of many (see bit_row.hpp). An entry of a child is new (top bit) if any entry since
// the child's previous one was new.
inline void partition_list(uint16_t* list, int64_t n, const uint8_t* side, uint16_t* spare) {
    simd::kernels().partition.short_list(list, n, side, spare);
}
inline void partition_list(uint32_t* list, int64_t n, const uint32_t* side, uint32_t* spare) {
    simd::kernels().partition.long_list(list, n, side, spare);
}

}  // namespace silva
