// Many trees from the same rows under changing weights: columns are sorted once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/pool.hpp"
#include "core/columns/presort.hpp"
#include "core/grow/forest_grower.hpp"
#include "core/search/block_search.hpp"
#include "core/search/candidate.hpp"

namespace silva {

class WeightedGrower {
  public:
    // The weights of `data` say which rows take part: those that are not zero.
    WeightedGrower(ForestData data, Settings settings);

    // Exactly the tree that silva::grow makes of these weights, one a row of the table. Rows beyond
    // those that take part are allowed to be zero too, but then nothing that was prepared helps.
    GrownTree grow(const double* weights, uint64_t seed, int threads, const StopFlag& stop);

    const ForestData& data() const { return data_; }

  private:
    Target target_of(const double* weights, Team& team) const;
    // Makes the store ready for another tree, whatever the last one did to it.
    void renew(const Target& target, const Settings& settings, Team& team, const StopFlag& stop);
    bool moves_lists() const { return settings_.max_depth != 1; }

    ForestData data_;
    Settings settings_;
    int64_t n_rows_;  // that take part
    std::optional<Prepared> prepared_;
    std::optional<BlockSearch> blocks_;   // of large tables
    std::vector<Array<uint32_t>> lists_;  // as they were prepared, where growth moves them
    Array<SparseEntry> entries_;          // the same
};

}  // namespace silva
