// How a threshold divides the rows of a node by their entries in a sparse column.
#pragma once

#include <cstdint>
#include <utility>

#include "core/search/search.hpp"

namespace silva {

// The node's entries of the column, known values first. Rows without an entry are zero.
struct SparseSplit {
    Entries entries;
    int64_t n_known = 0, n_left = 0;  // known values, and those of them that go left
    bool zeros_left = false;
    uint8_t missing_side = 0;
    double threshold = 0.0;

    // As marked in store.side.
    uint8_t side_of(size_t i) const {
        const auto entry = static_cast<int64_t>(i);
        return entry >= n_known ? missing_side : entry < n_left ? 1 : 0;
    }
};

// The node's best candidate, a threshold; `missing_side` is where its missing values go.
template <class Id>
SparseSplit sparse_split(const SearchContext& context, const Store<Id>& store,
                         const StoreNode& node, Entries entries, uint8_t missing_side);

// ---- entries that stay in place ----------------------------------------------------------------
//
// The time of these goes with the rows that are not on the side of the zeros, however many others
// the node has.

// Puts the rows that go left before the others. Returns the number of those that go left.
int64_t separate_rows(Store<uint32_t>& store, const StoreNode& node, const SparseSplit& split);

// The statistics of a node's rows before and after `middle`, the zeros being on one side.
std::pair<NodeStats, NodeStats> separated_stats(const Store<uint32_t>& store, const StoreNode& node,
                                                int64_t middle, bool zeros_left);

}  // namespace silva
