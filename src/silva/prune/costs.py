"""What answers cost: wrong weight or squared error of every node as a leaf, in exact integers.

Integers make ties ties: no order of additions and no rounding decides between two trees. A node's
rows are those below it, a slice of the nodes, so a node's sums are differences of running sums.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import mul
from typing import Any

import numpy as np

from silva.data.table import Target, Task
from silva.prune.evidence import Rows
from silva.tree import moments, route, stats
from silva.tree.tree import MomentStats, Tree

MEASURE: dict[Task, str] = {"classification": "error rate", "regression": "mean squared error"}
WEIGHT_BITS = 42
VALUE_BITS = 62
GRID_BITS = 32
CLASS_BLOCK = 2**22


@dataclass(frozen=True, slots=True)
class Costs:
    """Costs on some rows, one entry a node; trees are compared by their sums.

    `leaf` is the cost of all rows of a node if it is a leaf, `stop` that of the rows that stop at
    an inner node (they get its own answer), `weight` the weight of its rows. A cost times
    2^`exponent`, divided by the weight of all rows, is the error rate or mean squared error.
    `rounded` costs were rounded down to whole units, so that a sum of n may lack up to n of them.
    """

    leaf: list[int]
    stop: list[int]
    weight: list[int]
    exponent: int
    rounded: bool = False

    def error(self, cost: int) -> float:
        """The error rate or mean squared error of a tree of this cost; at most infinity."""
        return ratio(cost, self.weight[0], self.exponent)

    def of_tree(self, tree: Tree) -> list[int]:
        """The cost of each node's subtree as it is: that of its leaves and of rows that stop."""
        cost = np.where(tree.is_leaf, np.array(self.leaf, object), np.array(self.stop, object))
        total: list[int] = cost.tolist()
        above = stats.parent(tree).tolist()
        for node in range(tree.n_nodes - 1, 0, -1):
            total[above[node]] += total[node]
        return total


def ratio(numerator: int, denominator: int, exponent: int) -> float:
    """numerator / denominator * 2^exponent, rounded once; infinite where float64 ends."""
    if denominator == 0:
        return 0.0
    up, down = (numerator << max(exponent, 0)), (denominator << max(-exponent, 0))
    try:
        return up / down
    except OverflowError:
        return math.inf


def training_costs(tree: Tree) -> Costs:
    """Costs on the rows that the tree was grown from, out of its statistics; none of them stop."""
    weight = stats.node_weight_units(tree).tolist()
    if isinstance(tree.leaf_stats, MomentStats):
        leaf = squared_errors(node_sums(tree), weight)
        exponent = 2 * (math.frexp(tree.leaf_stats.target_unit)[1] - 1) - GRID_BITS
        return Costs(leaf, [0] * tree.n_nodes, weight, exponent, rounded=True)
    leaf = (np.array(weight) - answers(tree)[1]).tolist()
    return Costs(leaf, [0] * tree.n_nodes, weight, 0)


def squared_errors(sums: tuple[Sequence[int], Sequence[int]], weight: Sequence[int]) -> list[int]:
    """Sums of squares around the mean in units of 2^-32: (squares - sum^2 / weight), rounded."""
    triples = zip(*sums, weight, strict=True)
    return [((squares * w - total * total) << GRID_BITS) // w for total, squares, w in triples]


def node_sums(tree: Tree) -> tuple[list[int], list[int]]:
    """The sums of targets and of their squares of each node, in units."""
    leaves = tree.leaf_stats
    assert isinstance(leaves, MomentStats)
    first, last = (ends.tolist() for ends in stats.leaf_range(tree))
    total, squares = (
        _differences(moments.to_integers(part), first, last)
        for part in (leaves.sum, leaves.sum_of_squares)
    )
    return total, squares


def leaf_costs(tree: Tree, found: Mapping[str, Any]) -> tuple[list[int], list[int]]:
    """Costs and weights of leaves by the statistics that the core found, in the tree's units."""
    if tree.classes is None:
        weight = found["moment_weight"].tolist()
        sums = (moments.to_integers(found[name]) for name in ("moment_sum", "moment_squares"))
        total, squares = sums
        return squared_errors((total, squares), weight), weight
    start, units = found["class_start"], found["class_weight"]
    leaf = np.repeat(np.arange(len(start) - 1), np.diff(start))
    weights = np.add.reduceat(units, start[:-1])
    if _has_root_prior(tree):
        dense = np.zeros((len(start) - 1, len(tree.classes)), dtype=np.int64)
        dense[leaf, found["class_code"]] = units
        codes = _likeliest(tree, dense)
        right = np.take_along_axis(dense, codes[:, None], axis=1)[:, 0]
    else:
        right = np.maximum.reduceat(units, start[:-1])
    return (weights - right).tolist(), weights.tolist()


def answers(tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """The class code that each node answers with, and that class's weight in units (int64).

    The class of most weight, the lowest code of equals; smoothed towards the root's shares, the
    likeliest.
    """
    n_classes = 0 if tree.classes is None else len(tree.classes)
    block = max(1, CLASS_BLOCK // n_classes)
    parts = [
        _block_answers(tree, np.arange(begin, min(begin + block, tree.n_nodes)))
        for begin in range(0, tree.n_nodes, block)
    ]
    codes, units = zip(*parts, strict=True)
    return np.concatenate(codes), np.concatenate(units)


def validation_costs(tree: Tree, rows: Rows, threads: int = 1) -> Costs:
    """Costs on other rows, after one pass that routes them."""
    weights = whole_weights(rows.target)
    ends = route.leaves(tree, rows.table, threads)
    order = np.argsort(ends, kind="stable")
    order = order[weights[order] > 0]
    ends, weights, values = ends[order], weights[order], rows.target.values[order]
    bounds = np.searchsorted(ends, np.arange(tree.n_nodes + 1))
    running = np.concatenate(([0], np.cumsum(weights)))
    weight = running[bounds[tree.subtree_end]] - running[bounds[:-1]]
    judge = _right_weights if tree.task == "classification" else _squared_costs
    cost_until, exponent = judge(tree, values, ends, weights)
    stop = [0] * tree.n_nodes
    if not tree.is_leaf[ends].all():
        inner = np.flatnonzero(~tree.is_leaf)
        for node, cost in zip(inner.tolist(), cost_until(inner, inner + 1), strict=True):
            stop[node] = cost
    leaf = cost_until(np.arange(tree.n_nodes), tree.subtree_end)
    return Costs(leaf, stop, weight.tolist(), exponent)


def whole_weights(target: Target) -> np.ndarray:
    """Weights as whole numbers (int64): ones, or multiples of a power of two up to 2^42 in all.

    Exact wherever that many bits are enough; a weight too small for them counts as 0.
    """
    weights = target.weights
    if weights is None:
        return np.ones(len(target.values), dtype=np.int64)
    scaled = np.ldexp(weights, -math.frexp(float(weights.max()))[1])
    up = WEIGHT_BITS - math.frexp(math.fsum(scaled))[1]
    units: np.ndarray = np.rint(np.ldexp(scaled, up)).astype(np.int64)
    return units


def _block_answers(tree: Tree, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    units = stats.node_class_units(tree, nodes)
    codes = _likeliest(tree, units)
    return codes, np.take_along_axis(units, codes[:, None], axis=1)[:, 0]


def _has_root_prior(tree: Tree) -> bool:
    return tree.smoothing is not None and tree.smoothing.prior == "root"


def _likeliest(tree: Tree, units: np.ndarray) -> np.ndarray:
    """The class of largest (smoothed) share of nodes with these class weights."""
    if tree.smoothing is None or tree.smoothing.prior != "root":
        return np.asarray(units.argmax(axis=1))
    root = stats.node_class_weight(tree, np.array([0]))
    weights, m = units * tree.weight_unit, tree.smoothing.m
    shares = (weights + m * (root / root.sum())) / (weights.sum(axis=1, keepdims=True) + m)
    return np.asarray(shares.argmax(axis=1))


CostUntil = Callable[[np.ndarray, np.ndarray], list[int]]
"""The cost of the answers of nodes to the rows that end at them, or after them up to others."""


def _right_weights(
    tree: Tree, codes: np.ndarray, ends: np.ndarray, weights: np.ndarray
) -> tuple[CostUntil, int]:
    """By the weight of rows that a node answers rightly: those of its class are one run."""
    width, told = tree.n_nodes + 1, answers(tree)[0]
    key = codes.astype(np.int64) * width + ends
    order = np.argsort(key, kind="stable")
    key, of_class = key[order], np.concatenate(([0], np.cumsum(weights[order])))
    running = np.concatenate(([0], np.cumsum(weights)))

    def cost_until(nodes: np.ndarray, until: np.ndarray) -> list[int]:
        every = running[np.searchsorted(ends, until)] - running[np.searchsorted(ends, nodes)]
        low, high = (np.searchsorted(key, told[nodes] * width + end) for end in (nodes, until))
        wrong: list[int] = (every - (of_class[high] - of_class[low])).tolist()
        return wrong

    return cost_until, 0


def _squared_costs(
    tree: Tree, values: np.ndarray, ends: np.ndarray, weights: np.ndarray
) -> tuple[CostUntil, int]:
    """By moments: squares - mean * (2 * sum - mean * weight), in integers without rounding."""
    exponent = _value_exponent(tree, values)
    means, whole = _scaled(stats.node_mean(tree), exponent), _scaled(values, exponent)
    sums = list(map(mul, whole, weights.tolist()))
    total = list(accumulate(sums, initial=0))
    squares = list(accumulate(map(mul, whole, sums), initial=0))
    running = np.concatenate(([0], np.cumsum(weights)))

    def cost_until(nodes: np.ndarray, until: np.ndarray) -> list[int]:
        first, last = np.searchsorted(ends, nodes), np.searchsorted(ends, until)
        weight = (running[last] - running[first]).tolist()
        told = means if len(nodes) == tree.n_nodes else [means[node] for node in nodes.tolist()]
        facts = zip(first.tolist(), last.tolist(), weight, told, strict=True)
        return [
            squares[b] - squares[a] - mean * (2 * (total[b] - total[a]) - mean * n) if a < b else 0
            for a, b, n, mean in facts
        ]

    return cost_until, 2 * exponent


def _value_exponent(tree: Tree, values: np.ndarray) -> int:
    assert isinstance(tree.leaf_stats, MomentStats)
    largest = max(np.abs(values).max(initial=0.0), np.abs(tree.leaf_stats.value).max())
    return int(math.frexp(float(largest))[1]) - VALUE_BITS


def _scaled(values: np.ndarray, exponent: int) -> list[int]:
    """Numbers as integers, in units of 2^exponent."""
    whole: list[int] = np.rint(np.ldexp(values, -exponent)).astype(np.int64).tolist()
    return whole


def _differences(values: list[int], first: list[int], last: list[int]) -> list[int]:
    running = list(accumulate(values, initial=0))
    return [running[b] - running[a] for a, b in zip(first, last, strict=True)]
