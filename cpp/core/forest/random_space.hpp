// Memory for trees of thresholds that are drawn.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/forest/nested_rows.hpp"

namespace silva {

struct RandomNode {
    int64_t depth;
    uint64_t path;    // of the node, or of its parent if it has a number
    uint64_t number;  // 1: the left child, 2: the right one
    int64_t slot;     // see TreeWriter
    uint64_t alive;   // which of the first 64 columns are not known to be constant
};
struct RandomSet {
    RandomNode node;
    int64_t n;
};

// Rows that lie side by side, the nodes among them that wait, and the rows of these: as many words
// for each.
template <class Rows>
struct RandomLevel {
    NestedRows<Rows> rows;
    std::vector<RandomSet> open;
    std::vector<uint64_t> marks;
};
// A threshold to be drawn between the values of two rows.
struct LaterThreshold {
    int64_t split;
    int32_t column;
    uint32_t low_id, high_id;
    uint64_t hash;
};
// Memory for one tree after the other.
template <class Rows>
struct RandomSpace {
    std::vector<std::unique_ptr<RandomLevel<Rows>>> levels;  // each has some rows of the one before
    std::vector<LaterThreshold> later;
    std::vector<uint64_t> bits, best_bits, all;
};

}  // namespace silva
