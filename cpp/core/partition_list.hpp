// The stable partition of one sorted list: the loop that every level of a tree repeats.
#pragma once

#include <cstdint>

#include "core/bit_row.hpp"

namespace silva {

// Who goes left is a byte for each of few ids and a bit for each of many (see bit_row.hpp).
inline bool side_of(const uint8_t* side, int64_t id) { return side[id] != 0; }
inline bool side_of(const uint32_t* side, int64_t id) { return bit_at(side, id); }

// Moves the entries whose row has side 1 to the front of `list`, keeping their order, and the
// others to `spare` (room for n + 64 entries). An entry of a child is new (top bit) if any entry
// since the child's previous one was new. Chooses the widest instructions that the machine has.
void partition_list(uint16_t* list, int64_t n, const uint8_t* side, uint16_t* spare);
void partition_list(uint32_t* list, int64_t n, const uint32_t* side, uint32_t* spare);

namespace detail {

template <class Id>
struct PartitionState {
    Id* left;
    Id* right;
    Id new_left = 0, new_right = 0;
};

// One entry at a time, without a branch.
template <class Id, class Side>
void partition_plainly(const Id* list, int64_t n, const Side* side, PartitionState<Id>& state) {
    constexpr Id new_bit = Id(Id(1) << (8 * sizeof(Id) - 1));
    for (int64_t i = 0; i < n; ++i) {
        const Id entry = list[i], id = Id(entry & ~new_bit);
        const bool goes_left = side_of(side, id);
        state.new_left |= entry & new_bit;
        state.new_right |= entry & new_bit;
        *state.left = id | state.new_left;
        *state.right = id | state.new_right;
        state.left += goes_left ? 1 : 0;
        state.right += goes_left ? 0 : 1;
        state.new_left = goes_left ? Id(0) : state.new_left;
        state.new_right = goes_left ? state.new_right : Id(0);
    }
}

}  // namespace detail
}  // namespace silva
