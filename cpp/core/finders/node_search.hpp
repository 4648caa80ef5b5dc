// One worker's search for the best candidate of one node, by whatever finder fits each column.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "core/children.hpp"
#include "core/random.hpp"
#include "core/search.hpp"
#include "core/sweep.hpp"

namespace silva {

// One child of a candidate, as a group of a sweep.
struct ChildGroup {
    const int64_t* group;
    int64_t rows;
};

// Rows of a column of categories that have no level of their own in a node.
struct Absent {
    Level missing, lone;
};

struct Evidence;

// What the charge of a column needs to know of its node.
struct NodeSpread {
    double inside;  // impurity times weight
    Wide squares;   // of the class weights
};

// What a gain is charged for the freedom of its column.
struct Charge {
    double most;   // the gain of all groups apart, by squares; no set of them gains more
    double share;  // of the gain
    double least;  // where the groups do not differ
    double of(double gain) const { return most > 0.0 ? gain * share : least; }
};

// A set of levels. Missing values count as a level only where they may go to either side.
struct LevelSet {
    int64_t rows = 0, weight = 0;
    int64_t known = 0;  // levels
    bool has_lowest = false;
};

// A column of categories in one node.
struct Categories {
    int32_t column;
    ColumnSettings asked;
    Level missing;    // without rows: there are none
    Level lone;       // all levels that one row of the tree has; without rows: there are none
    bool apart;       // missing values are not among the levels: they follow the majority or have
                      // their own branch
    int64_t n_known;  // known levels
    int32_t lowest;   // the lowest known code
    int64_t weight;   // of all levels

    bool has_missing() const { return missing.rows > 0; }
    bool own_branch() const { return apart && asked.missing == Fallback::own_branch; }
    // Followers join the side that is not listed: lone levels, and missing values of the majority.
    bool missing_follow() const { return apart && !own_branch(); }
    bool has_followers() const { return lone.rows > 0 || missing_follow(); }
    int64_t follower_rows() const { return lone.rows + (missing_follow() ? missing.rows : 0); }
    int64_t n_groups() const { return n_known + (has_missing() ? 1 : 0) + (lone.rows > 0 ? 1 : 0); }
};

// One worker's search of some columns of one node.
template <class Id, class Sweep>
class NodeSearch {
  public:
    // `by_column`: where the best candidate of each column is kept, or nullptr if only the best of
    // all counts.
    NodeSearch(const SearchContext& context, const Store<Id>& store, const OpenNode& node,
               Sweep sweep, SearchScratch& scratch, std::vector<Candidate>* by_column = nullptr)
        : context_(context),
          store_(store),
          node_(node),
          sweep_(std::move(sweep)),
          scratch_(scratch),
          by_column_(by_column) {
        sweep_.set_best(-1.0);
        if constexpr (Sweep::kBoundsSmallNodes)
            if (node.rows() <= kBoundedRows && context.settings.min_rows_leaf == 1 &&
                context.min_leaf_weight <= 1.0)
                sweep_.bound_by(store.rows.data() + node.begin, node.rows());
    }

    // False when the column is constant in this node.
    bool column(int32_t column) {
        const bool splits = search_column(column);
        end_column(column);
        return splits;
    }
    // All bit columns of `wanted` in one word; returns those that are constant in this node.
    uint64_t bits(int block, uint64_t wanted, const std::vector<int32_t>& column_of_bit);

    const Candidate& best() const { return best_; }
    // No candidate of a later column can be better, only equal.
    bool perfect() const {
        if (context_.settings.many_children() || by_column_ != nullptr) return false;
        return best_.exists() && (node_.rows() == 2 || (best_.score() == sweep_.perfect_gain() &&
                                                        best_.lighter == sweep_.perfect_lighter()));
    }

  private:
    static constexpr int64_t kStopInterval = 1
                                             << 16;  // positions between two looks at the stop flag
    static constexpr int64_t kScanRows = 64;   // from here on codes are found by looking at all
    static constexpr size_t kFewClasses = 16;  // exact entropies are cheap up to here
    static constexpr Id kNew = Store<Id>::kNew;
    static constexpr Id kIdMask = Store<Id>::kIdMask;

    bool search_column(int32_t column) {
        switch (context_.forms[column].form) {
            case Form::sorted: return sorted(column);
            case Form::category: return categories(column);
            default: return coded(column);
        }
    }
    // Keeps the best candidate of a column apart from those of other columns, if asked to.
    void end_column(int32_t column) {
        if (by_column_ == nullptr) return;
        (*by_column_)[column] = std::exchange(best_, Candidate{});
        forget_best();
    }
    void restore_best(Candidate best) {
        best_ = std::move(best);
        set_best();
    }
    void set_best() { sweep_.set_best(std::max(-1.0, best_.score())); }
    void forget_best() {
        best_ = Candidate{};
        sweep_.set_best(-1.0);
        if constexpr (Sweep::kCostlyGain) sweep_.set_floor(-INFINITY);
    }

    bool sorted(int32_t column);
    void sweep_majority(int32_t column, const Id* known, int64_t n_known, const Id* missing,
                        int64_t n_missing);
    void sweep_own_branch(int32_t column, const Id* known, int64_t n_known, const Id* missing,
                          int64_t n_missing);
    const Id* at_breakpoints(const Id* list, int64_t n_known);
    void sweep_thresholds(int32_t column, const Id* known, const Id* missing, int64_t n_missing,
                          bool missing_left, int64_t lowest, int64_t highest);
    void raise_floor(const Id* known, int64_t first, int64_t last)
        requires(Sweep::kCostlyGain);
    void sweep_positions(int32_t column, const Id* known, int64_t first, int64_t last,
                         int64_t already_left, bool missing_left, bool missing_chosen);
    void sweep_blocks(int32_t column, const Id* known, int64_t first, int64_t last,
                      int64_t already_left, bool missing_left, bool missing_chosen)
        requires(Sweep::kHasFilter);
    void random_sorted(int32_t column, const Id* known, int64_t n_known, const Id* missing,
                       int64_t n_missing);

    bool coded(int32_t column);
    int64_t group_width() const {
        return store_.n_classes > 0 ? static_cast<int64_t>(node_.stats.classes.size()) : 3;
    }
    int64_t* group(int64_t code) { return scratch_.groups.data() + code * group_width(); }
    int64_t* bit_group(int64_t bit) { return scratch_.bit_groups.data() + bit * group_width(); }
    void count_codes(const uint8_t* codes, int missing_code);
    void clear_codes(int missing_code);
    void sweep_codes(int32_t column, const std::vector<int>& occupied, int missing_code,
                     bool has_missing, bool missing_left);
    void sweep_codes_own_branch(int32_t column, const std::vector<int>& occupied, int missing_code);
    void mark_breakpoints(const uint8_t* codes, const std::vector<int>& occupied);
    bool is_breakpoint(int code) const {
        return !context_.settings.breakpoints || scratch_.breakpoint[code] != 0;
    }
    void random_coded(int32_t column, const std::vector<int>& occupied, int missing_code,
                      bool has_missing);

    void count_bits(const uint64_t* words, uint64_t wanted);
    void one_bit(int32_t column, const int64_t* set_group, int64_t set_rows);

    // Categories: what is counted.
    bool categories(int32_t column);
    template <class Code>
    void count_levels(const Code* codes, int32_t n_codes);
    template <class Code>
    void count_two_classes(const Code* codes, int32_t n_codes);
    template <class Code>
    void sort_into_entries(const Code* codes, int32_t n_codes);
    template <class Code>
    Absent list_levels(const Code* codes, int32_t n_codes);
    void take_level(int32_t code, int32_t slot);
    void add_level(const Level& level);
    void add_level_to(const Level& level, int64_t* group, int sign = 1) const;
    void join(Level& to, const Level& from);
    void add_followers(const Categories& c);
    // Categories: what is asked.
    void ask(const Categories& c);
    void ask_fairly(const Categories& c);
    bool is_fitted(const Categories& c) const;
    NodeSpread node_spread() const;
    template <class F>
    void for_groups(const Categories& c, F&& f) const;
    Evidence evidence_of(const Categories& c) const;
    double spread_of(const Level& level) const;
    template <class F>
    void for_classes(const Level& level, F&& f) const;
    Charge charge_of(const Categories& c);
    bool is_hopeless(const Charge& charge) const;
    void one_against_rest(const Categories& c);
    void missing_against_rest(const Categories& c);
    void one_level(const Categories& c, const Level& level);
    bool offer_own_branch(const Categories& c, const int64_t* group, int64_t rows, bool listed,
                          int64_t position);
    void all_apart(const Categories& c);
    void subsets(const Categories& c);
    void random_categories(const Categories& c);
    void random_subset(const Categories& c);
    void ordered_subsets(const Categories& c);
    void order_by_target();
    void order_by_share();
    bool order_by_short_share();
    void order_exactly();
    void sweep_order(const Categories& c, int64_t first_position);
    void sweep_prefixes(const Categories& c, int64_t first_position, bool with_followers);
    void sweep_prefixes_own_branch(const Categories& c, int64_t first_position);
    void all_subsets(const Categories& c);
    void likely_subsets(const Categories& c);
    bool can_be_best(const Categories& c);
    void order_by_class(int32_t label);
    void order_by_component();
    std::vector<int32_t> ordered_classes() const;
    void improve_subset(const Categories& c, int64_t position);
    bool offer(const Categories& c, const int64_t* group, const LevelSet& set, int64_t position);
    void add_to_set(const Categories& c, const Level& level, LevelSet& set, int sign = 1) const;
    bool is_listed(const Categories& c, const LevelSet& set) const;
    void gather_prefix(int64_t length);
    void describe_subset(const Categories& c);

    static constexpr bool kValues = std::is_same_v<typename Sweep::Rows, ValueRows>;
    static constexpr bool kTwoClasses = std::is_same_v<Sweep, TwoClassGini<uint8_t>>;
    static constexpr bool kEntries = requires(Sweep sweep) { sweep.add_class(0, int64_t{1}); };
    static constexpr int64_t kDenseCells = int64_t{1} << 21;  // counted by code up to here
    static constexpr int64_t kDenseClasses = 1024;            // the same
    static constexpr int64_t kExhaustiveLevels = 10;
    static constexpr size_t kOrderedClasses = 32;

    // to += sign * from
    void merge(int64_t* to, const int64_t* from, int sign) const {
        if constexpr (kValues) {
            add_to_group(to, sign * from[0], sign * group_sum(from));
        } else {
            for (int64_t k = 0; k < group_width(); ++k) to[k] += sign * from[k];
        }
    }
    void add_node_to(int64_t* group) const {
        if constexpr (kValues)
            add_to_group(group, node_.stats.weight, node_.stats.sum);
        else
            merge(group, node_.stats.classes.data(), 1);
    }
    // Classes that occur in the node; none for values.
    int64_t n_present() const {
        const auto& classes = node_.stats.classes;
        return static_cast<int64_t>(classes.size()) -
               std::count(classes.begin(), classes.end(), int64_t{0});
    }
    // Room for the groups of some children, all zero.
    int64_t* child_groups(int64_t n) {
        scratch_.children.assign(static_cast<size_t>(n * group_width()), 0);
        return scratch_.children.data();
    }
    bool is_large(int64_t rows, int64_t weight) const {
        return rows >= context_.settings.min_rows_leaf &&
               static_cast<double>(weight) >= context_.min_leaf_weight;
    }

    uint64_t draw(int32_t column) const {
        return mix(mix(node_.path, context_.settings.seed), column);
    }
    // The class or the value that a row has as its target.
    int64_t target_of(int64_t id) const {
        if constexpr (kValues)
            return store_.q[id];
        else
            return store_.label8.empty() ? store_.label32[id] : store_.label8[id];
    }
    double value_of(int32_t column, Id entry) const {
        const int64_t id = store_.origin_of(entry & kIdMask);
        return context_.table.columns[column].value(context_.target.row_of(id));
    }

    bool consider(int32_t column, int64_t position, int64_t left_rows, bool missing_left,
                  bool missing_chosen, bool swapped = false, double threshold = NAN);
    bool consider_own_branch(int32_t column, int64_t position, std::span<const ChildGroup> children,
                             double threshold = NAN);
    bool keep_if_better(Candidate candidate);

    const SearchContext& context_;
    const Store<Id>& store_;
    const OpenNode& node_;
    Sweep sweep_;
    SearchScratch& scratch_;
    std::vector<Candidate>* by_column_;
    Candidate best_;
    std::optional<NodeSpread> spread_;  // made when a column is charged
};

// Takes the sweep's present state as a candidate, and says whether it is the best now. `swapped`:
// the sweep gathered the right child.
template <class Id, class Sweep>
bool NodeSearch<Id, Sweep>::consider(int32_t column, int64_t position, int64_t gathered_rows,
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
    return keep_if_better(std::move(candidate));
}

template <class Id, class Sweep>
bool NodeSearch<Id, Sweep>::keep_if_better(Candidate candidate) {
    if (!better(candidate, best_)) return false;
    best_ = std::move(candidate);
    set_best();
    return true;
}

// Two children and, as the third, the missing values.
template <class Id, class Sweep>
bool NodeSearch<Id, Sweep>::consider_own_branch(int32_t column, int64_t position,
                                                std::span<const ChildGroup> children,
                                                double threshold) {
    context_.stop.check();
    ChildrenGain gain(context_.settings.criterion, node_.stats);
    for (size_t i = 0; i < 2; ++i)
        if (!is_large(children[i].rows, gain.weight_of(children[i].group))) return false;
    for (const ChildGroup& child : children) gain.add(child.group);
    Candidate candidate;
    candidate.gain = gain.gain();
    if (candidate.gain < 0.0) return false;
    candidate.lighter = gain.lightest();
    candidate.split_info = gain.split_info();
    candidate.column = column;
    candidate.position = position;
    candidate.missing_chosen = candidate.own_branch = true;
    candidate.threshold = threshold;
    return keep_if_better(std::move(candidate));
}

}  // namespace silva
