#include "core/grow/partition_many.hpp"

#include <cstring>

namespace silva {
namespace {

// An entry of a child is new if any entry since the child's previous one was new: `seen` counts the
// new entries so far, and each child remembers the count at its last entry.
template <class Id>
void move_list(const Store<Id>& store, const OpenNode& node, const std::vector<int64_t>& starts,
               Id* list, Array<Id>& spare) {
    struct Place {
        int64_t at;
        int64_t seen;
    };
    std::vector<Place> places;
    for (size_t c = 0; c + 1 < starts.size(); ++c) places.push_back({starts[c] - node.begin, -1});
    int64_t seen = 0;
    for (int64_t i = node.begin; i < node.end; ++i) {
        const Id id = list[i] & Store<Id>::kIdMask;
        seen += (list[i] & Store<Id>::kNew) != 0 ? 1 : 0;
        Place& place = places[store.child[id]];
        spare[place.at++] = place.seen != seen ? Id(id | Store<Id>::kNew) : id;
        place.seen = seen;
    }
    std::memcpy(list + node.begin, spare.data(), sizeof(Id) * static_cast<size_t>(node.rows()));
}

}  // namespace

template <class Id>
std::vector<int64_t> child_starts(const Store<Id>& store, const OpenNode& node,
                                  int64_t n_children) {
    std::vector<int64_t> starts(static_cast<size_t>(n_children) + 1, 0);
    for (int64_t i = node.begin; i < node.end; ++i) ++starts[store.child[store.rows[i]] + 1];
    starts[0] = node.begin;
    for (size_t c = 1; c < starts.size(); ++c) starts[c] += starts[c - 1];
    return starts;
}

template <class Id>
void partition_rows(Store<Id>& store, const OpenNode& node, const std::vector<int64_t>& starts,
                    Array<Id>& spare) {
    std::vector<int64_t> at(starts);
    for (int64_t i = node.begin; i < node.end; ++i) {
        const Id id = store.rows[i];
        spare[at[store.child[id]]++ - node.begin] = id;
    }
    std::memcpy(store.rows.data() + node.begin, spare.data(),
                sizeof(Id) * static_cast<size_t>(node.rows()));
}

template <class Id>
void partition_lists(const SearchContext& context, Store<Id>& store, const OpenNode& node,
                     const std::vector<int64_t>& starts, Team& team,
                     std::vector<Array<Id>>& spare) {
    if (node.rows() <= kTinyRows) {
        for (int64_t i = node.begin; i < node.end; ++i)
            store.place[store.rows[i]] = static_cast<uint32_t>(i);
        return;
    }
    const std::vector<int32_t>& columns = *node.alive;
    team.for_each(static_cast<int64_t>(columns.size()), [&](int64_t i, int worker) {
        context.stop.check();
        if (context.forms[columns[i]].form == Form::sorted)
            move_list(store, node, starts, store.lists[columns[i]].data(), spare[worker]);
    });
}

#define SILVA_INSTANTIATE(Id)                                                               \
    template std::vector<int64_t> child_starts(const Store<Id>&, const OpenNode&, int64_t); \
    template void partition_rows(Store<Id>&, const OpenNode&, const std::vector<int64_t>&,  \
                                 Array<Id>&);                                               \
    template void partition_lists(const SearchContext&, Store<Id>&, const OpenNode&,        \
                                  const std::vector<int64_t>&, Team&, std::vector<Array<Id>>&);
SILVA_INSTANTIATE(uint16_t)
SILVA_INSTANTIATE(uint32_t)
#undef SILVA_INSTANTIATE

}  // namespace silva
