#include "core/search/column_draws.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/base/random.hpp"
#include "core/simd/kernels.hpp"

namespace silva {

using simd::kFewColumns, simd::kDrawPadding;

ColumnDraws::ColumnDraws(int64_t n_columns) : n_columns_(n_columns) {
    const auto n = static_cast<size_t>(n_columns);
    if (is_wide()) {
        is_drawn_.assign(n / 64 + 1, 0);
        return;
    }
    draws_.resize(std::max<size_t>(n + kDrawPadding, kFewColumns));
    first_.resize(std::max<size_t>(n + 1, kFewColumns));
}

std::span<const int32_t> ColumnDraws::all() {
    if (std::ssize(all_) < n_columns_) {
        all_.resize(static_cast<size_t>(n_columns_));
        std::iota(all_.begin(), all_.end(), 0);
    }
    return all_;
}

std::span<const int32_t> ColumnDraws::first(uint64_t seed, int64_t limit, uint64_t alive) {
    if (is_wide()) return first_of_wide(seed, limit, alive);
    const int64_t n = n_columns_;
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
    sorted_.assign(draws_.begin(), draws_.begin() + n_columns_);
    std::nth_element(sorted_.begin(), sorted_.begin() + (limit - 1), sorted_.end());
    const uint64_t highest = sorted_[static_cast<size_t>(limit - 1)];
    size_t n = 0;
    last_ = 0;
    for (int64_t c = 0; c < n_columns_; ++c) {
        if (draws_[c] > highest || (c < 64 && (alive >> c & 1) == 0)) continue;
        first_[n++] = static_cast<int32_t>(c);
        last_ = std::max(last_, draws_[c]);
    }
    return static_cast<int64_t>(n);
}

int32_t ColumnDraws::next(uint64_t alive) {
    if (is_wide()) {
        while (std::ssize(drawn_) < n_columns_) {
            const int32_t column = draw_wide();
            if (column >= 64 || (alive >> column & 1) != 0) return column;
        }
        return -1;
    }
    if (last_ == kUnknown) {
        last_ = 0;
        for (int64_t i = 0; i < n_first_; ++i)
            last_ = std::max(last_, draws_[static_cast<size_t>(first_[static_cast<size_t>(i)])]);
    }
    const int64_t n = n_columns_;
    return simd::kernels().column_draws.next(draws_.data(), n, alive, &last_);
}

std::span<const int32_t> ColumnDraws::first_of_wide(uint64_t seed, int64_t limit, uint64_t alive) {
    for (const int32_t column : drawn_) is_drawn_[static_cast<size_t>(column / 64)] = 0;
    drawn_.clear();
    start_ = mix(seed);
    number_ = 0;
    while (std::ssize(drawn_) < limit) draw_wide();
    list_drawn(alive);
    return first_;
}

int32_t ColumnDraws::draw_wide() {
    while (true) {
        const auto column =
            static_cast<int32_t>(below(mix(start_ ^ number_++), static_cast<uint64_t>(n_columns_)));
        uint64_t& word = is_drawn_[static_cast<size_t>(column / 64)];
        const uint64_t bit = uint64_t{1} << (column % 64);
        if ((word & bit) != 0) continue;
        word |= bit;
        drawn_.push_back(column);
        return column;
    }
}

// By ascending number: words of bits are looked through, unless sorting is less work.
void ColumnDraws::list_drawn(uint64_t alive) {
    first_.clear();
    if (16 * drawn_.size() < is_drawn_.size()) {
        for (const int32_t column : drawn_)
            if (column >= 64 || (alive >> column & 1) != 0) first_.push_back(column);
        return std::sort(first_.begin(), first_.end());
    }
    for (size_t at = 0; at < is_drawn_.size(); ++at) {
        uint64_t rest = is_drawn_[at] & (at == 0 ? alive : ~uint64_t{0});
        for (; rest != 0; rest &= rest - 1)
            first_.push_back(static_cast<int32_t>(64 * at) + std::countr_zero(rest));
    }
}

}  // namespace silva
