// What every open node has, whatever holds its rows.
#pragma once

#include <cstdint>

#include "core/base/random.hpp"

namespace silva {

struct OpenNode {
    int64_t begin = 0, end = 0;  // its slice of the layout's rows; where nodes are sets, a count
    int64_t depth = 0;
    uint64_t path = 1;  // hash of the turns from the root, for random draws
    uint64_t turn = 0;  // the last one, while `path` is that of the parent

    int64_t rows() const { return end - begin; }

    // Makes this the child number `which` of `parent`, with the rows of [from, to).
    void descend(const OpenNode& parent, uint64_t which, int64_t from, int64_t to) {
        begin = from;
        end = to;
        depth = parent.depth + 1;
        path = parent.path;
        turn = which + 1;
    }
    // Most nodes are leaves, which need no path.
    void hash_path() {
        if (turn != 0) path = mix(path, turn);
        turn = 0;
    }
};

}  // namespace silva
