#include "core/engine_walk.hpp"

#include <algorithm>

namespace silva {
namespace {

constexpr int kLanes = 8;  // walks in flight: the steps of one hide the latency of the others

struct Lane {
    const Key* row;
    int32_t at, leaf, number;
};

// The state of a set for this key of a code.
inline SetState state_of(const Walk& walk, uint32_t place, Key key) {
    const auto code = static_cast<uint32_t>(std::bit_cast<float>(key));
    return set_state(walk.sets + (place - static_cast<uint32_t>(kMissingKey)), code);
}

// One step. True when the walk is over: at a leaf, or with kAskRule for one.
template <bool missing, bool rounded, bool sets>
inline bool step(const Walk& walk, Lane& lane) {
    const NodeFormat& format = walk.format;
    const uint64_t node = walk.nodes[lane.at];
    const auto word = static_cast<uint32_t>(node >> 32);
    const auto limit = static_cast<Key>(static_cast<uint32_t>(node));
    const Key key = lane.row[word & format.column_mask()];
    bool second = key >= limit;
    bool asks = false;
    if constexpr (rounded) asks = key == limit - 1 && (word & format.rounded()) != 0;
    if constexpr (missing)
        if (key <= kUnseenKey) {
            asks = (word & format.missing_asks()) != 0;
            second = (word & format.missing_first()) == 0;
        }
    if constexpr (sets)
        if (limit < kLowestKey && key > kUnseenKey) {
            const SetState state = state_of(walk, static_cast<uint32_t>(limit), key);
            asks = state == SetState::asks;
            second = state == SetState::second;
        }
    const auto skip = static_cast<int32_t>(word >> format.shift()) & -static_cast<int32_t>(second);
    lane.leaf += skip;
    lane.at += std::max(skip, 1);
    if constexpr (missing || rounded || sets) {
        if (asks) {
            lane.leaf = kAskRule;
            return true;
        }
    }
    return ((word << static_cast<int>(second)) & format.first_is_leaf()) != 0;
}

// `start(lane, number)` sends walk `number` on its way.
template <bool missing, bool rounded, bool sets, class Start>
void run(const Walk& walk, int64_t n, int32_t* leaves, const Start& start) {
    Lane lanes[kLanes];
    int64_t next = 0;
    int busy = 0;
    for (; busy < kLanes && next < n; ++busy, ++next) start(lanes[busy], next);
    while (busy > 0)
        for (int k = 0; k < busy; ++k) {
            Lane& lane = lanes[k];
            if (!step<missing, rounded, sets>(walk, lane)) continue;
            leaves[lane.number] = lane.leaf;
            if (next < n)
                start(lane, next++);
            else
                lane = lanes[--busy];
        }
}

template <class Start>
void run_as_needed(const Walk& walk, int64_t n, int32_t* leaves, const Start& start) {
    if (walk.has_sets)
        run<true, true, true>(walk, n, leaves, start);
    else if (walk.missing)
        run<true, true, false>(walk, n, leaves, start);
    else if (walk.rounded)
        run<false, true, false>(walk, n, leaves, start);
    else
        run<false, false, false>(walk, n, leaves, start);
}

}  // namespace

void walk_rows_plainly(const Walk& walk, int32_t first_node, int64_t n, int32_t* leaves) {
    run_as_needed(walk, n, leaves, [&](Lane& lane, int64_t number) {
        lane = {walk.keys + number * walk.width, first_node, 0, static_cast<int32_t>(number)};
    });
}

void walk_trees_plainly(const Walk& walk, const int32_t* first_nodes, int64_t n, int64_t row,
                        int32_t* leaves) {
    run_as_needed(walk, n, leaves, [&](Lane& lane, int64_t number) {
        lane = {walk.keys + row * walk.width, first_nodes[number], 0, static_cast<int32_t>(number)};
    });
}

}  // namespace silva
