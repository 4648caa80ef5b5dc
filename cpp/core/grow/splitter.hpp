// Carries out a chosen candidate: the statistics of its children and their slices.
#pragma once

#include <utility>
#include <vector>

#include "core/grow/marker.hpp"
#include "core/search/search.hpp"

namespace silva {

// What moving the entries of lists needs: memory of each worker of a team. The worker that splits a
// node marks its rows in `goes_left`, which the whole team then reads.
template <class Id>
struct MoveSpace {
    Array<Id> others;
    BitRow goes_left;
    Array<SparseEntry> entries;
};
template <class Id>
using MoveSpaces = std::vector<MoveSpace<Id>>;

// Statistics of the rows marked left and of the others.
template <class Id>
std::pair<NodeStats, NodeStats> child_stats(const Store<Id>& store, const StoreNode& node,
                                            Team& team);

// Statistics of all rows of a slice; n_classes is 0 for regression.
template <class Id>
NodeStats stats_of(const Store<Id>& store, int64_t begin, int64_t end, int64_t n_classes);
// The same by a team.
template <class Id>
NodeStats stats_of(const Store<Id>& store, int64_t begin, int64_t end, int64_t n_classes,
                   Team& team);

// Whether a node has so few rows for the number of its classes that they are numbered anew.
inline bool has_idle_classes(int64_t n_classes, int64_t rows) {
    return n_classes > 256 && n_classes > 8 * rows;
}

// Numbers the classes of a node's rows anew, in their order, and counts them: statistics of a node
// need memory and time for the classes that occur in it, not for all of them.
template <class Id>
void number_own_classes(Store<Id>& store, StoreNode& node);

// Puts the rows marked left before the others, keeping their order, in `rows` and, if asked for, in
// the sorted lists of the node's live columns.
template <class Id>
void partition(const SearchContext& context, Store<Id>& store, const StoreNode& node, bool columns,
               Team& team, MoveSpaces<Id>& spaces);

// Puts the node's entries of rows marked left before the others; returns their number. Whole
// columns of a large node are moved by one thread each.
template <class Id>
int64_t move_entries(Store<Id>& store, const StoreNode& node, Team& team, MoveSpaces<Id>& spaces);

// ---- many children ----------------------------------------------------------------------------

// Where the children of a node begin in `rows` (and end, as the last entry), by store.child.
template <class Id>
std::vector<int64_t> child_starts(const Store<Id>& store, const StoreNode& node,
                                  int64_t n_children);

// Puts the rows of child 0 first, then those of child 1, ... in `rows`.
template <class Id>
void partition_rows(Store<Id>& store, const StoreNode& node, const std::vector<int64_t>& starts,
                    MoveSpace<Id>& space);

// The same in the sorted lists of the node's live columns.
template <class Id>
void partition_lists(const SearchContext& context, Store<Id>& store, const StoreNode& node,
                     const std::vector<int64_t>& starts, Team& team, MoveSpaces<Id>& spaces);

}  // namespace silva
