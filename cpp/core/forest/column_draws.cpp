#include "core/forest/column_draws.hpp"

#include <algorithm>

#include "core/random.hpp"
#include "core/wide.hpp"

namespace silva {
namespace {

constexpr int64_t kLanes = 8;
constexpr int64_t kFew = 32;  // columns that are chosen from together

[[gnu::always_inline]] inline void hash_loop(uint64_t start, int64_t n, uint64_t* draws) {
    for (int64_t c = 0; c < n; ++c) draws[c] = mix(start ^ static_cast<uint64_t>(c));
}

#ifdef SILVA_HAS_WIDE

SILVA_WIDE void hash_widely(uint64_t start, int64_t n, uint64_t* draws) {
    hash_loop(start, n, draws);
}

// The columns with the `limit` lowest draws that are alive, ascending. Draws are even, so that a
// little more than the share of them below a fixed number is looked at closely; -1 when these are
// too few or many.
SILVA_WIDE int64_t choose_widely(const uint64_t* draws, int64_t n, int64_t limit, uint64_t alive,
                                 int32_t* chosen, uint64_t& last) {
    constexpr int64_t most = 64;
    uint64_t low[most + kLanes], living[most + kLanes];
    int32_t columns[most + kLanes];
    const double share = (static_cast<double>(limit) * 1.5 + 3) / static_cast<double>(n);
    const uint64_t edge = share >= 1 ? ~uint64_t{0} : static_cast<uint64_t>(share * 0x1p64);
    const __m512i edges = _mm512_set1_epi64(static_cast<long long>(edge));
    __m256i numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    int64_t n_low = 0, n_living = 0;
    for (int64_t at = 0; at < n; at += kLanes) {
        const __m512i here = _mm512_loadu_si512(draws + at);
        const __mmask8 below = _mm512_cmplt_epu64_mask(here, edges);
        const auto good = static_cast<__mmask8>(below & (at < 64 ? alive >> at : 0xFF));
        _mm512_storeu_si512(low + n_low, _mm512_maskz_compress_epi64(below, here));
        _mm512_storeu_si512(living + n_living, _mm512_maskz_compress_epi64(good, here));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(columns + n_living),
                            _mm256_maskz_compress_epi32(good, numbers));
        numbers = _mm256_add_epi32(numbers, _mm256_set1_epi32(kLanes));
        n_low += __builtin_popcount(below);
        n_living += __builtin_popcount(good);
        if (n_low > most - kLanes) return -1;
    }
    if (n_low < limit) return -1;
    _mm512_storeu_si512(low + n_low, _mm512_set1_epi64(-1));
    int64_t n_chosen = 0;
    last = 0;
    for (int64_t i = 0; i < n_living; ++i) {
        const __m512i mine = _mm512_set1_epi64(static_cast<long long>(living[i]));
        int lower = 0;
        for (int64_t at = 0; at < n_low; at += kLanes)
            lower +=
                __builtin_popcount(_mm512_cmplt_epu64_mask(_mm512_loadu_si512(low + at), mine));
        chosen[n_chosen] = columns[i];
        const bool is_chosen = lower < limit;
        last = is_chosen && living[i] > last ? living[i] : last;
        n_chosen += is_chosen ? 1 : 0;
    }
    return n_chosen;
}

// The draws of up to 32 columns, and the same choice by the upper halves of these; -1 where they
// are not enough to tell. `draws` and `chosen` have room for 32.
SILVA_WIDE int64_t choose_of_few(uint64_t start, int64_t n, int64_t limit, uint64_t alive,
                                 uint64_t* draws, int32_t* chosen) {
    alignas(64) uint32_t upper[kFew];
    for (int64_t c = 0; c < kFew; ++c) {
        const uint64_t draw = mix(start ^ static_cast<uint64_t>(c));
        draws[c] = c < n ? draw : ~uint64_t{0};
        upper[c] = static_cast<uint32_t>(draws[c] >> 32);
    }
    const __m512i first = _mm512_load_si512(upper), second = _mm512_load_si512(upper + 16);
    const __m512i one = _mm512_set1_epi32(1);
    __m512i lower = _mm512_setzero_si512(), more_lower = lower;
    for (int64_t c = 0; c < n; ++c) {
        const __m512i draw = _mm512_set1_epi32(static_cast<int>(upper[c]));
        lower = _mm512_mask_add_epi32(lower, _mm512_cmpgt_epu32_mask(first, draw), lower, one);
        more_lower = _mm512_mask_add_epi32(more_lower, _mm512_cmpgt_epu32_mask(second, draw),
                                           more_lower, one);
    }
    const __m512i most = _mm512_set1_epi32(static_cast<int>(limit));
    const __mmask16 taken = _mm512_cmplt_epi32_mask(lower, most);
    const __mmask16 more_taken = _mm512_cmplt_epi32_mask(more_lower, most);
    if (__builtin_popcount(taken) + __builtin_popcount(more_taken) != limit) return -1;
    const auto good = static_cast<__mmask16>(taken & alive);
    const auto more_good = static_cast<__mmask16>(more_taken & alive >> 16);
    const int n_good = __builtin_popcount(good);
    const __m512i numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    _mm512_mask_compressstoreu_epi32(chosen, good, numbers);
    _mm512_mask_compressstoreu_epi32(chosen + n_good, more_good,
                                     _mm512_add_epi32(numbers, _mm512_set1_epi32(16)));
    return n_good + __builtin_popcount(more_good);
}

// The column of the lowest draw above `last`, which becomes that draw; -1: there is none.
SILVA_WIDE int32_t next_widely(const uint64_t* draws, int64_t n, uint64_t alive, uint64_t& last) {
    const __m512i before = _mm512_set1_epi64(static_cast<long long>(last));
    __m512i lowest = _mm512_set1_epi64(-1);
    for (int64_t at = 0; at < n; at += kLanes) {
        const auto here = static_cast<__mmask8>(at < 64 ? alive >> at : 0xFF);
        const __m512i some = _mm512_loadu_si512(draws + at);
        const __mmask8 above = _mm512_mask_cmpgt_epu64_mask(here, some, before);
        lowest = _mm512_mask_min_epu64(lowest, above, lowest, some);
    }
    last = _mm512_reduce_min_epu64(lowest);
    if (last == ~uint64_t{0}) return -1;
    int32_t column = 0;
    while (draws[column] != last) ++column;
    return column;
}

#endif

}  // namespace

ColumnDraws::ColumnDraws(int64_t n_columns) {
    all_.resize(static_cast<size_t>(n_columns));
    for (size_t c = 0; c < all_.size(); ++c) all_[c] = static_cast<int32_t>(c);
    draws_.assign(std::max<size_t>(all_.size() + kLanes, kFew), ~uint64_t{0});
}

std::span<const int32_t> ColumnDraws::first(uint64_t seed, int64_t limit, uint64_t alive) {
    const auto n = static_cast<int64_t>(all_.size());
    first_.resize(std::max<size_t>(all_.size() + 1, kFew));
    const uint64_t start = mix(seed);
#ifdef SILVA_HAS_WIDE
    if (can_go_wide()) {
        int64_t n_first = -1;
        if (n <= kFew)
            n_first = choose_of_few(start, n, limit, alive, draws_.data(), first_.data());
        else
            hash_widely(start, n, draws_.data());
        last_ = kUnknown;
        if (n_first < 0)
            n_first = choose_widely(draws_.data(), n, limit, alive, first_.data(), last_);
        if (n_first < 0) n_first = choose(limit, alive);
        n_first_ = n_first;
        return {first_.data(), static_cast<size_t>(n_first)};
    }
#endif
    hash_loop(start, n, draws_.data());
    return {first_.data(), static_cast<size_t>(choose(limit, alive))};
}

// Draws are different for different columns: mix has an inverse.
int64_t ColumnDraws::choose(int64_t limit, uint64_t alive) {
    sorted_.assign(draws_.begin(), draws_.begin() + static_cast<int64_t>(all_.size()));
    std::nth_element(sorted_.begin(), sorted_.begin() + (limit - 1), sorted_.end());
    const uint64_t highest = sorted_[static_cast<size_t>(limit - 1)];
    size_t n = 0;
    last_ = 0;
    for (size_t c = 0; c < all_.size(); ++c) {
        if (draws_[c] > highest || (c < 64 && (alive >> c & 1) == 0)) continue;
        first_[n++] = static_cast<int32_t>(c);
        last_ = std::max(last_, draws_[c]);
    }
    return static_cast<int64_t>(n);
}

int32_t ColumnDraws::next(uint64_t alive) {
    if (last_ == kUnknown) {
        last_ = 0;
        for (int64_t i = 0; i < n_first_; ++i)
            last_ = std::max(last_, draws_[static_cast<size_t>(first_[static_cast<size_t>(i)])]);
    }
    const auto n = static_cast<int64_t>(all_.size());
#ifdef SILVA_HAS_WIDE
    if (can_go_wide()) return next_widely(draws_.data(), n, alive, last_);
#endif
    uint64_t lowest = ~uint64_t{0};
    int32_t column = -1;
    for (int64_t c = 0; c < n; ++c) {
        if (c < 64 && (alive >> c & 1) == 0) continue;
        const uint64_t draw = draws_[static_cast<size_t>(c)];
        if (draw <= last_ || draw >= lowest) continue;
        lowest = draw;
        column = static_cast<int32_t>(c);
    }
    last_ = lowest;
    return column;
}

}  // namespace silva
