// The part of a node's search that moves whole groups of rows: codes, bits and levels.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/search/finders/column_search.hpp"
#include "core/search/sweep.hpp"

namespace silva {

// `Groups` is a sweep without its rows (sweeps/rows.hpp).
template <class Groups>
class GroupSearch : public ColumnSearch {
  protected:
    GroupSearch(const SearchContext& context, const StoreNode& node, SearchScratch& scratch,
                Groups& sweep, bool weighted, std::vector<Candidate>* by_column = nullptr)
        : ColumnSearch(context, node, scratch, Groups::kLayout, weighted, by_column),
          sweep_(sweep) {}

    void set_bound(double gain) final { sweep_.set_best(gain); }
    void forget_best() {
        best_ = Candidate{};
        sweep_.set_best(-1.0);
        if constexpr (HasFloor<Groups>) sweep_.set_floor(-INFINITY);
    }
    // Keeps the best candidate of a column apart from those of other columns, if asked to.
    void end_column(int32_t column) {
        if (by_column_ == nullptr) return;
        (*by_column_)[column] = std::exchange(best_, Candidate{});
        forget_best();
    }
    bool consider(int32_t column, int64_t position, int64_t gathered_rows, bool missing_left,
                  bool missing_chosen, bool swapped = false, double threshold = NAN);

    void consider_random(int32_t column, int64_t position, uint64_t hash, double threshold,
                         std::span<const ChildGroup, 3> sides);

    void sweep_codes(int32_t column, const std::vector<int>& occupied, int missing_code,
                     bool has_missing, bool missing_left);

    // What was counted by code, by bit and by level. The codes are left empty.
    bool sweep_coded(int32_t column);
    uint64_t sweep_bits(uint64_t wanted, const std::vector<int32_t>& column_of_bit);
    // The best question about a column; `spread_of_node` is called where it is charged.
    template <class SpreadOfNode>
    void ask_about(const Categories& c, SpreadOfNode&& spread_of_node) {
        if (!is_fitted(c)) {
            ask(c);
            return describe(c);
        }
        if (!spread_) spread_ = spread_of_node();
        ask_fairly(c);
    }

  private:
    static constexpr bool kEntries = Groups::kLayout == GroupLayout::entries;

    void random_coded(int32_t column, const std::vector<int>& occupied, int missing_code);
    void one_bit(int32_t column, const int64_t* set_group, int64_t set_rows);

    void ask(const Categories& c);
    void ask_fairly(const Categories& c);
    void describe(const Categories& c);
    void add_level(const Level& level);
    void add_followers(const Categories& c);
    void one_against_rest(const Categories& c);
    void missing_against_rest(const Categories& c);
    void one_level(const Categories& c, const Level& level);
    void random_categories(const Categories& c);

    void subsets(const Categories& c);
    void random_subset(const Categories& c);
    void ordered_subsets(const Categories& c);
    void sweep_order(const Categories& c, int64_t first_position);
    void sweep_prefixes(const Categories& c, int64_t first_position, bool with_followers);
    void sweep_prefixes_own_branch(const Categories& c, int64_t first_position);
    void all_subsets(const Categories& c);
    void likely_subsets(const Categories& c);
    void improve_subset(const Categories& c, int64_t position);
    bool offer(const Categories& c, const int64_t* group, const LevelSet& set, int64_t position);

    Groups& sweep_;
};

// Takes the sweep's present state as a candidate, and says whether it is the best now. `swapped`:
// the sweep gathered the right child.
template <class Groups>
bool GroupSearch<Groups>::consider(int32_t column, int64_t position, int64_t gathered_rows,
                                   bool missing_left, bool missing_chosen, bool swapped,
                                   double threshold) {
    context_.stop.check();
    const int64_t rest_rows = node_.rows() - gathered_rows;
    if (std::min(gathered_rows, rest_rows) < context_.settings.min_rows_leaf) return false;
    const int64_t weight = sweep_.left(), rest = node_.stats.weight - weight;
    Candidate candidate;
    candidate.lighter = std::min(weight, rest);
    if (static_cast<double>(candidate.lighter) < context_.min_leaf_weight) return false;
    candidate.gain = sweep_.gain(swapped);
    if (candidate.gain < 0.0) return false;
    candidate.column = column;
    candidate.position = position;
    candidate.missing_left = missing_left;
    candidate.missing_chosen = missing_chosen;
    candidate.threshold = threshold;
    if (!better(candidate, best_)) return false;
    best_ = std::move(candidate);
    sweep_.set_best(std::max(-1.0, best_.score()));
    if constexpr (HasTies<Groups>) sweep_.set_best_lighter(best_.lighter);
    return true;
}

}  // namespace silva
