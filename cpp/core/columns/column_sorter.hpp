// Sorts the columns of many distinct values, each by one thread or, where there are fewer columns
// than threads, by parts of its rows and groups of its values.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/base/pool.hpp"
#include "core/columns/column_reader.hpp"
#include "core/columns/column_sort.hpp"
#include "core/columns/store.hpp"

namespace silva {

// Where the result of one column belongs; no list: the column is not sorted.
struct SortedColumn {
    ColumnForm* form = nullptr;
    Array<uint32_t>* list = nullptr;
    Array<uint8_t>* missing = nullptr;
};

class ColumnSorter {
  public:
    ColumnSorter(const Target& target, Team& team, const StopFlag& stop)
        : target_(target),
          team_(team),
          stop_(stop),
          sorts_(static_cast<size_t>(team.size())),
          scratch_(static_cast<size_t>(team.size())) {}

    // begin(i) is called once for each view; the column is then sorted if it says where.
    void sort(const std::vector<ColumnView>& views,
              const std::function<SortedColumn(int64_t)>& begin);

  private:
    struct Column {
        ColumnReader reader;
        SortedColumn out;
    };
    // In how many parts a column is read and moved; 1: one thread sorts it alone.
    int64_t parts_of_column(int64_t n_columns) const;
    void sort_alone(const Column& column, int worker);
    void sort_together(std::span<const Column> columns, int64_t n_parts);
    void write_groups(std::span<const Column> columns);

    const Target& target_;
    Team& team_;
    const StopFlag& stop_;
    std::vector<ColumnSort> sorts_;  // by thread, or by column where threads share columns
    std::vector<KeyedScratch> scratch_;
};

}  // namespace silva
