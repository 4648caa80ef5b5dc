// The best threshold of a whole table for two classes and any weights, found by blocks of ranks.
//
// The rows of a sorted column are put into blocks of neighbouring ranks once. For new weights the
// weights of each block are added up in the order of the ids, which reads memory from one end to
// the other; only blocks that could hold the best position are then looked at row by row.
#pragma once

#include <cstdint>
#include <vector>

#include "core/columns/presort.hpp"
#include "core/search/search.hpp"

namespace silva {

class BlockSearch {
  public:
    // Whether the blocks of these columns can find what the settings ask for.
    static bool fits(const Prepared& prepared, const Settings& settings);

    BlockSearch(const Prepared& prepared, Team& team, const StopFlag& stop);

    // What silva::search does, for the root of a weighted store with the same ids.
    void search(const SearchContext& context, const Store<uint32_t>& store, StoreNode& root,
                Team& team, std::vector<SearchScratch>& scratch) const;

  private:
    void search_others(const SearchContext& context, const Store<uint32_t>& store, StoreNode& root,
                       Team& team, std::vector<SearchScratch>& scratch) const;

    std::vector<int32_t> columns_;  // that have blocks, ascending
    std::vector<Array<uint16_t>>
        codes_;                         // by these columns and id: twice the block, plus the class
    int64_t width_ = 0, n_blocks_ = 0;  // all blocks but the last have `width_` rows
};

}  // namespace silva
