#include "core/grow/splitter.hpp"

#include <algorithm>
#include <span>

#include "core/simd/kernels.hpp"

namespace silva {
namespace {

template <class Id>
int64_t weight_of(const Store<Id>& store, int64_t id) {
    return store.weight.empty() ? 1 : store.weight[id];
}

template <class Id>
void add_row(const Store<Id>& store, int64_t id, NodeStats& stats) {
    const int64_t w = weight_of(store, id);
    ++stats.rows;
    stats.weight += w;
    if (!store.label.empty()) {
        stats.classes[store.label[id]] += w;
    } else {
        const int64_t q = store.q[id];
        stats.sum += Wide(w) * q;
        stats.lowest = std::min(stats.lowest, q);
        stats.highest = std::max(stats.highest, q);
    }
}

}  // namespace

template <class Id>
NodeStats stats_of(const Store<Id>& store, int64_t begin, int64_t end, int64_t n_classes) {
    NodeStats stats;
    stats.classes.assign(n_classes, 0);
    for (int64_t i = begin; i < end; ++i) add_row(store, store.rows[i], stats);
    return stats;
}

template <class Id>
void number_own_classes(Store<Id>& store, StoreNode& node) {
    const std::span<const Id> rows(store.rows.data() + node.begin, node.rows());
    std::vector<Id> own;
    for (const Id id : rows) own.push_back(store.label[id]);
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    std::vector<int32_t> class_of;
    for (const Id k : own) {
        const std::vector<int32_t>& before = node.class_of ? *node.class_of : store.class_of;
        class_of.push_back(before.empty() ? static_cast<int32_t>(k) : before[k]);
    }
    node.class_of = std::make_shared<const std::vector<int32_t>>(std::move(class_of));
    node.stats = {};
    node.stats.classes.assign(own.size(), 0);
    for (const Id id : rows) {
        Id& label = store.label[id];
        label = static_cast<Id>(std::lower_bound(own.begin(), own.end(), label) - own.begin());
        add_row(store, id, node.stats);
    }
}

namespace {

// The left child's statistics, without a branch on the side of a row.
template <class Id>
void count_left(const Store<Id>& store, const StoreNode& node, NodeStats& left) {
    const bool weighted = !store.weight.empty();
    for (int64_t i = node.begin; i < node.end; ++i) {
        const Id id = store.rows[i];
        const int64_t here = store.side[id];
        const int64_t w = weighted ? here * store.weight[id] : here;
        left.rows += here;
        left.weight += w;
        left.classes[store.label[id]] += w;
    }
}

}  // namespace

template <class Id>
std::pair<NodeStats, NodeStats> child_stats(const Store<Id>& store, const StoreNode& node) {
    NodeStats left, right;
    if (store.n_classes == 0) {
        NodeStats* const of_side[] = {&right, &left};  // no branch on the side of a row
        for (int64_t i = node.begin; i < node.end; ++i)
            add_row(store, store.rows[i], *of_side[store.side[store.rows[i]]]);
        return {left, right};
    }
    left.classes.assign(node.stats.classes.size(), 0);
    count_left(store, node, left);
    right.rows = node.rows() - left.rows;
    right.weight = node.stats.weight - left.weight;
    right.classes = node.stats.classes;
    for (size_t k = 0; k < right.classes.size(); ++k) right.classes[k] -= left.classes[k];
    return {left, right};
}

namespace {

// Puts the entries of rows with side 1 first and the others into `spare`. Sides are read as bytes
// of few ids and as bits of many.
void partition_list(Store<uint16_t>& store, uint16_t* list, int64_t n, uint16_t* spare) {
    simd::kernels().partition.short_list(list, n, store.side.data(), spare);
}
void partition_list(Store<uint32_t>& store, uint32_t* list, int64_t n, uint32_t* spare) {
    simd::kernels().partition.long_list(list, n, store.side_bits.data(), spare);
}
void fill_side_bits(Store<uint16_t>&, const StoreNode&) {}
void fill_side_bits(Store<uint32_t>& store, const StoreNode& node) {
    for (int64_t i = node.begin; i < node.end; ++i)
        put_bit(store.side_bits.data(), store.rows[i], store.side[store.rows[i]] != 0);
}

// Calls move(list, worker) with the sorted lists of the node's live columns.
template <class Id, class F>
void for_lists(const SearchContext& context, Store<Id>& store, const StoreNode& node, Team& team,
               F&& move) {
    if (!store.has_lists) return;
    const std::vector<int32_t>& columns = *node.alive;
    const auto move_column = [&](int64_t i, int worker) {
        context.stop.check();
        if (context.forms[columns[i]].form == Form::sorted)
            move(store.lists[columns[i]].data() + node.begin, worker);
    };
    const auto n_columns = static_cast<int64_t>(columns.size());
    if (team.size() == 1)
        for (int64_t i = 0; i < n_columns; ++i) move_column(i, 0);
    else
        team.for_each(n_columns, move_column);
}

}  // namespace

template <class Id>
void partition(const SearchContext& context, Store<Id>& store, const StoreNode& node,
               int64_t left_rows, Keep keep, Team& team, std::vector<Array<Id>>& spare) {
    fill_side_bits(store, node);
    const auto move = [&](Id* list, bool keep_right, int worker) {
        Id* others = spare[worker].data();
        partition_list(store, list, node.rows(), others);
        if (keep_right) std::copy_n(others, node.rows() - left_rows, list + left_rows);
    };
    move(store.rows.data() + node.begin, true, 0);
    if (!keep.left && !keep.right) return;
    for_lists(context, store, node, team,
              [&](Id* list, int worker) { move(list, keep.right, worker); });
}

// ---- many children ----------------------------------------------------------------------------

template <class Id>
std::vector<int64_t> child_starts(const Store<Id>& store, const StoreNode& node,
                                  int64_t n_children) {
    std::vector<int64_t> starts(static_cast<size_t>(n_children) + 1, 0);
    for (int64_t i = node.begin; i < node.end; ++i) ++starts[store.child[store.rows[i]] + 1];
    starts[0] = node.begin;
    for (size_t c = 1; c < starts.size(); ++c) starts[c] += starts[c - 1];
    return starts;
}

namespace {

// An entry of a child is new if any entry since the child's previous one was new: `seen` counts the
// new entries so far, and each child remembers the count at its last entry.
template <class Id>
void move_entries(const Store<Id>& store, const StoreNode& node, const std::vector<int64_t>& starts,
                  Id* list, Array<Id>& spare) {
    struct Place {
        int64_t at, seen;
    };
    std::vector<Place> places;
    for (size_t c = 0; c + 1 < starts.size(); ++c) places.push_back({starts[c] - node.begin, 0});
    int64_t seen = 0;
    for (int64_t i = 0; i < node.rows(); ++i) {
        const Id id = list[i] & Store<Id>::kIdMask;
        seen += (list[i] & Store<Id>::kNew) != 0 ? 1 : 0;
        Place& place = places[store.child[id]];
        spare[place.at++] = place.seen != seen ? Id(id | Store<Id>::kNew) : id;
        place.seen = seen;
    }
    std::copy_n(spare.data(), node.rows(), list);
}

}  // namespace

template <class Id>
void partition_rows(Store<Id>& store, const StoreNode& node, const std::vector<int64_t>& starts,
                    Array<Id>& spare) {
    move_entries(store, node, starts, store.rows.data() + node.begin, spare);
}

template <class Id>
void partition_lists(const SearchContext& context, Store<Id>& store, const StoreNode& node,
                     const std::vector<int64_t>& starts, Team& team,
                     std::vector<Array<Id>>& spare) {
    for_lists(context, store, node, team, [&](Id* list, int worker) {
        move_entries(store, node, starts, list, spare[worker]);
    });
}

void share_out_entries(std::vector<StoreNode>& subtrees, Store<uint32_t>& store) {
    if (!store.sparse.stay() || subtrees.empty()) return;
    Array<uint32_t> subtree_of(store.n_rows);
    std::fill_n(subtree_of.data(), store.n_rows, kNoRow);
    for (size_t s = 0; s < subtrees.size(); ++s)
        for (int64_t i = subtrees[s].begin; i < subtrees[s].end; ++i)
            subtree_of[store.rows[i]] = static_cast<uint32_t>(s);
    std::vector<int64_t> starts(subtrees.size() + 1);
    Array<SparseEntry> spare;
    Array<SparseEntry>& entries = store.sparse.entries;
    partition_entries(
        std::span(entries.data(), static_cast<size_t>(entries.size())),
        [&](uint32_t id) { return subtree_of[id]; }, starts, spare);
    for (size_t s = 0; s < subtrees.size(); ++s) {
        subtrees[s].entry_begin = starts[s];
        subtrees[s].entry_end = starts[s + 1];
    }
}

#define SILVA_INSTANTIATE(Id)                                                                  \
    template NodeStats stats_of(const Store<Id>&, int64_t, int64_t, int64_t);                  \
    template void number_own_classes(Store<Id>&, StoreNode&);                                  \
    template std::pair<NodeStats, NodeStats> child_stats(const Store<Id>&, const StoreNode&);  \
    template void partition(const SearchContext&, Store<Id>&, const StoreNode&, int64_t, Keep, \
                            Team&, std::vector<Array<Id>>&);                                   \
    template std::vector<int64_t> child_starts(const Store<Id>&, const StoreNode&, int64_t);   \
    template void partition_rows(Store<Id>&, const StoreNode&, const std::vector<int64_t>&,    \
                                 Array<Id>&);                                                  \
    template void partition_lists(const SearchContext&, Store<Id>&, const StoreNode&,          \
                                  const std::vector<int64_t>&, Team&, std::vector<Array<Id>>&);
SILVA_INSTANTIATE(uint16_t)
SILVA_INSTANTIATE(uint32_t)
#undef SILVA_INSTANTIATE

}  // namespace silva
