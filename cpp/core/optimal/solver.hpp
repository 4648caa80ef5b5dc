// Branch and bound over the trees of one node. A solver belongs to one thread.
#pragma once

#include <deque>
#include <functional>

#include "core/optimal/branches.hpp"
#include "core/optimal/node.hpp"

namespace silva::optimal {

// The most splits of a tree of this depth.
inline int64_t most_splits(int64_t depth) {
    return depth >= 61 ? kInfinite : (int64_t{1} << depth) - 1;
}

// How much of a tree a node may still hold.
struct Limits {
    int64_t depth, splits;

    // Whether the number of splits is no limit of its own.
    bool is_free(int64_t rows) const { return splits >= std::min(most_splits(depth), rows - 1); }
};

// The best split of a node, and what its children may hold and cost.
struct Choice {
    int32_t column = -1;
    int64_t place = 0, left_splits = 0, right_splits = 0, left = 0, right = 0;
};

// What a solver reads and writes while it works on one task.
struct Task {
    const ValueTable* shared = nullptr;              // what earlier tasks found
    ValueTable* own = nullptr;                       // what this one finds
    int64_t budget = kInfinite;                      // of work
    const std::function<bool()>* is_late = nullptr;  // asked now and then
};

// Both children of a split: bounds of their values.
struct Evaluation {
    int64_t place = -1;
    Known left, right;
    bool was_stopped = false;
    bool is_exact() const { return left.is_exact && right.is_exact; }
};

// `Rows` is a layout of the rows of nodes, with its engine for trees of two levels.
template <class Rows>
class Solver {
  public:
    using Node = typename Rows::Node;

    Solver(const Problem& problem, const typename Rows::Table& table, const Bounds& bounds)
        : problem_(&problem), bounds_(bounds), rows_(problem, table, bounds) {}

    // Begins a task: nothing of earlier ones is left that could change its course. After it was
    // stopped, results are bounds that are true but not the best.
    void begin(const Question& question, const Task& task);

    // The least value of a tree for these rows if it is below `upper`; else a lower bound of it
    // that is not below, unless the task was stopped.
    Known solve(Node& node, Limits limits, int64_t upper, int level);
    // The parts of `solve`, for the root, whose branches are tasks, and for trees.
    Limits useful(const NodeFacts& facts, Limits limits) const;
    // No tree costs less in rows.
    int64_t floor_of(const Node& node, Limits limits) const;
    int64_t leaf_value(const Node& node) const { return question_.unit * node.facts.leaf; }
    RootTest shallow(Node& node, Limits limits, int64_t upper);
    // As `solve`, from a known lower bound and without the table of values. A tree of the value
    // `lower` ends the search. `choice` is set where a split is better than all trees of depth 2.
    Known search(Node& node, Limits limits, int64_t lower, int64_t upper, int level,
                 Choice* choice = nullptr);
    // The rows on one side of a split; valid until the next one of this level and side.
    Node& child(const Node& node, int32_t column, int64_t place, bool right, int level);
    void branch_out(const Node& node, Limits limits, int64_t lower, Branches& branches) const;
    Evaluation evaluate(const Node& node, const Branch& branch, Limits limits, int64_t cap,
                        int level);
    void push_halves(const Node& node, const Branch& branch, const Evaluation& found,
                     Branches& branches) const;

    // For the rest of the task, which is to end.
    void lift_limits();

    static constexpr int kMostLevels = 4000;  // a deeper node stops the task
    Rows& rows() { return rows_; }
    const Question& question() const { return question_; }
    bool was_stopped() const { return was_stopped_; }
    int64_t work() const { return rows_.work() - start_; }

  private:
    struct Remembered {
        Limits limits;
        int64_t lower;
        RowSet set;
    };
    static constexpr size_t kRemembered = 12;

    const ValueTable::Entry* look_up(const Key& key) const;
    void remember(const Node& node, Limits limits, const Known& known, int64_t effort);
    int64_t similar_bound(const Node& node, Limits limits) const;
    bool must_stop();
    bool peeks(Limits limits) const;
    Limits child_limits(const Branch& branch, Limits limits, bool right) const;
    void peek(const Node& node, const Branch& branch, bool right, Limits limits, int level,
              Evaluation& found);
    Known child_value(const Node& node, const Branch& branch, int64_t place, bool right,
                      Limits limits, int64_t upper, int level);
    Branch bounded(const Node& node, Branch branch, int64_t lower) const;
    int64_t scaled_distance(const Node& node, int32_t column, int64_t low, int64_t high) const;
    Node& node_at(int level, bool right);

    const Problem* problem_;
    Bounds bounds_;
    Rows rows_;
    Question question_;
    Task task_;
    int64_t start_ = 0, next_check_ = 0;
    bool was_stopped_ = false;
    std::deque<Node> nodes_;           // two for each level
    std::deque<Branches> branches_;    // one for each level
    std::vector<Remembered> archive_;  // a ring
    size_t next_remembered_ = 0;
};

}  // namespace silva::optimal
