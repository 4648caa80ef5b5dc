#include "core/engine_walk.hpp"
#include "core/wide.hpp"

#ifdef SILVA_HAS_WIDE

namespace silva {
namespace {

constexpr int kGroups = 4;  // of sixteen walks each
constexpr int kSteps = 4;   // between two looks for walks that are over
constexpr int64_t kFewest = 8;

// Sixteen walks: `active` ones go on, the others are over.
struct Group {
    __m512i at, leaf, row, number;
    __mmask16 active;
};

struct Constants {
    __m512i column_mask, missing_first, missing_asks, rounded, over, one, even, odd;
    __m128i shift;
};

SILVA_WIDE inline Constants constants_of(const NodeFormat& format) {
    const auto all = [](uint32_t bits)
                         SILVA_WIDE { return _mm512_set1_epi32(static_cast<int>(bits)); };
    const __m512i twice =
        _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    return {all(format.column_mask()),
            all(format.missing_first()),
            all(format.missing_asks()),
            all(format.rounded()),
            all(format.first_is_leaf()),
            all(1),
            twice,
            _mm512_or_si512(twice, all(1)),
            _mm_cvtsi32_si128(format.shift())};
}

// Lanes of `in_set` compare codes with sets: which go to the second child, which ask.
SILVA_WIDE void look_up(const Walk& walk, __m512i limit, __m512i key, __mmask16 in_set,
                        __mmask16& second, __mmask16& asks) {
    alignas(64) int32_t limits[16], keys[16];
    _mm512_store_si512(limits, limit);
    _mm512_store_si512(keys, key);
    for (uint32_t left = in_set; left != 0; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const auto bit = static_cast<__mmask16>(1u << lane);
        const auto place = static_cast<uint32_t>(limits[lane]) - static_cast<uint32_t>(kMissingKey);
        const auto code = static_cast<uint32_t>(std::bit_cast<float>(keys[lane]));
        const SetState state = set_state(walk.sets + place, code);
        second = state == SetState::second ? second | bit : second & ~bit;
        asks = state == SetState::asks ? asks | bit : asks & ~bit;
    }
}

template <bool missing, bool rounded, bool sets>
SILVA_WIDE inline void step(const Walk& walk, const Constants& c, Group& group) {
    const __m512i low = _mm512_i32gather_epi64(_mm512_castsi512_si256(group.at), walk.nodes, 8);
    const __m512i high =
        _mm512_i32gather_epi64(_mm512_extracti64x4_epi64(group.at, 1), walk.nodes, 8);
    const __m512i limit = _mm512_permutex2var_epi32(low, c.even, high);
    const __m512i word = _mm512_permutex2var_epi32(low, c.odd, high);
    const __m512i place = _mm512_add_epi32(group.row, _mm512_and_si512(word, c.column_mask));
    const __m512i key = _mm512_i32gather_epi32(place, walk.keys, 4);
    __mmask16 second = _mm512_cmpge_epi32_mask(key, limit);
    __mmask16 asks = 0;
    if constexpr (rounded)
        asks = _mm512_mask_cmpeq_epi32_mask(_mm512_test_epi32_mask(word, c.rounded), key,
                                            _mm512_sub_epi32(limit, c.one));
    __mmask16 absent = 0;
    if constexpr (missing) {
        absent = _mm512_cmple_epi32_mask(key, _mm512_set1_epi32(kUnseenKey));
        const __mmask16 to_second = _mm512_testn_epi32_mask(word, c.missing_first);
        second = static_cast<__mmask16>((second & ~absent) | (to_second & absent));
        const __mmask16 ask = _mm512_test_epi32_mask(word, c.missing_asks);
        asks = static_cast<__mmask16>((asks & ~absent) | (ask & absent));
    }
    if constexpr (sets) {
        const __mmask16 in_set = static_cast<__mmask16>(
            _mm512_mask_cmplt_epi32_mask(group.active, limit, _mm512_set1_epi32(kLowestKey)) &
            ~absent);
        if (in_set != 0) look_up(walk, limit, key, in_set, second, asks);
    }
    const __m512i skip = _mm512_maskz_srl_epi32(second, word, c.shift);
    group.leaf = _mm512_mask_add_epi32(group.leaf, group.active, group.leaf, skip);
    group.at =
        _mm512_mask_add_epi32(group.at, group.active, group.at, _mm512_max_epi32(skip, c.one));
    __mmask16 over = _mm512_test_epi32_mask(_mm512_mask_slli_epi32(word, second, word, 1), c.over);
    if constexpr (missing || rounded || sets) {
        asks &= group.active;
        group.leaf = _mm512_mask_mov_epi32(group.leaf, asks, _mm512_set1_epi32(kAskRule));
        over |= asks;
    }
    group.active = static_cast<__mmask16>(group.active & ~over);
}

// One tree for rows that follow each other.
struct RowWalks {
    int32_t first_node;
    int32_t width;

    SILVA_WIDE void start(Group& group, __mmask16 lanes, int64_t) const {
        group.at = _mm512_mask_mov_epi32(group.at, lanes, _mm512_set1_epi32(first_node));
        group.row = _mm512_mullo_epi32(group.number, _mm512_set1_epi32(width));
    }
};

// Trees that follow each other for one row.
struct TreeWalks {
    const int32_t* first_nodes;
    int32_t row;

    SILVA_WIDE void start(Group& group, __mmask16 lanes, int64_t next) const {
        group.at = _mm512_mask_expandloadu_epi32(group.at, lanes, first_nodes + next);
        group.row = _mm512_set1_epi32(row);
    }
};

// Walks that are over give their lanes to the next ones; returns the number of the next walk.
template <class Walks>
SILVA_WIDE inline int64_t refill(Group& group, const Walks& walks, int64_t next, int64_t n) {
    const auto vacant = static_cast<uint32_t>(static_cast<__mmask16>(~group.active));
    const int64_t wanted = __builtin_popcount(vacant);
    const int64_t taken = wanted < n - next ? wanted : n - next;
    if (taken <= 0) return next;
    const auto lanes = static_cast<__mmask16>(_pdep_u32((1u << taken) - 1, vacant));
    const __m512i upcoming =
        _mm512_add_epi32(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
                         _mm512_set1_epi32(static_cast<int>(next)));
    group.number = _mm512_mask_expand_epi32(group.number, lanes, upcoming);
    group.leaf = _mm512_maskz_mov_epi32(static_cast<__mmask16>(~lanes), group.leaf);
    walks.start(group, lanes, next);
    group.active |= lanes;
    return next + taken;
}

template <bool missing, bool rounded, bool sets, class Walks>
SILVA_WIDE void run(const Walk& walk, const Walks& walks, int64_t n, int32_t* leaves) {
    const Constants c = constants_of(walk.format);
    Group groups[kGroups];
    int64_t next = 0;
    for (Group& group : groups) {
        group.at = group.leaf = group.row = group.number = _mm512_setzero_si512();
        group.active = 0;
        next = refill(group, walks, next, n);
    }
    for (bool busy = true; busy;) {
        __mmask16 before[kGroups];
        for (int g = 0; g < kGroups; ++g) before[g] = groups[g].active;
        for (int s = 0; s < kSteps; ++s)
            for (Group& group : groups) step<missing, rounded, sets>(walk, c, group);
        busy = false;
        for (int g = 0; g < kGroups; ++g) {
            Group& group = groups[g];
            const auto over = static_cast<__mmask16>(before[g] & ~group.active);
            _mm512_mask_i32scatter_epi32(leaves, over, group.number, group.leaf, 4);
            next = refill(group, walks, next, n);
            busy |= group.active != 0;
        }
    }
}

template <class Walks>
void run_as_needed(const Walk& walk, const Walks& walks, int64_t n, int32_t* leaves) {
    if (walk.has_sets)
        run<true, true, true>(walk, walks, n, leaves);
    else if (walk.missing)
        run<true, true, false>(walk, walks, n, leaves);
    else if (walk.rounded)
        run<false, true, false>(walk, walks, n, leaves);
    else
        run<false, false, false>(walk, walks, n, leaves);
}

}  // namespace

void walk_rows(const Walk& walk, int32_t first_node, int64_t n, int32_t* leaves) {
    if (n < kFewest || !can_go_wide()) return walk_rows_plainly(walk, first_node, n, leaves);
    run_as_needed(walk, RowWalks{first_node, static_cast<int32_t>(walk.width)}, n, leaves);
}

void walk_trees(const Walk& walk, const int32_t* first_nodes, int64_t n, int64_t row,
                int32_t* leaves) {
    if (n < kFewest || !can_go_wide()) return walk_trees_plainly(walk, first_nodes, n, row, leaves);
    run_as_needed(walk, TreeWalks{first_nodes, static_cast<int32_t>(row * walk.width)}, n, leaves);
}

}  // namespace silva

#else

namespace silva {

void walk_rows(const Walk& walk, int32_t first_node, int64_t n, int32_t* leaves) {
    walk_rows_plainly(walk, first_node, n, leaves);
}
void walk_trees(const Walk& walk, const int32_t* first_nodes, int64_t n, int64_t row,
                int32_t* leaves) {
    walk_trees_plainly(walk, first_nodes, n, row, leaves);
}

}  // namespace silva

#endif
