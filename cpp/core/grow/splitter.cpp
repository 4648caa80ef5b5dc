#include "core/grow/splitter.hpp"

#include <algorithm>
#include <array>
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

// By side: the rows that go right, and those that go left.
using SideStats = std::array<NodeStats, 2>;

}  // namespace

template <class Id>
NodeStats stats_of(const Store<Id>& store, int64_t begin, int64_t end, int64_t n_classes) {
    NodeStats stats;
    stats.classes.assign(n_classes, 0);
    for (int64_t i = begin; i < end; ++i) add_row(store, store.rows[i], stats);
    return stats;
}

template <class Id>
NodeStats stats_of(const Store<Id>& store, int64_t begin, int64_t end, int64_t n_classes,
                   Team& team) {
    NodeStats none;
    none.classes.assign(static_cast<size_t>(n_classes), 0);
    return sum_of_parts(
        team, end - begin, none,
        [&](int64_t from, int64_t to, NodeStats& sum) {
            for (int64_t i = begin + from; i < begin + to; ++i) add_row(store, store.rows[i], sum);
        },
        [](NodeStats& sum, const NodeStats& other) { sum.add(other); });
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

// The statistics of the left ones of some rows, without a branch on the side of a row.
template <class Id>
void count_left(const Store<Id>& store, int64_t begin, int64_t end, NodeStats& left) {
    const bool weighted = !store.weight.empty();
    int64_t rows = 0, weight = 0;
    for (int64_t i = begin; i < end; ++i) {
        const Id id = store.rows[i];
        const int64_t here = store.side[id];
        const int64_t w = weighted ? here * store.weight[id] : here;
        rows += here;
        weight += w;
        left.classes[store.label[id]] += w;
    }
    left.rows += rows;
    left.weight += weight;
}

}  // namespace

template <class Id>
std::pair<NodeStats, NodeStats> child_stats(const Store<Id>& store, const StoreNode& node,
                                            Team& team) {
    const bool of_classes = store.n_classes > 0;
    SideStats none;
    if (of_classes) none[1].classes.assign(node.stats.classes.size(), 0);
    auto [right, left] = sum_of_parts(
        team, node.rows(), none,
        [&](int64_t from, int64_t to, SideStats& sums) {
            from += node.begin, to += node.begin;
            if (of_classes) return count_left(store, from, to, sums[1]);
            for (int64_t i = from; i < to; ++i)  // no branch on the side of a row
                add_row(store, store.rows[i], sums[store.side[store.rows[i]]]);
        },
        [](SideStats& sums, const SideStats& others) {
            for (size_t side = 0; side < sums.size(); ++side) sums[side].add(others[side]);
        });
    if (!of_classes) return {left, right};
    right.rows = node.rows() - left.rows;
    right.weight = node.stats.weight - left.weight;
    right.classes = node.stats.classes;
    for (size_t k = 0; k < right.classes.size(); ++k) right.classes[k] -= left.classes[k];
    return {left, right};
}

namespace {

// Puts the entries of rows with side 1 before the others. Sides are read as bytes of few ids and as
// bits of many.
void partition_list(const Store<uint16_t>& store, uint16_t* list, int64_t n, const BitRow&,
                    uint16_t* spare) {
    simd::kernels().partition.short_list(list, n, store.side.data(), spare);
}
void partition_list(const Store<uint32_t>&, uint32_t* list, int64_t n, const BitRow& goes_left,
                    uint32_t* spare) {
    simd::kernels().partition.long_list(list, n, goes_left.data(), spare);
}

// The first row of [at, end) whose bit is not in the same word as that of the row before it.
int64_t next_word(const Array<uint32_t>& rows, int64_t begin, int64_t at, int64_t end) {
    if (at == begin) return at;
    while (at < end && rows[at] / 32 == rows[at - 1] / 32) ++at;
    return at;
}

void fill_goes_left(const Store<uint16_t>&, const StoreNode&, Team&, BitRow&) {}
void fill_goes_left(const Store<uint32_t>& store, const StoreNode& node, Team& team, BitRow& bits) {
    if (bits.empty()) {
        bits.resize(bit_row_words(store.n_rows));
        std::fill_n(bits.data(), bits.size(), 0);
    }
    for_parts(team, node.rows(), [&](int64_t from, int64_t to, int) {
        const int64_t end = next_word(store.rows, node.begin, node.begin + to, node.end);
        for (int64_t i = next_word(store.rows, node.begin, node.begin + from, end); i < end; ++i)
            put_bit(bits.data(), store.rows[i], store.side[store.rows[i]] != 0);
    });
}

constexpr int64_t kSpareEntries = 64;  // kernels write whole registers

// Calls move(list, worker) with the sorted lists of the node's live columns and, first, with `rows`
// if asked for.
struct Lists {
    bool rows, columns;
};
template <class Id, class F>
void for_lists(const SearchContext& context, Store<Id>& store, const StoreNode& node, Lists which,
               Team& team, F&& move) {
    const std::vector<int32_t>& columns = *node.alive;
    const int64_t n_rows = which.rows ? 1 : 0;
    const int64_t n = n_rows + (which.columns && store.has_lists ? std::ssize(columns) : 0);
    const auto move_one = [&](int64_t i, int worker) {
        context.stop.check();
        if (i < n_rows)
            move(store.rows.data() + node.begin, worker);
        else if (const int32_t c = columns[i - n_rows]; context.forms[c].form == Form::sorted)
            move(store.lists[c].data() + node.begin, worker);
    };
    if (team.size() == 1)
        for (int64_t i = 0; i < n; ++i) move_one(i, 0);
    else
        team.for_each(n, move_one);
}

}  // namespace

template <class Id>
void partition(const SearchContext& context, Store<Id>& store, const StoreNode& node, bool columns,
               Team& team, MoveSpaces<Id>& spaces) {
    BitRow& goes_left = spaces[static_cast<size_t>(team.here())].goes_left;
    fill_goes_left(store, node, team, goes_left);
    for_lists(context, store, node, {true, columns}, team, [&](Id* list, int worker) {
        Array<Id>& others = spaces[static_cast<size_t>(worker)].others;
        others.resize(node.rows() + kSpareEntries);
        partition_list(store, list, node.rows(), goes_left, others.data());
    });
}

namespace {

constexpr int64_t kSharedEntries = 1 << 16;  // fewer are not worth waking threads for

// Cuts entries between columns, into about `n` parts; where they begin, and the end.
std::vector<int64_t> cut_entries(std::span<const SparseEntry> list, int64_t n) {
    std::vector<int64_t> cuts = {0};
    while (cuts.back() < std::ssize(list)) {
        const int64_t wanted = std::min(cuts.back() + std::ssize(list) / n + 1, std::ssize(list));
        const auto column = list[static_cast<size_t>(wanted - 1)].column();
        const auto end = std::partition_point(
            list.begin() + wanted, list.end(),
            [&](const SparseEntry& entry) { return entry.column() == column; });
        cuts.push_back(end - list.begin());
    }
    return cuts;
}

}  // namespace

template <class Id>
int64_t move_entries(Store<Id>& store, const StoreNode& node, Team& team, MoveSpaces<Id>& spaces) {
    const std::span<SparseEntry> list(store.sparse.entries.data() + node.entry_begin,
                                      store.sparse.entries.data() + node.entry_end);
    Array<SparseEntry>& whole = spaces[static_cast<size_t>(team.here())].entries;
    const uint8_t* side = store.side.data();
    if (team.size() == 1 || std::ssize(list) < kSharedEntries)
        return partition_entries(list, side, whole);
    constexpr int64_t parts_a_worker = 4;
    const std::vector<int64_t> cuts = cut_entries(list, parts_a_worker * team.size());
    const int64_t n = std::ssize(cuts) - 1;
    const auto part = [&](int64_t i) {
        return list.subspan(static_cast<size_t>(cuts[i]),
                            static_cast<size_t>(cuts[i + 1] - cuts[i]));
    };
    std::vector<int64_t> left(static_cast<size_t>(n) + 1, 0);  // entries before each part
    team.for_each(n, [&](int64_t i, int worker) {
        left[i + 1] = partition_entries(part(i), side, spaces[static_cast<size_t>(worker)].entries);
    });
    for (int64_t i = 0; i < n; ++i) left[i + 1] += left[i];
    whole.resize(std::ssize(list));
    team.for_each(n, [&](int64_t i, int) {
        const SparseEntry *from = part(i).data(), *middle = from + left[i + 1] - left[i];
        std::copy(from, middle, whole.data() + left[i]);
        const SparseEntry* to = list.data() + cuts[i + 1];
        std::copy(middle, to, whole.data() + left[n] + cuts[i] - left[i]);
    });
    team.for_each(n, [&](int64_t i, int) {
        std::copy(whole.data() + cuts[i], whole.data() + cuts[i + 1], part(i).data());
    });
    return left[n];
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
void move_list(const Store<Id>& store, const StoreNode& node, const std::vector<int64_t>& starts,
               Id* list, Array<Id>& spare) {
    struct Place {
        int64_t at, seen;
    };
    std::vector<Place> places;
    for (size_t c = 0; c + 1 < starts.size(); ++c) places.push_back({starts[c] - node.begin, 0});
    spare.resize(node.rows());
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
                    MoveSpace<Id>& space) {
    move_list(store, node, starts, store.rows.data() + node.begin, space.others);
    if (!store.sparse.stay()) return;
    for (int64_t i = node.begin; i < node.end; ++i)
        store.sparse.in_place.set_place(store.rows[i], i);
}

template <class Id>
void partition_lists(const SearchContext& context, Store<Id>& store, const StoreNode& node,
                     const std::vector<int64_t>& starts, Team& team, MoveSpaces<Id>& spaces) {
    for_lists(context, store, node, {false, true}, team, [&](Id* list, int worker) {
        move_list(store, node, starts, list, spaces[static_cast<size_t>(worker)].others);
    });
}

#define SILVA_INSTANTIATE(Id)                                                                \
    template NodeStats stats_of(const Store<Id>&, int64_t, int64_t, int64_t);                \
    template NodeStats stats_of(const Store<Id>&, int64_t, int64_t, int64_t, Team&);         \
    template void number_own_classes(Store<Id>&, StoreNode&);                                \
    template std::pair<NodeStats, NodeStats> child_stats(const Store<Id>&, const StoreNode&, \
                                                         Team&);                             \
    template void partition(const SearchContext&, Store<Id>&, const StoreNode&, bool, Team&, \
                            MoveSpaces<Id>&);                                                \
    template int64_t move_entries(Store<Id>&, const StoreNode&, Team&, MoveSpaces<Id>&);     \
    template std::vector<int64_t> child_starts(const Store<Id>&, const StoreNode&, int64_t); \
    template void partition_rows(Store<Id>&, const StoreNode&, const std::vector<int64_t>&,  \
                                 MoveSpace<Id>&);                                            \
    template void partition_lists(const SearchContext&, Store<Id>&, const StoreNode&,        \
                                  const std::vector<int64_t>&, Team&, MoveSpaces<Id>&);
SILVA_INSTANTIATE(uint16_t)
SILVA_INSTANTIATE(uint32_t)
#undef SILVA_INSTANTIATE

}  // namespace silva
