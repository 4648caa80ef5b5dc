// The stable partition of a node's rows and lists among any number of children.
#pragma once

#include <vector>

#include "core/search/search.hpp"

namespace silva {

// Where the children of a node begin in `rows` (and end, as the last entry), by store.child.
template <class Id>
std::vector<int64_t> child_starts(const Store<Id>& store, const OpenNode& node, int64_t n_children);

// Puts the rows of child 0 first, then those of child 1, ... in `rows`.
template <class Id>
void partition_rows(Store<Id>& store, const OpenNode& node, const std::vector<int64_t>& starts,
                    Array<Id>& spare);

// The same in the sorted lists of the node's live columns. Tiny nodes leave them alone.
template <class Id>
void partition_lists(const SearchContext& context, Store<Id>& store, const OpenNode& node,
                     const std::vector<int64_t>& starts, Team& team, std::vector<Array<Id>>& spare);

}  // namespace silva
