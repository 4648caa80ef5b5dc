// Columns of categories for trees of forests: the finders of single trees, over rows that lie side
// by side.
#pragma once

#include <cstdint>
#include <memory>

#include "core/columns/packed_rows.hpp"
#include "core/search/forest/sweep_finder.hpp"
#include "core/search/search.hpp"

namespace silva {

// Searches the columns of categories of one node after the other, all of the same tree.
class CategorySearch {
  public:
    // `weighted`: not all weights are one. The scratch is for one tree after the other.
    CategorySearch(const SearchContext& context, bool weighted, SearchScratch& scratch);
    ~CategorySearch();

    // The next node has n rows, from `begin` on, and this path. Its statistics must be written
    // before.
    NodeStats& stats() { return node_.stats; }
    template <class Rows>
    void open(const Rows& rows, int64_t begin, int64_t n, uint64_t path);

    // Looks for a candidate that comes before `best`. `codes` are those of the rows of the node,
    // below n_codes; n_codes stands for missing ones, n_codes + 1 for lone levels. `two_values`:
    // the rows of the tree have two levels and nothing else, so that there is one question. False
    // where the column is constant.
    bool column(int32_t column, int32_t n_codes, bool two_values, const uint16_t* codes,
                const Merit& best);
    // The last column's, or, if it has none, some candidate without a column of its own.
    const Candidate& found() const;

  private:
    struct Any;

    const SearchContext& context_;
    bool weighted_;
    SearchScratch& scratch_;
    StoreNode node_;
    std::unique_ptr<Any> search_;
};

}  // namespace silva
