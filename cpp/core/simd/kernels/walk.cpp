#include "core/simd/walk.hpp"

#include "core/simd/vec.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

// Walks in flight: the steps of one hide the latency of the others. Gathers do the same with more
// instructions, except on Intel's AVX-512 (see walk_gathered.cpp).
constexpr int kFlight = 12;

SILVA_INLINE uint32_t limit_of(uint64_t node) { return 0u - static_cast<uint32_t>(node); }

// The state of the set of a node for the key of a code.
SILVA_INLINE SetState state_of(const Walk& walk, uint64_t node, uint32_t key) {
    const uint32_t bits = key ^ 0x80000000u;
    float code;
    __builtin_memcpy(&code, &bits, sizeof(code));
    return set_state(walk.sets + limit_of(node), static_cast<uint32_t>(code));
}

// What a step has to think of beside numbers: keys that were rounded, missing values, ways of these
// that ask the rule, and sets.
struct Plain {
    static constexpr bool rounded = false, missing = false, ways = false, sets = false;
};
struct Rounded : Plain {
    static constexpr bool rounded = true;
};
struct Missing : Rounded {
    static constexpr bool missing = true;
};
struct Ways : Missing {
    static constexpr bool ways = true;
};
struct Sets : Ways {
    static constexpr bool sets = true;
};

// One step, without a branch on the comparison: the sum of a key and of a negated limit carries
// into the number of the first child.
template <class Mode>
SILVA_INLINE uint64_t step(const Walk& walk, const uint64_t* nodes, const uint32_t* row,
                           uint64_t at) {
    const uint64_t node = nodes[at];
    const uint32_t key = row[node >> walk.column_shift];
    const uint64_t sum = node + key;
    uint64_t next = (sum >> 32) & walk.child_mask;
    if constexpr (Mode::rounded)
        next = static_cast<uint32_t>(sum) == 0xFFFFFFFFu ? kAskPlace : next;
    if constexpr (Mode::sets)
        if (limit_of(node) < kLowestKey && key > kUnseenKey) {
            const SetState state = state_of(walk, node, key);
            next = ((node >> 32) & walk.child_mask) + (state == SetState::second);
            next = state == SetState::asks ? kAskPlace : next;
        }
    if constexpr (Mode::missing) {
        const uint64_t absent = key <= kUnseenKey;
        next += (node >> walk.missing_second) & absent;
        if constexpr (Mode::ways)
            next = ((node >> walk.missing_asks) & absent) != 0 ? kAskPlace : next;
    }
    return next;
}

// One tree for rows that follow each other. A walk comes from its row.
struct RowWalks {
    using From = const uint32_t*;
    const uint64_t* nodes;
    const uint32_t* keys;
    int64_t width;

    SILVA_INLINE From start(int64_t number) const { return keys + number * width; }
    SILVA_INLINE const uint64_t* nodes_of(From) const { return nodes; }
    SILVA_INLINE const uint32_t* row_of(From from) const { return from; }
};

// Trees that follow each other for one row. A walk comes from its tree.
struct TreeWalks {
    using From = const uint64_t*;
    const uint64_t* nodes;
    const int32_t* first_nodes;
    const uint32_t* row;

    SILVA_INLINE From start(int64_t number) const { return nodes + first_nodes[number]; }
    SILVA_INLINE const uint64_t* nodes_of(From from) const { return from; }
    SILVA_INLINE const uint32_t* row_of(From) const { return row; }
};

template <class T>
SILVA_INLINE T* chosen(uint64_t mask, T* yes, T* no) {
    return reinterpret_cast<T*>((reinterpret_cast<uint64_t>(yes) & mask) |
                                (reinterpret_cast<uint64_t>(no) & ~mask));
}

template <class Walks>
struct Flight {
    uint64_t at[kFlight];
    typename Walks::From from[kFlight];
    int64_t number[kFlight];
    int64_t next = 0;

    // Lanes without a walk rest where those end that ask the rule.
    SILVA_INLINE void begin(const Walks& walks, int64_t n) {
        for (int k = 0; k < kFlight; ++k) {
            number[k] = k;
            from[k] = walks.start(k < n ? k : 0);
            at[k] = k < n ? 0 : kAskPlace;
        }
        next = kFlight;
    }
    // The places stay in registers. Where walks come from does not: the compiler would keep it in
    // vector registers, from where it is far.
    template <class Mode>
    SILVA_INLINE void go(const Walk& walk, const Walks& walks) {
        for (int s = 0; s < walk.steps; ++s) {
            asm volatile("" : : "r"(from) : "memory");
#pragma GCC unroll 16
            for (int k = 0; k < kFlight; ++k)
                at[k] = step<Mode>(walk, walks.nodes_of(from[k]), walks.row_of(from[k]), at[k]);
        }
    }
    SILVA_INLINE uint32_t limit_at(const Walks& walks, int k) const {
        return limit_of(walks.nodes_of(from[k])[at[k]]);
    }
    // A walk that is over gives its lane to the next one. What others write is not yet the leaf.
    SILVA_INLINE void land(const Walks& walks, int32_t* leaves) {
#pragma GCC unroll 16
        for (int k = 0; k < kFlight; ++k) {
            const uint32_t limit = limit_at(walks, k);
            leaves[number[k]] = static_cast<int32_t>(limit - kLeafKey);
            const bool over = limit >= kAskKey;
            const uint64_t mask = 0 - static_cast<uint64_t>(over);
            from[k] = chosen(mask, walks.start(next), from[k]);
            at[k] &= ~mask;
            number[k] += (next - number[k]) & static_cast<int64_t>(mask);
            next += over;
        }
    }
    // The same where there may be no next one; returns how many are over.
    SILVA_INLINE int64_t land_last(const Walks& walks, int64_t n, int32_t* leaves) {
        int64_t landed = 0;
        for (int k = 0; k < kFlight; ++k) {
            const uint32_t limit = limit_at(walks, k);
            if (limit < kAskKey || number[k] >= n) continue;
            ++landed;
            leaves[number[k]] = static_cast<int32_t>(limit - kLeafKey);
            number[k] = next++;
            if (number[k] >= n) continue;
            from[k] = walks.start(number[k]);
            at[k] = 0;
        }
        return landed;
    }
};

template <class Mode, class Walks>
void run(const Walk& given, const Walks& given_walks, int64_t n, int32_t* leaves) {
    const Walk walk = given;  // which no write to leaves can change
    const Walks walks = given_walks;
    Flight<Walks> flight;
    flight.begin(walks, n);
    for (int64_t landed = 0; landed < n;) {
        flight.template go<Mode>(walk, walks);
        if (flight.next + kFlight <= n) {
            flight.land(walks, leaves);
            landed = flight.next - kFlight;
        } else {
            landed += flight.land_last(walks, n, leaves);
        }
    }
}

template <class Walks>
SILVA_INLINE void run_as_needed(const Walk& walk, const Walks& walks, int64_t n, int32_t* leaves) {
    if (walk.has_sets)
        run<Sets>(walk, walks, n, leaves);
    else if (walk.missing && walk.has_ways)
        run<Ways>(walk, walks, n, leaves);
    else if (walk.missing)
        run<Missing>(walk, walks, n, leaves);
    else if (walk.rounded)
        run<Rounded>(walk, walks, n, leaves);
    else
        run<Plain>(walk, walks, n, leaves);
}

void walk_rows(const Walk& walk, int32_t first_node, int64_t n, int32_t* leaves) {
    run_as_needed(walk, RowWalks{walk.nodes + first_node, walk.keys, walk.width}, n, leaves);
}

void walk_trees(const Walk& walk, const int32_t* first_nodes, int64_t n, int64_t row,
                int32_t* leaves) {
    run_as_needed(walk, TreeWalks{walk.nodes, first_nodes, walk.keys + row * walk.width}, n,
                  leaves);
}

}  // namespace

WalkKernels walk_kernels() { return {walk_rows, walk_trees}; }

}  // namespace silva::simd::SILVA_ISA_NAMESPACE
