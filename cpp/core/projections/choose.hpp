// Whether a split over many columns replaces the best ordinary split of a node.
#pragma once

#include "core/search/search.hpp"

namespace silva {

// Called after the ordinary search. Nodes that have too few rows for two terms, or whose ordinary
// split leaves no room for the margin, are left as they are.
template <class Id>
void consider_projections(const SearchContext& context, const Store<Id>& store, StoreNode& node);

}  // namespace silva
