// Carries out a chosen candidate: the statistics of its children and their slices.
#pragma once

#include <utility>

#include "core/marker.hpp"
#include "core/search.hpp"

namespace silva {

// Statistics of the rows marked left and of the others.
template <class Id>
std::pair<NodeStats, NodeStats> child_stats(const Store<Id>& store, const OpenNode& node);

// Statistics of all rows of a slice.
template <class Id>
NodeStats stats_of(const Store<Id>& store, int64_t begin, int64_t end);

struct Keep {
    bool left, right;
};

// Puts the rows marked left before the others, keeping their order, in `rows` and, for the children
// that stay open, in the sorted lists of the node's live columns (tiny nodes leave those alone).
template <class Id>
void partition(const SearchContext& context, Store<Id>& store, const OpenNode& node,
               int64_t left_rows, Keep keep, Team& team, std::vector<Array<Id>>& spare);

}  // namespace silva
