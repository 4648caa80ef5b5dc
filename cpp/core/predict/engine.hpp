// The prediction engine of a forest: rows in, sums of the trees' predictions out.
//
// Sums are taken in the order of the trees for every row, so that they are the same bits for any
// number of threads and of rows in a call.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/pool.hpp"
#include "core/predict/engine_predictions.hpp"
#include "core/predict/engine_rows.hpp"
#include "core/predict/engine_trees.hpp"
#include "core/predict/predict.hpp"

namespace silva {

// Predictions of nodes. Classes: shares. Numbers: one for each node, borrowed by the engine.
struct NodePredictions {
    NodeShares shares;
    const double* values = nullptr;
};

class Engine {
  public:
    // Of all columns, and those that thresholds and subsets ask about, ascending. `n_classes` 0:
    // the trees predict numbers.
    Engine(std::vector<Kind> kinds, std::vector<int32_t> used_columns, int64_t n_classes);
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    // Appends a tree of thresholds and subsets, of which only the arrays of these are read. False,
    // and nothing done, where it does not fit: then it must be routed. `leaves` are the predictions
    // of its leaves; `inner` of its inner nodes, if rows can stop there.
    bool add(const TreeArrays& tree, const double* thresholds, const NodePredictions& leaves,
             const NodePredictions* inner);
    // Appends a tree of any kind; `nodes` are the predictions of all nodes.
    void add_routed(const TreeArrays& tree, const NodePredictions& nodes);
    // No more trees will come.
    void close();

    const std::vector<Kind>& kinds() const { return trees_.kinds(); }
    int64_t n_classes() const { return n_classes_; }
    int64_t n_trees() const { return static_cast<int64_t>(parts_.size()); }
    int64_t bytes() const;

    // Means of shares, and votes, of (rows, classes); means of (rows); nodes of (rows, trees). What
    // `out` points to is zero before. The vote of tree t counts `weights[t]` in `weighted`;
    // `choices` are the classes that trees vote for, of (trees, rows).
    void soft(const Table& table, double* out, int threads, const StopFlag& stop) const;
    void hard(const Table& table, int64_t* out, int threads, const StopFlag& stop) const;
    void weighted(const Table& table, const double* weights, double* out, int threads,
                  const StopFlag& stop) const;
    void choices(const Table& table, int32_t* out, int threads, const StopFlag& stop) const;
    void mean(const Table& table, double* out, int threads, const StopFlag& stop) const;
    void leaves(const Table& table, int32_t* out, int threads, const StopFlag& stop) const;

  private:
    // One tree: compact (number among trees_) or routed (number among those with a router).
    struct Part {
        int32_t compact = -1, routed = -1;
        std::unique_ptr<Router> router;
        PredictionNumbers inner, nodes;                           // classes
        const double *values = nullptr, *inner_values = nullptr;  // numbers
    };
    struct Space {
        KeyRows rows;
        std::vector<int32_t> ends;  // of rows, or of trees
        Router::Space router;
        std::vector<int64_t> routed;        // nodes of the rows of a chunk in each routed tree
        int64_t first_row = 0, n_rows = 0;  // of the chunk
        std::vector<double> lost;           // by rounding: from the sums of the rows at hand
        std::vector<double> values;         // of one tree for these rows
    };
    struct Chunks {
        int64_t rows, count;
    };

    Chunks chunks_of(const Table& table, int threads) const;
    int64_t rows_of_keys() const;
    // Calls take(part, rows begin, n, ends, space) for one tree after the other. An end is the leaf
    // of a row in its tree, or ~i for inner node i; for a routed tree it is the node.
    template <class Take>
    void visit(const Table& table, int threads, const StopFlag& stop, const Take& take) const;
    template <class Take>
    void visit_rows(const Table& table, int64_t begin, int64_t end, Space& space,
                    const Take& take) const;
    template <class Take>
    void visit_trees(const Table& table, int64_t begin, int64_t end, Space& space,
                     const Take& take) const;
    void resolve(const Table& table, int32_t compact, int64_t row, int32_t& end) const;
    void route(const Table& table, int64_t begin, int64_t end, Space& space,
               const StopFlag& stop) const;
    void copy_routed(const Part& part, int64_t begin, int64_t n, Space& space) const;
    int64_t number_of(const Part& part) const { return &part - parts_.data(); }
    template <class F>
    void for_predictions(const Part& part, int64_t n, const int32_t* ends, const F& f) const;
    bool is_first(const Part& part) const { return &part == parts_.data(); }
    bool is_last(const Part& part) const { return &part == &parts_.back(); }
    // Turns `n` sums into means.
    void divide(double* sums, const double* lost, int64_t n) const;

    int64_t n_classes_;
    EngineTrees trees_;
    PredictionBook book_;
    PredictionNumbers leaf_predictions_;  // of the leaves of all compact trees
    std::vector<Part> parts_;
    int64_t n_routed_ = 0;
    std::vector<int32_t> first_nodes_, walked_;  // of compact trees with inner nodes, and these
};

}  // namespace silva
