// The stable partition of one sorted list: the loop that every level of a tree repeats.
#pragma once

#include <cstdint>

namespace silva::simd {

// Moves the entries whose row has side 1 to the front of `list`, and the others behind them, both
// in their order. `spare` has room for the others and two registers more. Which side a row has is a
// byte for each of few ids and a bit for each of many (see bit_row.hpp). An entry of a child is new
// (top bit) if any entry since the child's previous one was new.
struct PartitionKernels {
    void (*short_list)(uint16_t* list, int64_t n, const uint8_t* side, uint16_t* spare);
    void (*long_list)(uint32_t* list, int64_t n, const uint32_t* side, uint32_t* spare);
};

}  // namespace silva::simd
