// The columns that a node draws, as `search` draws them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/random.hpp"

namespace silva {

class ColumnDraws {
  public:
    std::span<const int32_t> all(int64_t n_columns) {
        if (static_cast<int64_t>(all_.size()) != n_columns) {
            all_.resize(static_cast<size_t>(n_columns));
            for (size_t c = 0; c < all_.size(); ++c) all_[c] = static_cast<int32_t>(c);
        }
        return all_;
    }
    // The first `limit` columns in the order of the draws, by ascending number.
    std::span<const int32_t> first(uint64_t seed, int64_t n_columns, int64_t limit) {
        hash(seed, n_columns);
        std::nth_element(draws_.begin(), draws_.begin() + limit - 1, draws_.end());
        first_.clear();
        for (int64_t i = 0; i < limit; ++i) first_.push_back(draws_[static_cast<size_t>(i)].second);
        std::sort(first_.begin(), first_.end());
        return first_;
    }
    // All columns in the order of the draws.
    std::vector<int32_t> order(uint64_t seed, int64_t n_columns) {
        hash(seed, n_columns);
        std::sort(draws_.begin(), draws_.end());
        std::vector<int32_t> order;
        for (const auto& draw : draws_) order.push_back(draw.second);
        return order;
    }

  private:
    void hash(uint64_t seed, int64_t n_columns) {
        const uint64_t start = mix(seed);
        draws_.resize(static_cast<size_t>(n_columns));
        for (int64_t c = 0; c < n_columns; ++c)
            draws_[static_cast<size_t>(c)] = {mix(start ^ static_cast<uint64_t>(c)),
                                              static_cast<int32_t>(c)};
    }

    std::vector<int32_t> all_, first_;
    std::vector<std::pair<uint64_t, int32_t>> draws_;
};

}  // namespace silva
