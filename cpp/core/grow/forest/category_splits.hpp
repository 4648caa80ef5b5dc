// Splits of categories of one tree of a forest: lone levels of its rows, the best candidate of a
// node, and who goes where.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/columns/shared_columns.hpp"
#include "core/grow/rules.hpp"
#include "core/search/forest/category_search.hpp"
#include "core/search/search.hpp"

namespace silva {

// What a tree knows of a column of categories.
struct CategoryColumn {
    const uint16_t* places;  // by code, n_codes + 1 for lone levels; nullptr: the codes themselves
    int32_t n_codes;         // stands for missing values
    bool two_values;         // two levels, none missing
    bool has_missing;        // some row of the table
    ColumnSettings asked;

    bool has_few_places() const { return n_codes + 2 <= 64; }
};

// Memory for one tree after the other.
struct CategoryMemory {
    SearchScratch search;
    std::vector<ColumnForm> no_forms;
    std::vector<std::vector<int32_t>> no_blocks;
    std::vector<std::vector<uint16_t>> places;  // by column and code; empty: the code itself
    std::vector<uint8_t> two_values;            // by column: two levels, none missing
    std::vector<uint16_t> placed;               // of the rows of a node
    std::vector<uint8_t> goes_right;            // by place; zero between two splits
    std::vector<uint8_t> rows;                  // by code, up to two
};

class CategorySplits {
  public:
    // `ids` are the rows of the tree, whose targets are `target`.
    CategorySplits(const SharedColumns& columns, const Array<uint32_t>& ids, const Table& table,
                   const Target& target, const GrowthRules& rules, bool weighted,
                   CategoryMemory& memory);

    CategoryColumn column(int32_t c) const {
        const auto at = static_cast<size_t>(c);
        const SharedColumn& shared = columns_.columns[at];
        const std::vector<uint16_t>& places = memory_.places[at];
        return {places.empty() ? nullptr : places.data(), shared.n_codes,
                memory_.two_values[at] != 0, shared.coded.has_missing, settings_.column(c)};
    }

    // A node begins. It must be opened before its first column of categories is searched, with n
    // rows from `begin` on.
    void start_node() { is_open_ = false; }
    bool is_open() const { return is_open_; }
    template <class Finder>
    void open(const Finder& finder, const typename Finder::Rows& rows, int64_t begin, int64_t n,
              uint64_t path) {
        finder.write_stats(search_.stats());
        search_.open(rows, begin, n, path);
        n_ = n;
        is_open_ = true;
    }

    // Looks for a candidate that comes before the best one of `finder`, which takes it. `codes` are
    // those of the rows of the node. False where the column is constant.
    template <class Finder>
    bool search(int32_t c, const uint16_t* codes, Finder& finder) {
        const bool two_values = memory_.two_values[static_cast<size_t>(c)] != 0;
        if (!search_.column(c, columns_.columns[c].n_codes, two_values, places(c, codes),
                            finder.best()))
            return false;
        if (search_.found().column == c) {
            best_ = search_.found();
            finder.take(best_);
        }
        return true;
    }

    // The best candidate, which the finder took last.
    const Candidate& best() const { return best_; }
    // This candidate of a node of n rows is the best again.
    void restore(const Candidate& best, int64_t n) {
        best_ = best;
        n_ = n;
    }
    // Its rule, without missing and unseen children; sets a bit for each row that goes left.
    SplitRecord mark(const uint16_t* codes, uint64_t* bits);

  private:
    void look_at(int32_t c, const Array<uint32_t>& ids);
    void find_lone(int32_t c);
    // The codes with those of lone levels replaced.
    const uint16_t* places(int32_t c, const uint16_t* codes);

    const SharedColumns& columns_;
    const Settings& settings_;
    CategoryMemory& memory_;
    SearchContext context_;
    CategorySearch search_;
    bool is_open_ = false;
    int64_t n_ = 0;  // rows of the node
    Candidate best_;
};

}  // namespace silva
