#include "core/grow/sparse_split.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/grow/splitter.hpp"

namespace silva {
namespace {

template <class Id>
double threshold_of(const SearchContext& context, const Store<Id>& store, const Candidate& best,
                    const SparseSplit& split, bool at_zero) {
    if (!std::isnan(best.threshold)) return best.threshold;
    if (best.position == 0) return -std::numeric_limits<double>::infinity();
    const auto value = [&](int64_t i) {
        const int64_t id = store.origin_of(split.entries[static_cast<size_t>(i)].id());
        return context.table.columns[best.column].value(context.target.row_of(id));
    };
    return threshold_between(at_zero && split.zeros_left ? 0.0 : value(split.n_left - 1),
                             at_zero && !split.zeros_left ? 0.0 : value(split.n_left));
}

// The range of the values left in [begin, end) of a node; those taken out are within `taken`.
void find_range(const Store<uint32_t>& store, int64_t begin, int64_t end, const NodeStats& all,
                const NodeStats& taken, NodeStats& out) {
    if (taken.lowest > all.lowest && taken.highest < all.highest) {
        out.lowest = all.lowest;
        out.highest = all.highest;
        return;
    }
    for (int64_t i = begin; i < end; ++i) {
        const int64_t q = store.q[store.rows[i]];
        out.lowest = std::min(out.lowest, q);
        out.highest = std::max(out.highest, q);
        if (out.lowest == all.lowest && out.highest == all.highest) return;
    }
}

}  // namespace

template <class Id>
SparseSplit sparse_split(const SearchContext& context, const Store<Id>& store,
                         const StoreNode& node, Entries entries, uint8_t missing_side) {
    const auto count_up_to = [&](EntryClass last) {
        const auto within = [&](const SparseEntry& entry) { return entry.of_value() <= last; };
        return std::ranges::partition_point(entries, within) - entries.begin();
    };
    const int64_t n_negative = count_up_to(EntryClass::negative);
    const int64_t zeros = node.rows() - std::ssize(entries);
    SparseSplit split;
    split.entries = entries;
    split.n_known = count_up_to(EntryClass::positive);
    split.zeros_left = zeros > 0 && node.best.position > n_negative;
    split.n_left = node.best.position - (split.zeros_left ? zeros : 0);
    split.missing_side = missing_side;
    const bool at_zero = zeros > 0 && split.n_left == n_negative;
    split.threshold = threshold_of(context, store, node.best, split, at_zero);
    return split;
}

int64_t separate_rows(Store<uint32_t>& store, const StoreNode& node, const SparseSplit& split) {
    EntriesInPlace& in_place = store.sparse.in_place;
    uint32_t* rows = store.rows.data();
    int64_t at = split.zeros_left ? node.end - 1 : node.begin;  // of the next row to move
    const int64_t step = split.zeros_left ? -1 : 1;
    const uint8_t zeros_side = split.zeros_left ? 1 : 0;
    for (size_t i = 0; i < split.entries.size(); ++i) {
        if (split.side_of(i) == zeros_side) continue;
        const uint32_t id = split.entries[i].id(), other = rows[at];
        const uint32_t from = in_place.place_of(in_place.row(id));
        rows[from] = other;
        rows[at] = id;
        in_place.set_place(other, from);
        in_place.set_place(id, at);
        at += step;
    }
    return split.zeros_left ? at + 1 - node.begin : at - node.begin;
}

std::pair<NodeStats, NodeStats> separated_stats(const Store<uint32_t>& store, const StoreNode& node,
                                                int64_t middle, bool zeros_left) {
    const int64_t begin = zeros_left ? middle : node.begin;  // of the rows that moved
    const int64_t end = zeros_left ? node.end : middle;
    const auto n_classes = static_cast<int64_t>(node.stats.classes.size());
    NodeStats moved = stats_of(store, begin, end, n_classes);
    NodeStats rest;
    rest.rows = node.stats.rows - moved.rows;
    rest.weight = node.stats.weight - moved.weight;
    rest.sum = node.stats.sum - moved.sum;
    rest.classes = node.stats.classes;
    for (size_t k = 0; k < rest.classes.size(); ++k) rest.classes[k] -= moved.classes[k];
    if (n_classes == 0)
        find_range(store, zeros_left ? node.begin : middle, zeros_left ? middle : node.end,
                   node.stats, moved, rest);
    if (zeros_left) std::swap(moved, rest);
    return {std::move(moved), std::move(rest)};
}

template SparseSplit sparse_split(const SearchContext&, const Store<uint16_t>&, const StoreNode&,
                                  Entries, uint8_t);
template SparseSplit sparse_split(const SearchContext&, const Store<uint32_t>&, const StoreNode&,
                                  Entries, uint8_t);

}  // namespace silva
