"""Generic bottom-up pruning, as the textbook writes it: every candidate tree is made and filled.

A tree is a nested tuple: (number of the node in the whole tree, its children), leaves without
children. Rows go through it one question at a time.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

from silva.data.table import Table, Target
from silva.tree import route, stats
from silva.tree.builder import Moments, TreeBuilder
from silva.tree.splits import split_of
from silva.tree.tree import Tree
from tests.prune.pruner_oracles import children_of, closed

Nested = tuple[int, tuple["Nested", ...]]
Path = tuple[int, ...]


@dataclass(frozen=True)
class Leaf:
    """The rows of a leaf by number."""

    node: int
    rows: tuple[int, ...]


class Grove:
    """A tree with its training rows, and which child each node's question sends each row to."""

    def __init__(self, tree: Tree, table: Table, target: Target) -> None:
        self.tree, self.target = tree, target
        whole = closed(tree)
        self.goes = {
            node: child_of_rows(whole, node, table)
            for node in range(tree.n_nodes)
            if not tree.is_leaf[node]
        }
        weights = np.ones(table.n_rows) if target.weights is None else target.weights
        self.weights = [Fraction(weight) for weight in weights.tolist()]
        self.counting = [row for row, weight in enumerate(self.weights) if weight]
        self.values = [Fraction(value) for value in target.values.tolist()]
        self.nested = self.nest(0)
        self.cost = cache(self.cost)  # leaves come again in one candidate after the other

    def nest(self, node: int) -> Nested:
        return node, tuple(self.nest(child) for child in children_of(self.tree, node))

    def leaves(self, nested: Nested, rows: tuple[int, ...] | None = None) -> Iterator[Leaf]:
        node, children = nested
        rows = tuple(self.counting) if rows is None else rows
        if not children:
            yield Leaf(node, rows)
        for place, child in enumerate(children):
            inside = tuple(row for row in rows if self.goes[node][row] == place)
            yield from self.leaves(child, inside)

    def weight(self, leaf: Leaf) -> Fraction:
        return sum((self.weights[row] for row in leaf.rows), Fraction(0))

    def cost(self, leaf: Leaf) -> Fraction:
        """Wrong weight of the leaf's answer, or squares around the mean."""
        if self.tree.task == "classification":
            by_class = self.by_class(leaf)
            return self.weight(leaf) - by_class[self.answer(by_class)]
        mean = sum(self.weights[row] * self.values[row] for row in leaf.rows) / self.weight(leaf)
        return sum(self.weights[row] * (self.values[row] - mean) ** 2 for row in leaf.rows)

    def by_class(self, leaf: Leaf) -> list[Fraction]:
        found = [Fraction(0)] * len(self.tree.classes)
        for row in leaf.rows:
            found[int(self.values[row])] += self.weights[row]
        return found

    def answer(self, by_class: list[Fraction]) -> int:
        """The majority; with a prior of all rows, the likeliest class in float64."""
        smoothing = self.tree.smoothing
        weight, m = np.array([float(one) for one in by_class]), 0.0
        prior = np.zeros(len(weight))
        if smoothing is not None and smoothing.prior == "root":
            whole = np.array([float(one) for one in self.by_class(Leaf(0, tuple(self.counting)))])
            prior, m = whole / whole.sum(), smoothing.m
        return int(np.argmax((weight + m * prior) / (weight.sum() + m)))

    def fewest_wrong(self, leaf: Leaf) -> Fraction:
        """What `listing_of` reads in a tree: wrong weight of the majority, or squares."""
        if self.tree.task == "classification":
            return self.weight(leaf) - max(self.by_class(leaf))
        return self.cost(leaf)

    def error(self, nested: Nested) -> float:
        return float(sum(self.cost(leaf) for leaf in self.leaves(nested)) / sum(self.weights))

    def listing(self, nested: Nested) -> list:
        """What the tree says, node by node in pre-order: questions, and rows of leaves."""
        found = list(self.leaves(nested))
        questions = []
        for node, is_leaf in in_preorder(nested):
            questions.append(None if is_leaf else split_of(self.tree, node))
        rows = [len(leaf.rows) for leaf in found]
        costs = [float(self.fewest_wrong(leaf)) for leaf in found]
        return [questions, rows, costs]


def listing_of(tree: Tree) -> list:
    questions = [split_of(tree, node) for node in range(tree.n_nodes)]
    weight = stats.leaf_weight_units(tree) * tree.weight_unit
    criterion = "error" if tree.task == "classification" else "squared_error"
    costs = stats.node_impurity(tree, criterion)[tree.is_leaf] * weight
    return [questions, tree.leaf_rows.tolist(), costs.tolist()]


def in_preorder(nested: Nested) -> Iterator[tuple[int, bool]]:
    yield nested[0], not nested[1]
    for child in nested[1]:
        yield from in_preorder(child)


def child_of_rows(tree: Tree, node: int, table: Table) -> list[int]:
    """Which child each row goes to, by a tree of this one question."""
    builder = TreeBuilder(tree.schema, tree.task, tree.classes, tree.criterion)
    root = builder.add_split(None, 0, split_of(tree, node))
    for place in range(len(children_of(tree, node))):
        one = {0: 1} if tree.task == "classification" else Moments(1, 0, 0, 0.0)
        builder.add_leaf(root, place, 1, one)
    return (route.leaves(builder.finish(), table) - 1).tolist()


def put(nested: Nested, path: Path, new: Nested) -> Nested:
    if not path:
        return new
    node, children = nested
    place, rest = path[0], path[1:]
    return node, tuple(put(c, rest, new) if i == place else c for i, c in enumerate(children))


def get(nested: Nested, path: Path) -> Nested:
    for place in path:
        nested = nested[1][place]
    return nested


def n_nodes(nested: Nested) -> int:
    return 1 + sum(n_nodes(child) for child in nested[1])


def n_leaves(nested: Nested) -> int:
    return sum(n_leaves(child) for child in nested[1]) if nested[1] else 1


def depth(nested: Nested) -> int:
    return 1 + max(depth(child) for child in nested[1]) if nested[1] else 0


def paths(nested: Nested, path: Path = ()) -> Iterator[Path]:
    """The paths to all inner nodes, in pre-order."""
    if nested[1]:
        yield path
    for place, child in enumerate(nested[1]):
        yield from paths(child, (*path, place))


def bottom_up(
    grove: Grove,
    choose: Callable[[list[Nested], Path], int],
    raising: bool,
) -> Nested:
    """Deepest nodes first, from left to right; `choose` sees leaf, children, and the tree kept."""
    whole = grove.nested
    for path in sorted(paths(whole), key=lambda path: -len(path)):
        node, children = get(whole, path)
        subtrees = [child for child in children if child[1]] if raising else []
        trials = [put(whole, path, (node, ())), *(put(whole, path, one) for one in subtrees), whole]
        whole = trials[choose(trials, path)]
    return whole
