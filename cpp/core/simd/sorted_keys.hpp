// Few ranks in their order.
#pragma once

#include <cstdint>

namespace silva::simd {

constexpr int64_t kCountedKeys = 128;  // up to here a key's place is found by counting

// Up to kCountedKeys keys in ascending order: rank - lowest in the upper half, position in the
// lower one.
struct SortedKeysKernels {
    void (*sort_short)(const uint16_t* ranks, int64_t n, uint16_t lowest, uint64_t* keys);
    void (*sort_long)(const uint32_t* ranks, int64_t n, uint32_t lowest, uint64_t* keys);
};

}  // namespace silva::simd
