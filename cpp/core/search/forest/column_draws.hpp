// The columns that a node draws, as `search` draws them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace silva {

class ColumnDraws {
  public:
    explicit ColumnDraws(int64_t n_columns = 0);

    std::span<const int32_t> all() const { return all_; }
    // The first `limit` columns in the order of the draws for this seed, by ascending number. Of
    // the first 64 columns of the table only those in `alive` are given.
    std::span<const int32_t> first(uint64_t seed, int64_t limit, uint64_t alive = ~uint64_t{0});
    // The next column in that order, or -1. To be called after `first`, with columns that were
    // alive then.
    int32_t next(uint64_t alive = ~uint64_t{0});

  private:
    // Columns whose draws are among the lowest `limit`; how many of them are given.
    int64_t choose(int64_t limit, uint64_t alive);

    std::vector<uint64_t> draws_;  // by column, with room for a whole register
    std::vector<int32_t> all_, first_;
    static constexpr uint64_t kUnknown = ~uint64_t{0};
    uint64_t last_ = 0;  // the highest draw given so far, or kUnknown: the highest of the first
    int64_t n_first_ = 0;
    std::vector<uint64_t> sorted_;
};

}  // namespace silva
