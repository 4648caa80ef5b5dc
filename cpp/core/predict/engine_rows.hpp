// Rows as keys, one row after the other: what the walks of an engine read.
#pragma once

#include <cstdint>
#include <vector>

#include "core/columns/table.hpp"
#include "core/predict/engine_trees.hpp"

namespace silva {

// The keys of what sparse columns store, row by row.
class StoredKeys {
  public:
    // Lists the stored keys of rows [begin, end). The place of a column among `columns` is its
    // place in a row of keys.
    void list(const Table& table, const std::vector<int32_t>& columns, int64_t begin, int64_t end);
    int64_t n_columns() const { return n_columns_; }
    const simd::KeyFacts& facts() const { return facts_; }

    // Puts the keys of rows [begin, end), which are listed, into rows of keys, or those of zero.
    void put(int64_t begin, int64_t end, int64_t width, Key* keys) const;
    void put_zeros(int64_t begin, int64_t end, int64_t width, Key* keys) const;

  private:
    struct Stored {
        uint32_t place;
        Key key;
    };
    // Stored values [begin, end) of a sparse column.
    struct Run {
        const ColumnView* column;
        uint32_t place;
        int64_t begin, end;
    };

    void add(const Run& run);

    int64_t begin_ = 0, n_columns_ = 0;
    std::vector<Run> runs_;
    std::vector<int64_t> starts_;  // by row, and their number
    std::vector<Stored> stored_;
    simd::KeyFacts facts_;
};

struct KeyRows {
    std::vector<Key> keys;  // row by row, one for each column that was read
    int64_t width = 0;
    simd::KeyFacts facts;  // unseen values count as missing

    // Reads these columns of rows [begin, end). If some are sparse, their keys must be listed.
    void read(const Table& table, const std::vector<int32_t>& columns, int64_t begin, int64_t end);
    // Lists the keys that sparse columns store of these rows, for reads of parts of them: to look
    // for a few rows in many columns takes longer than to read what these store.
    void list_stored(const Table& table, const std::vector<int32_t>& columns, int64_t begin,
                     int64_t end);

  private:
    bool read_matrix(const Table& table, const std::vector<int32_t>& columns, int64_t begin,
                     int64_t end);
    void read_column(const ColumnView& column, int64_t begin, int64_t n, Key* out);
    void put_stored(int64_t begin, int64_t end);

    StoredKeys stored_;
    int64_t put_begin_ = 0, put_end_ = 0;  // rows whose stored keys are in `keys`
};

}  // namespace silva
