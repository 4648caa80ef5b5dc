// Sorts the columns of many distinct values, each by one thread or, where there are fewer columns
// than threads, by ranges of its values.
#pragma once

#include <functional>
#include <vector>

#include "core/base/pool.hpp"
#include "core/columns/column_reader.hpp"
#include "core/columns/store.hpp"

namespace silva {

// Where the result of one column belongs; no list: the column is not sorted.
struct SortedColumn {
    ColumnForm* form = nullptr;
    Array<uint32_t>* list = nullptr;
    Array<uint8_t>* missing = nullptr;
};

// A sorted range of values: a key and an id in one word.
struct SortedRange {
    Array<uint64_t> keys, other;
    int64_t size = 0;
    bool exact = false;  // the keys say all about the order of the values
};

// Memory is used again from group to group: 16 bytes a row and column of a group, but not of more
// columns than there are threads.
class ColumnSorter {
  public:
    ColumnSorter(const Target& target, Team& team, const StopFlag& stop)
        : target_(target), team_(team), stop_(stop), by_worker_(team.size()) {}

    // begin(i) is called once for each view; the column is then sorted if it says where.
    void sort(const std::vector<ColumnView>& views,
              const std::function<SortedColumn(int64_t)>& begin);

  private:
    void sort_by_ranges(const std::vector<ColumnView>& views, int64_t n_ranges,
                        const std::function<SortedColumn(int64_t)>& begin);
    void sort_whole(const ColumnView& view, const SortedColumn& out, SortedRange& scratch) const;

    const Target& target_;
    Team& team_;
    const StopFlag& stop_;
    std::vector<SortedRange> by_worker_, ranges_;
};

}  // namespace silva
