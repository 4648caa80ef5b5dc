#include "core/engine_walk.hpp"

#include <algorithm>

namespace silva {
namespace {

constexpr int kLanes = 8;  // walks in flight: the steps of one hide the latency of the others

struct Lane {
    int64_t row;  // of the keys
    int32_t at, leaf, number;
};

// The format of nodes as numbers of its own, which no write to leaves can change.
struct Bits {
    uint32_t column_mask, missing_first, missing_asks, rounded, over;
    int shift;

    explicit Bits(const NodeFormat& format)
        : column_mask(format.column_mask()),
          missing_first(format.missing_first()),
          missing_asks(format.missing_asks()),
          rounded(format.rounded()),
          over(format.first_is_leaf()),
          shift(format.shift()) {}
};

// The place of the first set is the lowest of all keys: nothing is below it.
inline bool is_just_below(Key key, Key limit) {
    return static_cast<uint32_t>(key) + 1 == static_cast<uint32_t>(limit);
}

// The state of a set for this key of a code.
inline SetState state_of(const Walk& walk, uint32_t place, Key key) {
    const auto code = static_cast<uint32_t>(std::bit_cast<float>(key));
    return set_state(walk.sets + (place - static_cast<uint32_t>(kMissingKey)), code);
}

// One step. True when the walk is over: at a leaf, or with kAskRule for one.
template <bool missing, bool rounded, bool sets>
inline bool step(const Walk& walk, const Bits& bits, Lane& lane) {
    const uint64_t node = walk.nodes[lane.at];
    const auto word = static_cast<uint32_t>(node >> 32);
    const auto limit = static_cast<Key>(static_cast<uint32_t>(node));
    const Key key = walk.keys[lane.row + (word & bits.column_mask)];
    bool second = key >= limit;
    bool asks = false;
    if constexpr (rounded) asks = is_just_below(key, limit) && (word & bits.rounded) != 0;
    if constexpr (missing)
        if (key <= kUnseenKey) {
            asks = (word & bits.missing_asks) != 0;
            second = (word & bits.missing_first) == 0;
        }
    if constexpr (sets)
        if (limit < kLowestKey && key > kUnseenKey) {
            const SetState state = state_of(walk, static_cast<uint32_t>(limit), key);
            asks = state == SetState::asks;
            second = state == SetState::second;
        }
    const auto skip = static_cast<int32_t>(word >> bits.shift) & -static_cast<int32_t>(second);
    bool over = ((word << static_cast<int>(second)) & bits.over) != 0;
    lane.leaf += skip;
    lane.at += std::max(skip, 1);
    if constexpr (missing || rounded || sets) {
        lane.leaf |= -static_cast<int32_t>(asks);
        over |= asks;
    }
    return over;
}

// `start(number)` is walk `number` before its first step.
template <bool missing, bool rounded, bool sets, class Start>
void run(const Walk& given, int64_t n, int32_t* leaves, const Start& start) {
    const Walk walk = given;
    const Bits bits(walk.format);
    Lane lanes[kLanes];
    int64_t next = 0;
    int busy = 0;
    for (; busy < kLanes && next < n; ++busy, ++next) lanes[busy] = start(next);
    const auto go = [&](Lane& lane) {
        if (!step<missing, rounded, sets>(walk, bits, lane)) return;
        leaves[lane.number] = lane.leaf;
        lane = start(next++);
    };
    while (next + kLanes <= n)
        for (Lane& lane : lanes) go(lane);
    while (busy > 0)
        for (int k = 0; k < busy; ++k) {
            if (!step<missing, rounded, sets>(walk, bits, lanes[k])) continue;
            leaves[lanes[k].number] = lanes[k].leaf;
            if (next < n)
                lanes[k] = start(next++);
            else
                lanes[k] = lanes[--busy];
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
    run_as_needed(walk, n, leaves, [&](int64_t number) {
        return Lane{number * walk.width, first_node, 0, static_cast<int32_t>(number)};
    });
}

void walk_trees_plainly(const Walk& walk, const int32_t* first_nodes, int64_t n, int64_t row,
                        int32_t* leaves) {
    run_as_needed(walk, n, leaves, [&](int64_t number) {
        return Lane{row * walk.width, first_nodes[number], 0, static_cast<int32_t>(number)};
    });
}

}  // namespace silva
