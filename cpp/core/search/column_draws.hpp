// The columns that a node draws: the same for every layout of rows.
//
// Each column gets a draw, a hash of the seed, the path of the node and the column. A node searches
// the columns of the lowest draws, and more of them, one by one, while it has found no split.
//
// In a wide table a node does not hash every column: the draws have numbers, and draw i is the
// column that the hash of the seed, the path of the node and i falls on. Repeated columns are
// skipped.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/random.hpp"

namespace silva {

// What all draws of a node are hashed from: mix(hash ^ x) is the one for x.
inline uint64_t node_hash(uint64_t path, uint64_t seed) { return mix(mix(path, seed)); }

// A table of more columns is wide.
constexpr int64_t kMostNarrowColumns = 256;

class ColumnDraws {
  public:
    explicit ColumnDraws(int64_t n_columns = 0);

    int64_t n_columns() const { return n_columns_; }
    std::span<const int32_t> all();
    // The first `limit` columns that are drawn for this seed, by ascending number, without those of
    // the first 64 of the table that are not in `alive`: constant columns count as drawn.
    std::span<const int32_t> first(uint64_t seed, int64_t limit, uint64_t alive = ~uint64_t{0});
    // The column that is drawn next, or -1. To be called after `first`, with an `alive` that
    // may have lost columns but gained none.
    int32_t next(uint64_t alive = ~uint64_t{0});

    // Calls `search` with the columns that the node of this hash draws, by ascending number, and
    // then with one more at a time until `is_found`. `search` may take columns out of `alive`.
    template <class Search, class IsFound>
    void until_found(uint64_t node_hash, int64_t max_columns, const uint64_t& alive,
                     Search&& search, IsFound&& is_found) {
        const int64_t limit = std::max<int64_t>(max_columns, 1);
        if (limit >= n_columns_) return search(all());
        search(first(mix(node_hash ^ kColumns), limit, alive));
        while (!is_found()) {
            const int32_t column = next(alive);
            if (column < 0) return;
            search(std::span<const int32_t>(&column, 1));
        }
    }

  private:
    static constexpr uint64_t kColumns = 0x636F6C756D6E73u;  // sets these draws apart from others

    // ---- wide tables
    bool is_wide() const { return n_columns_ > kMostNarrowColumns; }
    std::span<const int32_t> first_of_wide(uint64_t seed, int64_t limit, uint64_t alive);
    int32_t draw_wide();  // a column that was not drawn before: there must be one
    void list_drawn(uint64_t alive);

    int64_t n_columns_;
    uint64_t start_ = 0, number_ = 0;
    std::vector<int32_t> drawn_;      // in the order of the draws
    std::vector<uint64_t> is_drawn_;  // a bit for each column

    // ---- narrow tables
    // Columns whose draws are among the lowest `limit`; how many of them are given.
    int64_t choose(int64_t limit, uint64_t alive);

    std::vector<uint64_t> draws_;  // by column, with room for a whole register
    std::vector<int32_t> all_;     // empty until they are asked for
    std::vector<int32_t> first_;
    static constexpr uint64_t kUnknown = ~uint64_t{0};
    uint64_t last_ = 0;  // the highest draw given so far, or kUnknown: the highest of the first
    int64_t n_first_ = 0;
    std::vector<uint64_t> sorted_;
};

}  // namespace silva
