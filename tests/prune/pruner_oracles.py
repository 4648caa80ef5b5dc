"""The pruners as their pseudo-code reads: every candidate predicts every row again.

A tree is the set of its nodes that are leaves by decree (`cut`). A row's answer is that of the
first such node on its way, else of the node where it ends. All figures are exact fractions.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np

from silva.data.table import Table, Target
from silva.tree import decision, route, stats
from silva.tree.splits import n_known_children, split_of
from silva.tree.tables import TABLES
from silva.tree.tree import Tree

Cut = frozenset[int]


class Judge:
    """Rows with their ways through the tree; says what a cut costs on them."""

    def __init__(self, tree: Tree, ends: np.ndarray, target: Target, exact: bool = False) -> None:
        above = stats.parent(tree).tolist()
        self.tree = tree
        self.ways = [way_to(above, int(end)) for end in ends]
        self.values = target.values.tolist()
        weights = np.ones(len(ends)) if target.weights is None else target.weights
        self.weights = [Fraction(weight) for weight in weights.tolist()]
        self.told = node_answers(tree)
        if exact and tree.task == "regression":
            self.told = [self.mean(node) for node in range(tree.n_nodes)]
        self.loss = cache(self.loss)  # a row meets the same nodes in one cut after the other

    def mean(self, node: int) -> Fraction:
        """The mean without any rounding."""
        rows = self.rows_of(node)
        total = sum(self.weights[row] * Fraction(self.values[row]) for row in rows)
        return total / sum(self.weights[row] for row in rows)

    def loss(self, row: int, node: int) -> Fraction:
        if self.tree.task == "classification":
            return Fraction(self.told[node] != self.values[row])
        return (Fraction(self.values[row]) - Fraction(self.told[node])) ** 2

    def cost(self, cut: Cut) -> Fraction:
        return sum((self.row_cost(row, cut) for row in range(len(self.ways))), Fraction(0))

    def row_cost(self, row: int, cut: Cut) -> Fraction:
        way = self.ways[row]
        node = next((one for one in way if one in cut), way[-1])
        return self.weights[row] * self.loss(row, node)

    def rows_of(self, node: int) -> list[int]:
        return [row for row, way in enumerate(self.ways) if node in way]


def way_to(above: list[int], node: int) -> list[int]:
    way = [node]
    while above[way[-1]] >= 0:
        way.append(above[way[-1]])
    return way[::-1]


def node_answers(tree: Tree) -> list:
    """What nodes tell as leaves; those of linear leaves count by their constant answers."""
    if tree.task == "classification":
        constant = replace(tree, linear=None)
        return decision.node_codes(constant, np.arange(tree.n_nodes)).tolist()
    return stats.node_mean(tree).tolist()


def validation_judge(tree: Tree, table: Table, target: Target) -> Judge:
    return Judge(tree, route.leaves(tree, table), target)


def training_judge(tree: Tree, table: Table, target: Target) -> Judge:
    return Judge(tree, route.leaves(closed(tree), table), target, exact=True)


def closed(tree: Tree) -> Tree:
    """The tree in which no row stops: it goes on to the heaviest child, as training rows do."""
    weight, tables = stats.node_weight_units(tree), {}
    for kind, (field, _) in TABLES.items():
        table = getattr(tree, field)
        nodes = np.flatnonzero(tree.split_kind == kind)
        heaviest = [heaviest_known(tree, node, weight) for node in nodes]
        for name in ("missing_child", "unseen_child"):
            if hasattr(table, name):
                now = getattr(table, name)
                table = replace(table, **{name: np.where(now < 0, heaviest, now).astype(now.dtype)})
        tables[field] = table
    return replace(tree, **tables)


def heaviest_known(tree: Tree, node: int, weight: np.ndarray) -> int:
    known = children_of(tree, node)[: n_known_children(split_of(tree, node))]
    return int(np.argmax(weight[known]))


def inner_nodes(tree: Tree, cut: Cut) -> list[int]:
    """The inner nodes of the tree with this cut."""
    return [
        node
        for node in range(tree.n_nodes)
        if not tree.is_leaf[node] and not any(c <= node < tree.subtree_end[c] for c in cut)
    ]


def leaves_of(tree: Tree, cut: Cut) -> list[int]:
    """The leaves of the tree with this cut, by their numbers in the whole tree."""
    top = {c for c in cut if not any(o < c < tree.subtree_end[o] for o in cut)}
    plain = [
        node
        for node in range(tree.n_nodes)
        if tree.is_leaf[node] and not any(c <= node < tree.subtree_end[c] for c in top)
    ]
    return sorted([*plain, *(c for c in top if not tree.is_leaf[c])])


def children_of(tree: Tree, node: int) -> list[int]:
    return tree.child[tree.child_start[node] : tree.child_start[node + 1]].tolist()


def bottom_up_order(tree: Tree) -> list[int]:
    return [node for node in range(tree.n_nodes - 1, -1, -1) if not tree.is_leaf[node]]


def greedy_reduced_error(judge: Judge) -> Cut:
    cut, depth = frozenset(), stats.depth(judge.tree).tolist()
    while True:
        now = judge.cost(cut)
        trials = [
            (judge.cost(cut | {node}), depth[node], node) for node in inner_nodes(judge.tree, cut)
        ]
        if not trials or min(trials)[0] >= now:
            return cut
        cut |= {min(trials)[2]}


def bottom_up_reduced_error(judge: Judge) -> Cut:
    cut: Cut = frozenset()
    for node in bottom_up_order(judge.tree):
        if judge.cost(cut | {node}) <= judge.cost(cut):
            cut |= {node}
    return cut


def accuracy_threshold(judge: Judge, threshold: float) -> Cut:
    tree, cut = judge.tree, frozenset()
    for node in bottom_up_order(tree):
        if not all(tree.is_leaf[one] or one in cut for one in children_of(tree, node)):
            continue
        if accuracy(judge, node, cut | {node}) >= accuracy(judge, node, cut) - as_typed(threshold):
            cut |= {node}
    return cut


def as_typed(number: float) -> Fraction:
    """0.1 stands for one tenth."""
    return Fraction(repr(number))


def accuracy(judge: Judge, node: int, cut: Cut) -> Fraction:
    rows = judge.rows_of(node)
    weight = sum((judge.weights[row] for row in rows), Fraction(0))
    if not weight:
        return Fraction(0)
    lost = sum((judge.row_cost(row, cut) for row in rows), Fraction(0)) / weight
    if judge.tree.task == "classification":
        return 1 - lost
    whole = judge.cost(frozenset({0})) / sum(judge.weights, Fraction(0))
    return 1 - lost / whole if whole else Fraction(0)


def critical_value(tree: Tree, least: float) -> Cut:
    cut: Cut = frozenset()
    for node in bottom_up_order(tree):
        ends = all(tree.is_leaf[one] or one in cut for one in children_of(tree, node))
        if ends and tree.gain[node] < least:
            cut |= {node}
    return cut


def minimum_error(judge: Judge, m: float) -> Cut:
    """Niblett and Bratko: the expected error of the node against that of its children."""
    tree, cut = judge.tree, frozenset()
    expected: dict[int, Fraction] = {}
    for node in range(tree.n_nodes - 1, -1, -1):
        as_leaf = m_estimate(judge, node, m)
        backed_up = None
        if not tree.is_leaf[node]:
            share = weight_of(judge, node)
            backed_up = sum(
                weight_of(judge, one) / share * expected[one] for one in children_of(tree, node)
            )
        if backed_up is None or as_leaf <= backed_up:
            cut |= {node} - ({node} if tree.is_leaf[node] else set())
            expected[node] = as_leaf
        else:
            expected[node] = backed_up
    return cut


def weight_of(judge: Judge, node: int) -> Fraction:
    return sum((judge.weights[row] for row in judge.rows_of(node)), Fraction(0))


def m_estimate(judge: Judge, node: int, m: float) -> Fraction:
    """Expected loss of the node's answer if targets are its own rows' and m rows' of all."""
    own, everything = judge.rows_of(node), range(len(judge.ways))
    weight = weight_of(judge, node)
    lost = sum(judge.weights[row] * judge.loss(row, node) for row in own)
    prior = sum(judge.weights[row] * judge.loss(row, node) for row in everything)
    return (lost + Fraction(m) * prior / sum(judge.weights)) / (weight + Fraction(m))


def all_cuts(tree: Tree, node: int = 0) -> list[Cut]:
    """Every tree that collapsing can give, as the set of its new leaves."""
    if tree.is_leaf[node]:
        return [frozenset()]
    ways: list[Cut] = [frozenset()]
    for one in children_of(tree, node):
        ways = [a | b for a in ways for b in all_cuts(tree, one)]
    return [frozenset({node}), *ways]


def best_of_each_size(judge: Judge) -> dict[int, Fraction]:
    best: dict[int, Fraction] = {}
    for cut in all_cuts(judge.tree):
        size = len(leaves_of(judge.tree, cut))
        cost = judge.cost(cut)
        best[size] = min(cost, best.get(size, cost))
    return best


def bottom_up_by(tree: Tree, value: Callable[[Cut], Fraction], slack: Fraction) -> Cut:
    """Children first, a node becomes a leaf if the value of the whole tree does not rise."""
    cut: Cut = frozenset()
    for node in bottom_up_order(tree):
        if value(cut | {node}) <= value(cut) + slack:
            cut |= {node}
    return cut
