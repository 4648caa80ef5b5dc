#include "core/optimal/tree_maker.hpp"

#include "core/optimal/bit_rows.hpp"
#include "core/optimal/sorted_rows.hpp"

namespace silva::optimal {
namespace {

FoundTree leaf_tree() {
    FoundTree tree;
    tree.add_leaf();
    return tree;
}

}  // namespace

template <class Rows>
FoundTree TreeMaker<Rows>::best(Node& node, Limits limits, int64_t value, int level) {
    limits = solver_->useful(node.facts, limits);
    if (limits.splits <= 0 || solver_->leaf_value(node) <= value) return leaf_tree();
    const RootTest two = solver_->shallow(node, limits, value + 1);
    if (limits.depth <= 2 || two.value <= value) return of_two_levels(node, limits, two, level);
    Choice choice;
    solver_->search(node, limits, value, value + 1, level, &choice);
    if (choice.column < 0) return leaf_tree();  // stopped: the caller measures what it gets
    return of_choice(node, choice, limits, level);
}

template <class Rows>
FoundTree TreeMaker<Rows>::of_split(Node& node, const Branch& branch, const Evaluation& found,
                                    Limits limits) {
    solver_->lift_limits();
    const Choice choice{branch.column,       found.place,      branch.left_splits,
                        branch.right_splits, found.left.lower, found.right.lower};
    return of_choice(node, choice, limits, 0);
}

template <class Rows>
FoundTree TreeMaker<Rows>::of_choice(const Node& node, const Choice& choice, Limits limits,
                                     int level) {
    const FoundTree left = of_side(node, choice, false, limits, level);
    return join(node, choice, left, of_side(node, choice, true, limits, level));
}

template <class Rows>
FoundTree TreeMaker<Rows>::of_side(const Node& node, const Choice& choice, bool right,
                                   Limits limits, int level) {
    Node& side = solver_->child(node, choice.column, choice.place, right, level);
    return best(side, {limits.depth - 1, right ? choice.right_splits : choice.left_splits},
                right ? choice.right : choice.left, level + 1);
}

// Gives the splits that the root leaves to the side where they save more.
template <class Rows>
FoundTree TreeMaker<Rows>::of_two_levels(Node& node, Limits limits, const RootTest& root,
                                         int level) {
    if (root.column < 0) return leaf_tree();
    int64_t leaf[2], saved[2] = {0, 0};
    for (const bool right : {false, true}) {
        Node& side = solver_->child(node, root.column, root.place, right, level);
        leaf[right] = solver_->leaf_value(side);
        if (limits.depth < 2) continue;
        const int64_t stump = solver_->shallow(side, {1, 1}, leaf[right]).value;
        saved[right] = std::max<int64_t>(0, leaf[right] - stump);
    }
    if (limits.splits < 3) saved[saved[0] >= saved[1]] = 0;
    if (limits.splits < 2) saved[0] = saved[1] = 0;
    const Choice choice{root.column,  root.place,         saved[0] > 0,
                        saved[1] > 0, leaf[0] - saved[0], leaf[1] - saved[1]};
    return of_choice(node, choice, limits, level);
}

template <class Rows>
FoundTree TreeMaker<Rows>::dive(Node& node, Limits limits, int level, int64_t& value) {
    limits = solver_->useful(node.facts, limits);
    value = solver_->leaf_value(node);
    if (limits.splits <= 0 || value <= solver_->floor_of(node, limits)) return leaf_tree();
    const RootTest root = solver_->shallow(node, limits, value);
    if (root.column < 0 || root.value >= value) return leaf_tree();
    const bool is_deep = level >= Solver<Rows>::kMostLevels;
    if (limits.depth <= 2 || !limits.is_free(node.facts.rows) || is_deep) {
        value = root.value;
        return of_two_levels(node, limits, root, level);
    }
    FoundTree sides[2];
    int64_t values[2];
    for (const bool right : {false, true}) {
        Node& side = solver_->child(node, root.column, root.place, right, level);
        sides[right] = dive(side, {limits.depth - 1, limits.splits}, level + 1, values[right]);
    }
    value = solver_->question().penalty + values[0] + values[1];
    return join(node, {root.column, root.place, 0, 0, 0, 0}, sides[0], sides[1]);
}

template <class Rows>
FoundTree TreeMaker<Rows>::join(const Node& node, const Choice& choice, const FoundTree& left,
                                const FoundTree& right) const {
    const auto [column, position] = solver_->rows().test(node, choice.column, choice.place);
    FoundTree tree;
    const int32_t root = tree.add_split(column, position);
    const int32_t first = tree.append(left), second = tree.append(right);
    tree.left[root] = first, tree.right[root] = second;
    return tree;
}

template class TreeMaker<BitRows<int32_t>>;
template class TreeMaker<BitRows<int64_t>>;
template class TreeMaker<SortedRows>;

}  // namespace silva::optimal
