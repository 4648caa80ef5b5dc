// Rows as keys, one row after the other: what the walks of an engine read.
#pragma once

#include <cstdint>
#include <vector>

#include "core/columns/table.hpp"
#include "core/predict/engine_trees.hpp"

namespace silva {

struct KeyRows {
    std::vector<Key> keys;  // row by row, one for each column that was read
    int64_t width = 0;
    simd::KeyFacts facts;  // unseen values count as missing

    // Reads these columns of rows [begin, end).
    void read(const Table& table, const std::vector<int32_t>& columns, int64_t begin, int64_t end);

  private:
    bool read_matrix(const Table& table, const std::vector<int32_t>& columns, int64_t begin,
                     int64_t end);
    void read_column(const ColumnView& column, int64_t begin, int64_t n, Key* out);
};

}  // namespace silva
