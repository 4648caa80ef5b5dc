// One worker's search for the best candidate of one node: what does not depend on the criterion.
//
// Three layers, so that little code is compiled for each combination of types:
//   ColumnSearch        no type parameter: candidates, levels of categories, orders, charges
//   GroupSearch<Groups> by criterion: whole groups of rows move from one child to the other
//   NodeSearch          by criterion and type of id: single rows move
// What rows count for each code is collected by RowCounts.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/random.hpp"
#include "core/search/children.hpp"
#include "core/search/search.hpp"

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
    double most_score() const { return most * (1 - share); }
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
    bool drawn;       // its question is a random one

    bool has_missing() const { return missing.rows > 0; }
    bool own_branch() const { return apart && asked.missing == Fallback::own_branch; }
    // Followers join the side that is not listed: lone levels, and missing values of the majority.
    bool missing_follow() const { return apart && !own_branch(); }
    bool has_followers() const { return lone.rows > 0 || missing_follow(); }
    int64_t follower_rows() const { return lone.rows + (missing_follow() ? missing.rows : 0); }
    int64_t n_groups() const { return n_known + (has_missing() ? 1 : 0) + (lone.rows > 0 ? 1 : 0); }
};

// What the searches of all workers for one node share. `by_column`: where the best candidate of
// each column is kept, or nullptr if only the best of all counts.
struct NodeTask {
    const SearchContext& context;
    StoreNode& node;
    const std::vector<int32_t>& columns;
    Team& team;
    std::vector<SearchScratch>& scratch;
    std::vector<uint8_t>& dead;  // by column: constant in this node
    std::vector<Candidate>* by_column;
    Entries entries;  // of further columns
};

struct KnownPart;

class ColumnSearch {
  public:
    virtual ~ColumnSearch() = default;
    ColumnSearch(const ColumnSearch&) = delete;
    ColumnSearch& operator=(const ColumnSearch&) = delete;

    // False when the column is constant in this node.
    virtual bool column(int32_t column) = 0;
    // All bit columns of `wanted` in one word; returns those that are constant in this node.
    virtual uint64_t bits(int block, uint64_t wanted,
                          const std::vector<int32_t>& column_of_bit) = 0;

    // All columns of these entries.
    virtual void runs(Entries entries) = 0;

    const Candidate& best() const { return best_; }
    // No candidate of a later column can be better, only equal.
    bool perfect() const {
        if (context_.settings.many_children() || by_column_ != nullptr) return false;
        return best_.exists() && (node_.rows() == 2 || (best_.score() == perfect_gain_ &&
                                                        best_.lighter == perfect_lighter_));
    }

  protected:
    static constexpr int64_t kStopInterval = 1 << 16;  // positions between two looks at the flag
    static constexpr int64_t kExhaustiveLevels = 10;
    static constexpr size_t kOrderedClasses = 32;

    ColumnSearch(const SearchContext& context, const StoreNode& node, SearchScratch& scratch,
                 GroupLayout layout, bool weighted, std::vector<Candidate>* by_column)
        : context_(context),
          node_(node),
          scratch_(scratch),
          by_column_(by_column),
          layout_(layout),
          weighted_(weighted),
          width_(layout == GroupLayout::values ? 3 : std::ssize(node.stats.classes)) {}

    // Tells the sweep which gain is to be beaten.
    virtual void set_bound(double gain) = 0;

    void set_best() { set_bound(std::max(-1.0, best_.score())); }
    void restore_best(Candidate best) {
        best_ = std::move(best);
        set_best();
    }
    bool keep_if_better(Candidate candidate) {
        if (!better(candidate, best_)) return false;
        best_ = std::move(candidate);
        set_best();
        return true;
    }
    bool consider_own_branch(int32_t column, int64_t position, std::span<const ChildGroup> children,
                             double threshold = NAN);
    KnownPart known_part(const int64_t* known, const int64_t* absent, int64_t rows) const;
    template <class Order, class NewSweep>
    void sweep_own_branch(int32_t column, const Order& order, NewSweep&& new_sweep);
    double squares_of(const int64_t* group) const;
    bool may_be_best(std::span<const ChildGroup> children);
    bool is_large(int64_t rows, int64_t weight) const {
        return rows >= context_.settings.min_rows_leaf &&
               static_cast<double>(weight) >= context_.min_leaf_weight;
    }
    uint64_t draw(int32_t column) const {
        return mix(mix(node_.path, context_.settings.seed), column);
    }

    // ---- groups --------------------------------------------------------------------------------

    int64_t group_width() const { return width_; }
    int64_t* group(int64_t code) { return scratch_.groups.data() + code * width_; }
    int64_t* bit_group(int64_t bit) { return scratch_.bit_groups.data() + bit * width_; }
    bool is_breakpoint(int code) const {
        return !context_.settings.breakpoints || scratch_.breakpoint[code] != 0;
    }
    // to += sign * from
    void merge(int64_t* to, const int64_t* from, int sign) const {
        if (layout_ == GroupLayout::values) {
            add_to_group(to, sign * from[0], sign * group_sum(from));
        } else {
            for (int64_t k = 0; k < width_; ++k) to[k] += sign * from[k];
        }
    }
    void add_node_to(int64_t* group) const {
        if (layout_ == GroupLayout::values)
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
        scratch_.children.assign(static_cast<size_t>(n * width_), 0);
        return scratch_.children.data();
    }
    void clear_codes(int missing_code);
    void sweep_codes_own_branch(int32_t column, const std::vector<int>& occupied, int missing_code);

    // ---- levels of categories ------------------------------------------------------------------

    // The column as its levels, which were listed, show it; nothing if it is constant.
    std::optional<Categories> arrange(int32_t column, Absent absent);
    void add_level_to(const Level& level, int64_t* group, int sign = 1) const;
    void join(Level& to, const Level& from);
    bool offer_own_branch(const Categories& c, const int64_t* group, int64_t rows, bool listed,
                          int64_t position);
    void all_apart(const Categories& c);
    bool can_be_best(const Categories& c);
    void add_to_set(const Categories& c, const Level& level, LevelSet& set, int sign = 1) const;
    bool is_listed(const Categories& c, const LevelSet& set) const;
    void gather_prefix(int64_t length);
    LevelSet sum_gathered(const Categories& c);
    void describe_subset(const Categories& c);

    // ---- orders of levels ----------------------------------------------------------------------

    void order_by_target();
    void order_by_share();
    bool order_by_short_share();
    void order_exactly();
    void order_by_class(int32_t label);
    void order_by_component();
    std::vector<int32_t> ordered_classes() const;

    // ---- charges -------------------------------------------------------------------------------

    bool is_fitted(const Categories& c) const;
    double chance_of(const Categories& c) const;
    Charge charge_of(const Categories& c, double chance) const;
    double most_score(double chance) const;
    bool is_hopeless(double most_score) const;
    double spread_of(const Level& level) const;

    const SearchContext& context_;
    const StoreNode& node_;
    SearchScratch& scratch_;
    std::vector<Candidate>* by_column_;
    GroupLayout layout_;
    bool weighted_;
    int64_t width_;  // numbers in a group
    Candidate best_;
    std::optional<NodeSpread> spread_;  // made when a column is charged
    std::optional<double> node_squares_;
    double perfect_gain_ = INFINITY;  // of the best candidate that there can be
    int64_t perfect_lighter_ = 0;
};

// Searches the columns of the task by the sweep that fits the criterion, the classes and the
// weights.
template <class Id>
void search_task(const NodeTask& task, const Store<Id>& store);

// Searches the columns of the task, one by one or shared among the team, and keeps the best
// candidate in the node.
void search_alone(const NodeTask& task, ColumnSearch& search);
void search_together(const NodeTask& task,
                     const std::function<std::unique_ptr<ColumnSearch>(int worker)>& new_search);

}  // namespace silva
