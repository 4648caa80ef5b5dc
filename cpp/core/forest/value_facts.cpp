#include "core/forest/value_facts.hpp"

#include <algorithm>
#include <bit>

#include "core/forest/lanes.hpp"
#include "core/wide.hpp"

namespace silva {
namespace {

// ---- plain loops -------------------------------------------------------------------------------

template <class T>
[[gnu::always_inline]] inline Range<T> range_loop(const T* values, int64_t n) {
    T low = values[0], high = values[0];
    for (int64_t i = 1; i < n; ++i) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    return {low, high};
}

inline PairSum marked_loop(const uint32_t* pairs, int64_t n, const uint64_t* bits) {
    PairSum sum{0, 0};
    for (int64_t begin = 0; begin < n; begin += 64) {
        for (uint64_t rest = bits[begin / 64]; rest != 0; rest &= rest - 1) {
            const uint32_t pair = pairs[begin + std::countr_zero(rest)];
            sum.low += pair & 0xFFFFu;
            sum.high += pair >> 16;
        }
    }
    return sum;
}
[[gnu::always_inline]] inline PairSum sum_loop(const uint32_t* pairs, int64_t n) {
    PairSum sum{0, 0};
    for (int64_t i = 0; i < n; ++i) {
        sum.low += pairs[i] & 0xFFFFu;
        sum.high += pairs[i] >> 16;
    }
    return sum;
}

template <class Rank>
[[gnu::always_inline]] inline Range<Rank> around_loop(const Rank* ranks, int64_t n, Rank cut) {
    Rank below = 0, above = static_cast<Rank>(~Rank(0));
    for (int64_t i = 0; i < n; ++i) {
        const Rank left = ranks[i] < cut ? ranks[i] : Rank(0);
        const Rank right = ranks[i] < cut ? static_cast<Rank>(~Rank(0)) : ranks[i];
        below = left > below ? left : below;
        above = right < above ? right : above;
    }
    return {below, above};
}

[[gnu::always_inline]] inline int64_t count_loop(const uint64_t* bits, int64_t n) {
    int64_t sum = 0;
    for (int64_t word = 0; word < (n + 63) / 64; ++word) sum += __builtin_popcountll(bits[word]);
    return sum;
}
[[gnu::always_inline]] inline uint32_t common_loop(const uint64_t* a, const uint64_t* b,
                                                   int64_t n_words) {
    int64_t sum = 0;
    for (int64_t word = 0; word < n_words; ++word) sum += __builtin_popcountll(a[word] & b[word]);
    return static_cast<uint32_t>(sum);
}

[[gnu::always_inline]] inline void rank_loop(const uint32_t* ranks, const uint32_t* ids, int64_t n,
                                             int64_t n_ranks, uint64_t* present, uint32_t* before,
                                             uint16_t* out) {
    const int64_t n_words = n_ranks / 64 + 1;
    std::fill_n(present, n_words, uint64_t{0});
    for (int64_t i = 0; i < n; ++i) {
        const uint32_t rank = ranks[ids[i]];
        present[rank / 64] |= uint64_t{1} << (rank % 64);
    }
    uint32_t sum = 0;
    for (int64_t word = 0; word < n_words; ++word) {
        before[word] = sum;
        sum += static_cast<uint32_t>(__builtin_popcountll(present[word]));
    }
    for (int64_t i = 0; i < n; ++i) {
        const uint32_t rank = ranks[ids[i]];
        const uint64_t lower = present[rank / 64] & ((uint64_t{1} << (rank % 64)) - 1);
        out[i] = static_cast<uint16_t>(before[rank / 64] +
                                       static_cast<uint32_t>(__builtin_popcountll(lower)));
    }
}

// ---- wide loops --------------------------------------------------------------------------------

#ifdef SILVA_HAS_WIDE

template <class T>
SILVA_WIDE Range<T> range_widely(const T* values, int64_t n) {
    return range_loop(values, n);
}
SILVA_WIDE Range<uint16_t> range_widely(const uint16_t* values, int64_t n) {
    __m512i low = _mm512_set1_epi16(static_cast<short>(values[0])), high = low;
    for (int64_t i = 0; i < n; i += 32) {
        const auto here = static_cast<__mmask32>(lowest_bits(n - i));
        const __m512i entries = _mm512_mask_loadu_epi16(low, here, values + i);
        low = _mm512_min_epu16(low, entries);
        high = _mm512_max_epu16(high, entries);
    }
    const __m512i flipped = _mm512_andnot_si512(high, _mm512_set1_epi16(-1));
    return {lowest_of(low), static_cast<uint16_t>(~lowest_of(flipped))};
}

SILVA_WIDE Range<uint16_t> around_widely(const uint16_t* ranks, int64_t n, uint16_t cut) {
    const __m512i cuts = _mm512_set1_epi16(static_cast<short>(cut));
    __m512i below = _mm512_setzero_si512(), above = _mm512_set1_epi16(-1);
    for (int64_t i = 0; i < n; i += 32) {
        const auto here = static_cast<__mmask32>(lowest_bits(n - i));
        const __m512i entries = _mm512_maskz_loadu_epi16(here, ranks + i);
        const __mmask32 left = _mm512_mask_cmplt_epu16_mask(here, entries, cuts);
        below = _mm512_mask_max_epu16(below, left, below, entries);
        above = _mm512_mask_min_epu16(above, here & ~left, above, entries);
    }
    const __m512i flipped = _mm512_andnot_si512(below, _mm512_set1_epi16(-1));
    return {static_cast<uint16_t>(~lowest_of(flipped)), lowest_of(above)};
}
SILVA_WIDE Range<uint32_t> around_widely(const uint32_t* ranks, int64_t n, uint32_t cut) {
    return around_loop(ranks, n, cut);
}

SILVA_WIDE int64_t count_widely(const uint64_t* bits, int64_t n) { return count_loop(bits, n); }

SILVA_WIDE void rank_widely(const uint32_t* ranks, const uint32_t* ids, int64_t n, int64_t n_ranks,
                            uint64_t* present, uint32_t* before, uint16_t* out) {
    rank_loop(ranks, ids, n, n_ranks, present, before, out);
}

// Both halves of 16 pairs are added to `low` and `high`.
#define SILVA_ADD_PAIRS(pairs)                                                       \
    low = _mm512_add_epi32(low, _mm512_and_si512(pairs, _mm512_set1_epi32(0xFFFF))); \
    high = _mm512_add_epi32(high, _mm512_srli_epi32(pairs, 16));

SILVA_WIDE inline PairSum reduced(__m512i low, __m512i high) {
    return {static_cast<uint32_t>(_mm512_reduce_add_epi32(low)),
            static_cast<uint32_t>(_mm512_reduce_add_epi32(high))};
}

SILVA_WIDE PairSum sum_widely(const uint32_t* pairs, int64_t n) {
    __m512i low = _mm512_setzero_si512(), high = low;
    for (int64_t i = 0; i < n; i += 16) {
        const auto here = static_cast<__mmask16>(lowest_bits(n - i));
        const __m512i entries = _mm512_maskz_loadu_epi32(here, pairs + i);
        SILVA_ADD_PAIRS(entries)
    }
    return reduced(low, high);
}
SILVA_WIDE PairSum marked_widely(const uint32_t* pairs, int64_t n, const uint64_t* bits) {
    __m512i low = _mm512_setzero_si512(), high = low;
    for (int64_t i = 0; i < n; i += 16) {
        const auto here = static_cast<__mmask16>(bits[i / 64] >> (i % 64));
        const __m512i entries = _mm512_maskz_loadu_epi32(here, pairs + i);
        SILVA_ADD_PAIRS(entries)
    }
    return reduced(low, high);
}
#undef SILVA_ADD_PAIRS

SILVA_WIDE uint32_t common_widely(const uint64_t* a, const uint64_t* b, int64_t n_words) {
    return common_loop(a, b, n_words);
}

#endif

}  // namespace

#define SILVA_DEFINE(T)                                                      \
    Range<T> range_of(const T* values, int64_t n) {                          \
        return SILVA_CHOOSE(range_widely(values, n), range_loop(values, n)); \
    }
SILVA_DEFINE(uint16_t)
SILVA_DEFINE(uint32_t)
#undef SILVA_DEFINE

PairSum sum_pairs(const uint32_t* pairs, int64_t n) {
    return SILVA_CHOOSE(sum_widely(pairs, n), sum_loop(pairs, n));
}
PairSum sum_marked(const uint32_t* pairs, int64_t n, const uint64_t* bits) {
    return SILVA_CHOOSE(marked_widely(pairs, n, bits), marked_loop(pairs, n, bits));
}
uint32_t count_common_of_many(const uint64_t* a, const uint64_t* b, int64_t n_words) {
    return SILVA_CHOOSE(common_widely(a, b, n_words), common_loop(a, b, n_words));
}

Range<uint16_t> around(const uint16_t* ranks, int64_t n, uint16_t cut) {
    return SILVA_CHOOSE(around_widely(ranks, n, cut), around_loop(ranks, n, cut));
}
Range<uint32_t> around(const uint32_t* ranks, int64_t n, uint32_t cut) {
    return SILVA_CHOOSE(around_widely(ranks, n, cut), around_loop(ranks, n, cut));
}

int64_t count_marked(const uint64_t* bits, int64_t n) {
    return SILVA_CHOOSE(count_widely(bits, n), count_loop(bits, n));
}

void rank_among(const uint32_t* ranks, const uint32_t* ids, int64_t n, int64_t n_ranks,
                uint64_t* present, uint32_t* before, uint16_t* out) {
    SILVA_CHOOSE(rank_widely(ranks, ids, n, n_ranks, present, before, out),
                 rank_loop(ranks, ids, n, n_ranks, present, before, out));
}

}  // namespace silva
