// Sorts the columns of many distinct values, each by one thread or, where there are fewer columns
// than threads, by parts of its rows and groups of its values.
#pragma once

#include <functional>
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
    void sort_alone(const ColumnView& view, const SortedColumn& out, int worker);
    void sort_together(const std::vector<ColumnView>& views, int64_t n_parts,
                       const std::function<SortedColumn(int64_t)>& begin);

    const Target& target_;
    Team& team_;
    const StopFlag& stop_;
    std::vector<ColumnSort> sorts_;  // one for each thread; fewer columns than threads share them
    std::vector<GroupScratch> scratch_;
};

}  // namespace silva
