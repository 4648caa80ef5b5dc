// The best tree of depth 2 on ordered columns.
//
// Columns of two ranks are flags: a pass takes many of them at once, and visits only the rows of
// the smaller side of each.
//
// For each other column a search over the places of its split. A pass over the rows in the order of
// every column gives the best stumps on both sides of several places at once (threshold_pass.hpp).
// Moving a place by some rows changes those by at most their cost, so that the places that can
// still be best get fewer with each pass.
#pragma once

#include <functional>
#include <utility>

#include "core/optimal/sorted_node.hpp"
#include "core/optimal/stump_sweep.hpp"
#include "core/optimal/threshold_pass.hpp"

namespace silva::optimal {

// The value of a tree is unit * cost + penalty * splits.
struct TwoLevelQuery {
    int64_t unit, penalty;
    int64_t max_splits;  // at least 1; 3 or more: all trees of depth 2
    int64_t min_rows;    // of each leaf, by their counts
    int64_t upper;       // only lower values are of interest
    int max_depth;       // 1 or 2
};

// The first test: the first `place` rows in the order of `column` go left. Column -1: a leaf, or no
// tree of a value below the upper limit.
struct TwoLevels {
    int64_t value;
    int32_t column = -1;
    int64_t place = 0;
};

class SortedEngine {
  public:
    // `facts` of the ids below n_ids; they are not copied. Without intervals every place is
    // evaluated.
    SortedEngine(const RowFacts& facts, int64_t n_ids, bool use_intervals);

    // The least value of a tree within the limits if it is below query.upper; else a lower bound of
    // it that is at least query.upper. A single leaf is within the limits whatever its size.
    TwoLevels solve(const SortedView& view, const TwoLevelQuery& query);

    // Rows times columns visited so far: the same on every machine.
    int64_t work() const { return work_; }

    // Asked now and then whether to stop; null: never. After `was_late`, what `solve` returned
    // means nothing.
    void set_late(const std::function<bool()>* is_late) { is_late_ = is_late, was_late_ = false; }
    bool was_late() const { return was_late_; }

  private:
    // A place whose sides are known, without a minimum of rows: with one, a side may cost less than
    // a part of it, and bounds would not hold.
    struct Point {
        int64_t place;
        int64_t distance;  // unit * worst costs of the rows before it
        int64_t left, right, left_leaf, right_leaf;
    };
    // The search in one column.
    struct Search {
        size_t column;
        int64_t promise;  // the lowest value of the last pass
        std::vector<Point> points;
    };

    void offer(int64_t value, int32_t column, int64_t place);
    int64_t child(int64_t leaf, int64_t stump) const;
    int64_t splits_bound() const;
    void try_stumps();
    void search();
    bool is_late();
    void search_flags();
    int64_t flag_bound(const NodeColumn& flag) const;
    void offer_flags();
    std::pair<Point, Point> outer_points() const;
    void open_all();
    void advance_all();
    bool advance(Search& search);
    void list_places(const Search& search);
    void list_between(const Search& search, const Point& low, const Point& high);
    int64_t bound(const Point& low, const Point& high, int64_t distance) const;
    void thin_out(int64_t n);
    void measure(const NodeColumn& column);
    // Of the rows before a place, of the column that was measured.
    int64_t distance(int64_t place) const;
    bool is_permitted(int64_t place) const;
    void evaluate(ThresholdPass& pass, const NodeColumn& column);
    Point point(const Sides& sides, int64_t place, int64_t distance) const;
    int64_t value(const Point& point) const;
    void add_points(Search& search);
    void offer_strict(const Search& search);

    bool use_intervals_;
    SortedNode node_;
    StumpSweep stumps_;
    ThresholdPasses relaxed_passes_, strict_passes_;
    ThresholdPass *relaxed_ = nullptr, *strict_ = nullptr;  // without and with a minimum of rows
    TwoLevelQuery query_{};
    TwoLevels best_{};
    int64_t whole_ = 0;  // value of the node as a leaf or stump
    std::vector<Search> searches_;
    std::vector<size_t> active_;
    std::vector<size_t> flags_, taken_;
    std::vector<int64_t> distances_, counts_;  // before each place of the column at hand
    std::vector<int64_t> places_, kept_;
    std::vector<Sides> sides_;
    int64_t work_ = 0, next_look_ = 0;
    const std::function<bool()>* is_late_ = nullptr;
    bool was_late_ = false;
};

}  // namespace silva::optimal
