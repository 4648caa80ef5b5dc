// One worker's search for the best candidate of one node, by whatever finder fits each column.
#pragma once

#include <cmath>
#include <utility>

#include "core/random.hpp"
#include "core/search.hpp"
#include "core/sweep.hpp"

namespace silva {

// Uniform in (low, high].
inline double random_between(double low, double high, uint64_t hash) {
    const double u = unit_draw(hash);
    const double drawn = low * (1 - u) + high * u;
    return drawn > low && drawn <= high ? drawn : high;
}

// One worker's search of some columns of one node.
template <class Id, class Sweep>
class NodeSearch {
  public:
    NodeSearch(const SearchContext& context, const Store<Id>& store, const OpenNode& node,
               Sweep sweep, SearchScratch& scratch)
        : context_(context),
          store_(store),
          node_(node),
          sweep_(std::move(sweep)),
          scratch_(scratch) {
        sweep_.set_best(-1.0);
        if constexpr (Sweep::kBoundsSmallNodes)
            if (node.rows() <= kBoundedRows && context.settings.min_rows_leaf == 1 &&
                context.min_leaf_weight <= 1.0)
                sweep_.bound_by(store.rows.data() + node.begin, node.rows());
    }

    // False when the column is constant in this node.
    bool column(int32_t column) {
        return context_.forms[column].form == Form::sorted ? sorted(column) : coded(column);
    }
    // All bit columns of `wanted` in one word; returns those that are constant in this node.
    uint64_t bits(int block, uint64_t wanted, const std::vector<int32_t>& column_of_bit);

    const Candidate& best() const { return best_; }
    // No candidate of a later column can be better, only equal.
    bool perfect() const {
        return best_.exists() && (node_.rows() == 2 || (best_.gain == sweep_.perfect_gain() &&
                                                        best_.lighter == sweep_.perfect_lighter()));
    }

  private:
    static constexpr int64_t kStopInterval = 1
                                             << 16;  // positions between two looks at the stop flag
    static constexpr int64_t kScanRows = 64;   // from here on codes are found by looking at all
    static constexpr size_t kFewClasses = 16;  // exact entropies are cheap up to here
    static constexpr Id kNew = Store<Id>::kNew;
    static constexpr Id kIdMask = Store<Id>::kIdMask;

    bool sorted(int32_t column);
    void sweep_thresholds(int32_t column, const Id* known, int64_t n_known, const Id* missing,
                          int64_t n_missing, bool missing_left);
    void raise_floor(const Id* known, int64_t first, int64_t last)
        requires(Sweep::kCostlyGain);
    void sweep_positions(int32_t column, const Id* known, int64_t first, int64_t last,
                         int64_t already_left, bool missing_left, bool missing_chosen);
    void sweep_blocks(int32_t column, const Id* known, int64_t first, int64_t last,
                      int64_t already_left, bool missing_left, bool missing_chosen)
        requires(Sweep::kHasFilter);
    void sweep_runs(int32_t column, const Id* known, int64_t n_known, const Id* missing,
                    int64_t n_missing);
    void random_sorted(int32_t column, const Id* known, int64_t n_known, const Id* missing,
                       int64_t n_missing);

    bool coded(int32_t column);
    int64_t group_width() const { return store_.n_classes > 0 ? store_.n_classes : 3; }
    int64_t* group(int64_t code) { return scratch_.groups.data() + code * group_width(); }
    int64_t* bit_group(int64_t bit) { return scratch_.bit_groups.data() + bit * group_width(); }
    void count_codes(const uint8_t* codes, int missing_code);
    void clear_codes(int missing_code);
    void sweep_codes(int32_t column, const std::vector<int>& occupied, int missing_code,
                     bool has_missing, bool missing_left);
    void one_vs_rest(int32_t column, const std::vector<int>& occupied, int missing_code,
                     bool has_missing);
    void random_coded(int32_t column, const std::vector<int>& occupied, int missing_code,
                      bool has_missing);

    void count_bits(const uint64_t* words, uint64_t wanted);
    void one_bit(int32_t column, const int64_t* set_group, int64_t set_rows);

    uint64_t draw(int32_t column) const {
        return mix(mix(node_.path, context_.settings.seed), column);
    }
    double value_of(int32_t column, Id entry) const {
        const int64_t id = store_.origin_of(entry & kIdMask);
        return context_.table.columns[column].value(context_.target.row_of(id));
    }

    void consider(int32_t column, int64_t position, int64_t left_rows, bool missing_left,
                  bool missing_chosen, bool swapped = false, double threshold = NAN);

    const SearchContext& context_;
    const Store<Id>& store_;
    const OpenNode& node_;
    Sweep sweep_;
    SearchScratch& scratch_;
    Candidate best_;
};

// Takes the sweep's present state as a candidate. `swapped`: the sweep gathered the right child.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::consider(int32_t column, int64_t position, int64_t gathered_rows,
                                     bool missing_left, bool missing_chosen, bool swapped,
                                     double threshold) {
    context_.stop.check();
    const int64_t rest_rows = node_.rows() - gathered_rows;
    if (std::min(gathered_rows, rest_rows) < context_.settings.min_rows_leaf) return;
    const int64_t weight = sweep_.left(), rest = node_.stats.weight - weight;
    Candidate candidate;
    candidate.lighter = std::min(weight, rest);
    if (static_cast<double>(candidate.lighter) < context_.min_leaf_weight) return;
    candidate.gain = sweep_.gain(swapped);
    if (candidate.gain < 0.0) return;
    candidate.column = column;
    candidate.position = position;
    candidate.missing_left = missing_left;
    candidate.missing_chosen = missing_chosen;
    candidate.threshold = threshold;
    if (!better(candidate, best_)) return;
    best_ = candidate;
    sweep_.set_best(best_.gain);
}

}  // namespace silva
