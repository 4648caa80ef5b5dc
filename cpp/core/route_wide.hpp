// Many rows at once through threshold splits, on wide instructions.
#pragma once

#include <cstdint>

namespace silva {

constexpr int64_t kWideRows = 32;  // rows in flight, and the fewest that can be routed

// Rows may rest at inner nodes only in trees of at most so many nodes.
constexpr uint64_t kRestingNodes = uint64_t{1} << 30;

// A node in one word: second child (31 bits; 30 where rows may rest, then 1 bit: missing values
// rest here), missing values go first (1 bit), byte offset (32 bits).
inline uint64_t pack_node(int32_t second, bool missing_first, bool missing_rests, uint32_t offset) {
    return static_cast<uint64_t>(second) | static_cast<uint64_t>(missing_rests) << 30 |
           static_cast<uint64_t>(missing_first) << 31 | static_cast<uint64_t>(offset) << 32;
}

bool can_route_widely();

// Routes `n` rows of float32 or float64 that start at `rows` and lie `stride` bytes apart.
// `rests`: missing values may rest at inner nodes.
void route_widely(const double* thresholds, const uint64_t* packed, const char* rows,
                  int64_t stride, int64_t n, bool single_precision, bool rests, int64_t* out);

}  // namespace silva
