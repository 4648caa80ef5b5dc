// Trees of values that a solver has found: the search itself keeps values only.
#pragma once

#include "core/optimal/found_tree.hpp"
#include "core/optimal/solver.hpp"

namespace silva::optimal {

template <class Rows>
class TreeMaker {
  public:
    using Node = typename Rows::Node;

    // Works within the task that the solver has begun.
    explicit TreeMaker(Solver<Rows>& solver) : solver_(&solver) {}

    // A tree of this value, the least one of the node.
    FoundTree best(Node& node, Limits limits, int64_t value, int level);
    // The tree of a split whose children were solved. Takes what work it needs.
    FoundTree of_split(Node& node, const Branch& branch, const Evaluation& found, Limits limits);
    // The tree of at most two levels that `shallow` found.
    FoundTree of_two_levels(Node& node, Limits limits, const RootTest& root, int level);
    // A good tree, quickly: each split is the root of the best tree of two levels.
    FoundTree dive(Node& node, Limits limits, int level, int64_t& value);

  private:
    FoundTree of_choice(const Node& node, const Choice& choice, Limits limits, int level);
    FoundTree of_side(const Node& node, const Choice& choice, bool right, Limits limits, int level);
    FoundTree join(const Node& node, const Choice& choice, const FoundTree& left,
                   const FoundTree& right) const;

    Solver<Rows>* solver_;
};

}  // namespace silva::optimal
