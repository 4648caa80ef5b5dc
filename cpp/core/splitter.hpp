// Carries out a chosen candidate: the exact rule, who goes where, and the children's slices.
#pragma once

#include <span>
#include <utility>

#include "core/search.hpp"
#include "core/tree_builder.hpp"

namespace silva {

// Must be called before the node's lists are partitioned. Marks store.side for the node's rows (of
// a multiway split: store.child) and returns the rule without its missing and unseen children.
template <class Id>
SplitRecord mark_sides(const SearchContext& context, Store<Id>& store, const OpenNode& node);

// Statistics of the rows marked left and of the others.
template <class Id>
std::pair<NodeStats, NodeStats> child_stats(const Store<Id>& store, const OpenNode& node);

// Statistics of all rows of a slice.
template <class Id>
NodeStats stats_of(const Store<Id>& store, int64_t begin, int64_t end);

// Children of the rule, and whether its rows are marked in store.child.
bool makes_many(const Candidate& candidate);

// Turns marked sides into marked children: left is 0, right 1, the own branch 2.
template <class Id>
void mark_children(Store<Id>& store, const OpenNode& node);

// Says where missing and unseen values go, given the weights of the children.
void settle_absent(const ColumnSettings& asked, bool continuous, const Candidate& candidate,
                   std::span<const int64_t> weights, SplitRecord& rule);

struct Keep {
    bool left, right;
};

// Puts the rows marked left before the others, keeping their order, in `rows` and, for the children
// that stay open, in the sorted lists of the node's live columns (tiny nodes leave those alone).
template <class Id>
void partition(const SearchContext& context, Store<Id>& store, const OpenNode& node,
               int64_t left_rows, Keep keep, Team& team, std::vector<Array<Id>>& spare);

}  // namespace silva
