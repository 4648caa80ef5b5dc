// What the rows of a node count for: by code, by bit, by level of a category.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/search/finders/column_search.hpp"
#include "core/search/sweeps/values.hpp"

namespace silva {

// `Counter` is that of a sweep (sweeps/rows.hpp). Results are left in `scratch`.
template <class Id, class Counter>
class RowCounts {
  public:
    RowCounts(const SearchContext& context, const Store<Id>& store, const StoreNode& node,
              SearchScratch& scratch, const Counter& counter)
        : context_(context), store_(store), node_(node), scratch_(scratch), counter_(counter) {}

    void count_codes(const uint8_t* codes, int missing_code);
    void mark_breakpoints(const uint8_t* codes, const std::vector<int>& occupied);
    void count_bits(const uint64_t* words, uint64_t wanted);
    Absent list_levels(int32_t column);
    NodeSpread node_spread() const;
    const Id* at_breakpoints(const Id* list, int64_t n_known);

  private:
    static constexpr Id kNew = Store<Id>::kNew;
    static constexpr Id kIdMask = Store<Id>::kIdMask;
    static constexpr bool kValues = Counter::kLayout == GroupLayout::values;
    static constexpr bool kTwoClasses = Counter::kLayout == GroupLayout::classes;

    int64_t group_width() const {
        if (kValues || kTwoClasses) return kValues ? 3 : 2;
        return static_cast<int64_t>(node_.stats.classes.size());
    }

    const SearchContext& context_;
    const Store<Id>& store_;
    const StoreNode& node_;
    SearchScratch& scratch_;
    Counter counter_;
};

}  // namespace silva
