// The entries of a node in a store whose entries stay in place.
//
// They are found in the runs of the columns, by asking for each entry whether its row is in the
// node, or in the rows of the node, by asking for each stored value whether its column is wanted:
// whichever reads less.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/bit_row.hpp"
#include "core/columns/store.hpp"

namespace silva {

class EntryScratch {
  public:
    // The entries of the rows [begin, end) of the store in these columns, in their order. They are
    // valid until the next call.
    Entries find(const Store<uint32_t>& store, int64_t begin, int64_t end,
                 std::span<const int32_t> columns);

    // Notes which columns may have entries in the rows [begin, end).
    void note_columns(const Store<uint32_t>& store, int64_t begin, int64_t end);
    bool may_have_entries(int32_t column) const { return bit_at(noted_.data(), column); }

  private:
    struct Found {
        uint64_t order;  // key and rank
        uint32_t id;
    };

    int64_t find_by_column(const Store<uint32_t>& store, int64_t begin, int64_t end,
                           std::span<const int32_t> columns);
    int64_t find_by_row(const Store<uint32_t>& store, int64_t begin, int64_t end,
                        std::span<const int32_t> columns);

    Array<SparseEntry> entries_;
    std::vector<Found> found_;
    BitRow wanted_, noted_;  // by column
};

}  // namespace silva
