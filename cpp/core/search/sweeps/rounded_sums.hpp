// Running float64 sums of weights and weighted values, by which a sorted list is filtered: one load
// and one addition per entry.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/search/sweeps/rows.hpp"

namespace silva {

class RoundedSums {
  public:
    explicit RoundedSums(const simd::WeightedValue* rows) : rows_(rows) {}

    void add(int64_t id) {
        left_.weight += rows_[id].weight;
        left_.product += rows_[id].product;
    }
    // The positions before these entries that the filter marks, as a mask; moves them left.
    template <class Id, class Filter>
    uint64_t look_ahead(const Filter& filter, const Id* entries, int n) {
        const auto& kernels = simd::kernels().positions.of<Id>();
        if constexpr (std::is_same_v<Filter, simd::EventFilter>)
            return kernels.weighted_events(filter, rows_, entries, n, left_);
        else
            return kernels.weighted_values(filter, rows_, entries, n, left_);
    }

  private:
    const simd::WeightedValue* rows_;  // by id
    simd::WeightedValue left_{};
};

}  // namespace silva
