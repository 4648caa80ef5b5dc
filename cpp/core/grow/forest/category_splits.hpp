// Splits of one tree of a forest that the finders of single trees find, because the layout's own
// finder knows two children and their thresholds only: those of categories, and those with a branch
// for missing values. Lone levels of the tree's rows, the best candidate of a node, who goes where.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/columns/shared_columns.hpp"
#include "core/grow/marker.hpp"
#include "core/grow/rules.hpp"
#include "core/search/forest/category_search.hpp"
#include "core/search/forest/sorted_keys.hpp"
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
    KeyScratch keys;
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

    // A node begins. It must be opened before its first column is searched, with n rows from
    // `begin` on; only search and search_own_branch read them.
    void start_node() { is_open_ = false; }
    bool is_open() const { return is_open_; }
    // Numbers in a group of a sweep.
    size_t group_width() const {
        return context_.target.n_classes == 0 ? 3 : static_cast<size_t>(context_.target.n_classes);
    }
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
        take_found(c, finder);
        return true;
    }

    // The same for thresholds beside a branch of missing values. At least two ranks are known.
    template <class Rank, class Finder>
    void search_own_branch(int32_t c, const Rank* ranks, const MissingValues& missing,
                           Finder& finder) {
        const Range<Rank> range = range_of(ranks, n_);
        const uint64_t* keys = sorted_keys(ranks, n_, range.low, range.high, memory_.keys);
        const OrderedRows rows{keys, range.low, n_, count_known(keys, n_, range, missing.rank)};
        search_.own_branch(c, rows, finder.best());
        take_found(c, finder);
    }

    // The same for one threshold, whose three children are groups of a sweep.
    template <class Finder>
    void offer_own_branch(int32_t c, std::span<const ChildGroup, 3> children, Finder& finder) {
        search_.own_branch(c, children, finder.best());
        take_found(c, finder);
    }

    // The best candidate, which the finder took last.
    const Candidate& best() const { return best_; }
    bool makes_many() const { return silva::makes_many(best_); }
    int64_t n_children() const { return silva::n_children(best_); }
    // This candidate of a node of n rows is the best again.
    void restore(const Candidate& best, int64_t n) {
        best_ = best;
        n_ = n;
    }
    // Its rule, without missing and unseen children; sets a bit for each row that goes left.
    SplitRecord mark(const uint16_t* codes, uint64_t* bits);
    // The same of any number of children; says which child each row goes to.
    SplitRecord mark_children(const uint16_t* codes, std::vector<uint32_t>& child);

  private:
    template <class Finder>
    void take_found(int32_t c, Finder& finder) {
        if (search_.found().column != c) return;
        best_ = search_.found();
        finder.take(best_);
    }
    SplitRecord rule() const;
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
