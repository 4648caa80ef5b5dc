#include "core/grow/splitter.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>

#include "core/columns/partition_list.hpp"

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
    if (!store.label8.empty()) {
        stats.classes[store.label8[id]] += w;
    } else if (!store.label32.empty()) {
        stats.classes[store.label32[id]] += w;
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
void number_own_classes(Store<Id>& store, OpenNode& node) {
    const std::span<const Id> rows(store.rows.data() + node.begin, node.rows());
    std::vector<uint32_t> own;
    for (const Id id : rows) own.push_back(store.label32[id]);
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    std::vector<int32_t> class_of;
    for (const uint32_t k : own) {
        const std::vector<int32_t>& before = node.class_of ? *node.class_of : store.class_of;
        class_of.push_back(before.empty() ? static_cast<int32_t>(k) : before[k]);
    }
    node.class_of = std::make_shared<const std::vector<int32_t>>(std::move(class_of));
    node.stats = {};
    node.stats.classes.assign(own.size(), 0);
    for (const Id id : rows) {
        uint32_t& label = store.label32[id];
        label =
            static_cast<uint32_t>(std::lower_bound(own.begin(), own.end(), label) - own.begin());
        add_row(store, id, node.stats);
    }
}

namespace {

// The left child's statistics, without a branch on the side of a row.
template <class Id>
void count_left(const Store<Id>& store, const OpenNode& node, NodeStats& left) {
    const bool weighted = !store.weight.empty();
    for (int64_t i = node.begin; i < node.end; ++i) {
        const Id id = store.rows[i];
        const int64_t here = store.side[id];
        const int64_t w = weighted ? here * store.weight[id] : here;
        left.rows += here;
        left.weight += w;
        left.classes[store.label8.empty() ? store.label32[id] : store.label8[id]] += w;
    }
}

// Unit weights and sums of at most 64 bits.
template <class Id>
void sum_sides(const Store<Id>& store, const OpenNode& node, NodeStats& left, NodeStats& right) {
    constexpr int64_t most = std::numeric_limits<int64_t>::max(), least = -most;
    int64_t rows = 0, sum = 0, low_left = most, high_left = least, low_right = most,
            high_right = least;
    for (int64_t i = node.begin; i < node.end; ++i) {
        const Id id = store.rows[i];
        const int64_t here = store.side[id], q = store.q[id];
        rows += here;
        sum += q & -here;
        low_left = std::min(low_left, here != 0 ? q : most);
        high_left = std::max(high_left, here != 0 ? q : least);
        low_right = std::min(low_right, here != 0 ? most : q);
        high_right = std::max(high_right, here != 0 ? least : q);
    }
    left.rows = left.weight = rows;
    left.sum = sum;
    left.lowest = low_left;
    left.highest = high_left;
    right.rows = right.weight = node.rows() - rows;
    right.sum = node.stats.sum - sum;
    right.lowest = low_right;
    right.highest = high_right;
}

constexpr int64_t kShortSumRows = int64_t{1} << 22;  // sums of so many q fit into 64 bits

}  // namespace

template <class Id>
std::pair<NodeStats, NodeStats> child_stats(const Store<Id>& store, const OpenNode& node) {
    NodeStats left, right;
    if (store.n_classes == 0) {
        if (store.weight.empty() && node.rows() < kShortSumRows) {
            sum_sides(store, node, left, right);
            return {left, right};
        }
        for (int64_t i = node.begin; i < node.end; ++i)
            add_row(store, store.rows[i], store.side[store.rows[i]] != 0 ? left : right);
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

// The sides of a node's rows as partition_list wants them.
const uint8_t* sides_of(Store<uint16_t>& store, const OpenNode&) { return store.side.data(); }
const uint32_t* sides_of(Store<uint32_t>& store, const OpenNode& node) {
    for (int64_t i = node.begin; i < node.end; ++i)
        put_bit(store.side_bits.data(), store.rows[i], store.side[store.rows[i]] != 0);
    return store.side_bits.data();
}

}  // namespace

template <class Id>
void partition(const SearchContext& context, Store<Id>& store, const OpenNode& node,
               int64_t left_rows, Keep keep, Team& team, std::vector<Array<Id>>& spare) {
    const auto* sides = sides_of(store, node);
    const auto move = [&](Id* list, bool keep_right, int worker) {
        context.stop.check();
        Id* others = spare[worker].data();
        partition_list(list + node.begin, node.rows(), sides, others);
        if (keep_right)
            std::memcpy(list + node.begin + left_rows, others,
                        sizeof(Id) * (node.rows() - left_rows));
    };
    move(store.rows.data(), true, 0);
    if (!keep.left && !keep.right) return;
    if (node.rows() <= kTinyRows) {
        for (int64_t i = node.begin; i < node.end; ++i)
            store.place[store.rows[i]] = static_cast<uint32_t>(i);
        return;
    }
    const std::vector<int32_t>& columns = *node.alive;
    const auto move_column = [&](int64_t i, int worker) {
        if (context.forms[columns[i]].form == Form::sorted)
            move(store.lists[columns[i]].data(), keep.right, worker);
    };
    const auto n_columns = static_cast<int64_t>(columns.size());
    if (team.size() == 1)
        for (int64_t i = 0; i < n_columns; ++i) move_column(i, 0);
    else
        team.for_each(n_columns, move_column);
}

#define SILVA_INSTANTIATE(Id)                                                                 \
    template NodeStats stats_of(const Store<Id>&, int64_t, int64_t, int64_t);                 \
    template void number_own_classes(Store<Id>&, OpenNode&);                                  \
    template std::pair<NodeStats, NodeStats> child_stats(const Store<Id>&, const OpenNode&);  \
    template void partition(const SearchContext&, Store<Id>&, const OpenNode&, int64_t, Keep, \
                            Team&, std::vector<Array<Id>>&);
SILVA_INSTANTIATE(uint16_t)
SILVA_INSTANTIATE(uint32_t)
#undef SILVA_INSTANTIATE

}  // namespace silva
