#include "core/search/column_draws.hpp"

#include <algorithm>

#include "core/base/random.hpp"
#include "core/simd/kernels.hpp"

namespace silva {

using simd::kFewColumns, simd::kDrawPadding;

ColumnDraws::ColumnDraws(int64_t n_columns) {
    all_.resize(static_cast<size_t>(n_columns));
    for (size_t c = 0; c < all_.size(); ++c) all_[c] = static_cast<int32_t>(c);
    draws_.resize(std::max<size_t>(all_.size() + kDrawPadding, kFewColumns));
    first_.resize(std::max<size_t>(all_.size() + 1, kFewColumns));
}

std::span<const int32_t> ColumnDraws::first(uint64_t seed, int64_t limit, uint64_t alive) {
    const auto n = static_cast<int64_t>(all_.size());
    const simd::ColumnDrawsKernels& kernels = simd::kernels().column_draws;
    const uint64_t start = mix(seed);
    uint64_t* draws = draws_.data();
    n_first_ = -1;
    if (n <= kFewColumns)
        n_first_ = kernels.draw_few(start, n, limit, alive, draws, first_.data());
    else
        kernels.draw(start, n, draws);
    last_ = kUnknown;
    if (n_first_ < 0) n_first_ = kernels.choose(draws, n, limit, alive, first_.data(), &last_);
    if (n_first_ < 0) n_first_ = choose(limit, alive);
    return {first_.data(), static_cast<size_t>(n_first_)};
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
    return simd::kernels().column_draws.next(draws_.data(), n, alive, &last_);
}

}  // namespace silva
