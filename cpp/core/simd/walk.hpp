// Walks down the trees of an engine (see engine_trees.hpp), and the keys that they compare.
#pragma once

#include <cstdint>

namespace silva::simd {

// Keys of values that are none; those of numbers lie between kLowestKey and kHighestKey.
constexpr uint32_t kMissingKey = 0, kUnseenKey = 1;
constexpr uint32_t kLowestKey = 0x00800000, kHighestKey = 0xFF800000;  // of the infinities
// A leaf has a limit that no key reaches, which tells its number. The node at place 1 of each tree
// is a leaf without a number: there end the walks that ask the rule.
constexpr uint32_t kAskKey = kHighestKey + 2, kLeafKey = kAskKey + 1;
constexpr uint64_t kAskPlace = 1;

// What a set says of a code.
enum class SetState : uint32_t { first = 0, second = 1, asks = 2 };

static inline SetState set_state(const uint32_t* set, uint32_t code) {
    if (code >= set[0] >> 2) return static_cast<SetState>(set[0] & 3);
    return static_cast<SetState>(set[1 + code / 16] >> (code % 16 * 2) & 3);
}

// Trees, the keys of rows, and what is known of both.
struct Walk {
    const uint64_t* nodes;
    const uint32_t* sets;
    const uint32_t* keys;  // row by row
    int64_t width;         // keys of a row
    int column_shift;      // of a node: see NodeFormat
    uint32_t child_mask;
    int missing_second, missing_asks;  // which bits
    int steps;                         // between two looks for walks that are over
    bool missing, rounded;
    bool has_ways, has_sets;  // of missing values that ask the rule; of codes
};

// Leaves are counted from the first of their tree; -1 asks the rule.
struct WalkKernels {
    // Rows 0, 1, ..., n - 1 down the tree whose nodes begin at `first_node`.
    void (*rows)(const Walk& walk, int32_t first_node, int64_t n, int32_t* leaves);
    // Row `row` down n trees.
    void (*trees)(const Walk& walk, const int32_t* first_nodes, int64_t n, int64_t row,
                  int32_t* leaves);
};

struct KeyFacts {
    bool missing = false;  // some value is missing
    bool rounded = false;  // some value is no float32
};

// The keys of n rows of `width` numbers side by side that lie `stride` bytes apart, one row after
// the other. NaN is missing.
struct KeyKernels {
    KeyFacts (*of_floats)(const char* rows, int64_t stride, int64_t n, int64_t width,
                          uint32_t* keys);
    KeyFacts (*of_doubles)(const char* rows, int64_t stride, int64_t n, int64_t width,
                           uint32_t* keys);
};

}  // namespace silva::simd
