// Rows as keys, one row after the other: what the walks of an engine read.
#pragma once

#include <cstdint>
#include <vector>

#include "core/engine_trees.hpp"
#include "core/table.hpp"

namespace silva {

struct KeyRows {
    std::vector<Key> keys;  // row by row, one for each column of the table
    int64_t width = 0;
    bool missing = false;  // some value is missing or unseen
    bool rounded = false;  // some value is not a float32

    // Reads the used columns of rows [begin, end); keys of other columns mean nothing.
    void read(const Table& table, const std::vector<int32_t>& used, int64_t begin, int64_t end);
};

}  // namespace silva
