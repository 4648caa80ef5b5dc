// What every open node has, whatever holds its rows.
#pragma once

#include <cstdint>

#include "core/base/random.hpp"

namespace silva {

struct NodeSlice {
    int64_t begin = 0, end = 0;  // its slice of the layout's rows; where nodes are sets, a count
    int64_t depth = 0;
    uint64_t path = 1;  // hash of the turns from the root, for random draws

    int64_t rows() const { return end - begin; }

    // Makes this the child number `which` of `parent`, with the rows of [from, to).
    void descend(const NodeSlice& parent, uint64_t which, int64_t from, int64_t to) {
        begin = from;
        end = to;
        depth = parent.depth + 1;
        path = mix(parent.path, which + 1);
    }
};

}  // namespace silva
