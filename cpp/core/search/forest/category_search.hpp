// Columns of categories for trees of forests, and thresholds beside a branch of missing values: the
// finders of single trees, over rows that lie side by side.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/columns/packed_rows.hpp"
#include "core/search/finders/column_search.hpp"
#include "core/search/forest/sweep_finder.hpp"
#include "core/search/search.hpp"

namespace silva {

// The rows of a node in order of their ranks, missing ones last: keys of sorted_keys.hpp.
struct OrderedRows {
    const uint64_t* keys;
    uint32_t lowest;
    int64_t n, n_known;

    int64_t at(int64_t i) const { return static_cast<uint32_t>(keys[i]); }
    bool begins_rank(int64_t i) const { return keys[i] >> 32 != keys[i - 1] >> 32; }
    uint32_t rank(int64_t i) const { return static_cast<uint32_t>(keys[i] >> 32) + lowest; }
};

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
    // The same among the thresholds of a column whose missing values become a third child. Its
    // position is the lowest rank on the right.
    void own_branch(int32_t column, const OrderedRows& rows, const Merit& best);
    // The same for one threshold, whose three children are groups of a sweep.
    void own_branch(int32_t column, std::span<const ChildGroup, 3> children, const Merit& best);
    // The last column's, or, if it has none, the given `best`.
    const Candidate& found() const;

  private:
    struct Any;
    template <class F>
    auto with_rows(const uint16_t* codes, F&& f) const;

    const SearchContext& context_;
    bool weighted_;
    SearchScratch& scratch_;
    StoreNode node_;
    std::unique_ptr<Any> search_;
};

}  // namespace silva
