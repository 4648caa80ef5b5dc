// The exact rule of a chosen candidate, and who goes where.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/search/search.hpp"
#include "core/tree/tree_builder.hpp"

namespace silva {

// Must be called before the node's lists are partitioned. Marks store.side for the node's rows (of
// a multiway split: store.child) and returns the rule without its missing and unseen children.
// store.child has an entry a row before several threads split nodes of one store.
template <class Id>
SplitRecord mark_sides(const SearchContext& context, Store<Id>& store, const StoreNode& node,
                       Team& team);

// What a split lists whose position is the only code listed, or -1 for none.
std::shared_ptr<const SplitDetail> one_code(int64_t position);

// Whether rows of lone levels go where missing values go.
inline bool lone_join_missing(const Candidate& best, const ColumnSettings& asked) {
    return best.missing_chosen && asked.lone_follow_missing();
}

// Where missing values go, as marked in store.side: left, right or to their own branch.
inline uint8_t side_of_missing(const Candidate& best) {
    return best.own_branch ? 2 : best.missing_left ? 1 : 0;
}

// Whether a candidate may have more than two children, and goes by store.child.
bool makes_many(const Candidate& candidate);
int64_t n_children(const Candidate& candidate);

// Turns marked sides into marked children: left is 0, right 1, the own branch 2.
template <class Id>
void mark_children(Store<Id>& store, const StoreNode& node);

// Says where missing and unseen values go, given the weights of the children.
void resolve_missing(const ColumnSettings& asked, bool continuous, const Candidate& candidate,
                     std::span<const int64_t> weights, SplitRecord& rule);

}  // namespace silva
