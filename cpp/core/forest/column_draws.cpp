#include "core/forest/column_draws.hpp"

#include <algorithm>

#include "core/random.hpp"
#include "core/wide.hpp"

namespace silva {
namespace {

constexpr int64_t kLanes = 8;

[[gnu::always_inline]] inline void hash_loop(uint64_t start, int64_t n, uint64_t* draws) {
    for (int64_t c = 0; c < n; ++c) draws[c] = mix(start ^ static_cast<uint64_t>(c));
}

#ifdef SILVA_HAS_WIDE

SILVA_WIDE void hash_widely(uint64_t start, int64_t n, uint64_t* draws) {
    hash_loop(start, n, draws);
}

// A column is chosen if fewer than `limit` draws are lower than its own. Few columns only.
SILVA_WIDE int64_t choose_widely(const uint64_t* draws, int64_t n, int64_t limit, int32_t* chosen,
                                 uint64_t& last) {
    int64_t n_chosen = 0;
    last = 0;
    for (int64_t c = 0; c < n; ++c) {
        const __m512i mine = _mm512_set1_epi64(static_cast<long long>(draws[c]));
        int lower = 0;
        for (int64_t at = 0; at < n; at += kLanes)
            lower +=
                __builtin_popcount(_mm512_cmplt_epu64_mask(_mm512_loadu_si512(draws + at), mine));
        chosen[n_chosen] = static_cast<int32_t>(c);
        const bool is_chosen = lower < limit;
        last = is_chosen && draws[c] > last ? draws[c] : last;
        n_chosen += is_chosen ? 1 : 0;
    }
    return n_chosen;
}

#endif

}  // namespace

ColumnDraws::ColumnDraws(int64_t n_columns) {
    all_.resize(static_cast<size_t>(n_columns));
    for (size_t c = 0; c < all_.size(); ++c) all_[c] = static_cast<int32_t>(c);
    draws_.assign(all_.size() + kLanes, ~uint64_t{0});
}

std::span<const int32_t> ColumnDraws::first(uint64_t seed, int64_t limit) {
    const auto n = static_cast<int64_t>(all_.size());
    first_.resize(all_.size() + 1);
    const uint64_t start = mix(seed);
#ifdef SILVA_HAS_WIDE
    if (can_go_wide()) {
        hash_widely(start, n, draws_.data());
        constexpr int64_t few = 32;
        if (n <= few) {
            choose_widely(draws_.data(), n, limit, first_.data(), last_);
            return {first_.data(), static_cast<size_t>(limit)};
        }
        choose(limit);
        return {first_.data(), static_cast<size_t>(limit)};
    }
#endif
    hash_loop(start, n, draws_.data());
    choose(limit);
    return {first_.data(), static_cast<size_t>(limit)};
}

// Draws are different for different columns: mix has an inverse.
void ColumnDraws::choose(int64_t limit) {
    sorted_.assign(draws_.begin(), draws_.begin() + static_cast<int64_t>(all_.size()));
    std::nth_element(sorted_.begin(), sorted_.begin() + (limit - 1), sorted_.end());
    last_ = sorted_[static_cast<size_t>(limit - 1)];
    size_t n = 0;
    for (size_t c = 0; c < all_.size(); ++c) {
        first_[n] = static_cast<int32_t>(c);
        n += draws_[c] <= last_ ? 1 : 0;
    }
}

int32_t ColumnDraws::next() {
    uint64_t lowest = ~uint64_t{0};
    int32_t column = -1;
    for (size_t c = 0; c < all_.size(); ++c) {
        if (draws_[c] <= last_ || draws_[c] > lowest) continue;
        lowest = draws_[c];
        column = static_cast<int32_t>(c);
    }
    last_ = lowest;
    return column;
}

}  // namespace silva
