"""What answers cost: wrong weight or squared error of every node as a leaf, in exact integers.

Integers make ties ties: no order of additions and no rounding decides between two trees. A node's
rows are those below it, a slice of the nodes, so a node's sums are differences of running sums.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
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
    first, own, last = bounds[:-1], bounds[1:], bounds[tree.subtree_end]
    running = np.concatenate(([0], np.cumsum(weights)))
    weight, stopped = running[last] - running[first], running[own] - running[first]
    if tree.task == "classification":
        codes = answers(tree)[0]
        right = _RightWeights(tree, codes, values, ends, weights)
        leaf, stop = weight - right(tree.subtree_end), stopped - right(np.arange(tree.n_nodes) + 1)
        return Costs(leaf.tolist(), _inner(tree, stop.tolist()), weight.tolist(), 0)
    exponent = _value_exponent(tree, values)
    means = _scaled(stats.node_mean(tree), exponent)
    sums = _running_moments(_scaled(values, exponent), weights.tolist())
    leaf_costs = _squared_costs(sums, means, first.tolist(), last.tolist())
    stop_costs = _squared_costs(sums, means, first.tolist(), own.tolist())
    return Costs(leaf_costs, _inner(tree, stop_costs), weight.tolist(), 2 * exponent)


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


class _RightWeights:
    """The weight of rows that end at the nodes from v to `until[v]` - 1 and have v's answer."""

    def __init__(
        self, tree: Tree, told: np.ndarray, codes: np.ndarray, ends: np.ndarray, weights: np.ndarray
    ) -> None:
        self._width = tree.n_nodes + 1
        self._told = told * self._width
        key = codes.astype(np.int64) * self._width + ends
        order = np.argsort(key, kind="stable")
        self._key = key[order]
        self._running = np.concatenate(([0], np.cumsum(weights[order])))

    def __call__(self, until: np.ndarray) -> np.ndarray:
        low = np.searchsorted(self._key, self._told + np.arange(len(self._told)))
        high = np.searchsorted(self._key, self._told + until)
        weight: np.ndarray = self._running[high] - self._running[low]
        return weight


def _inner(tree: Tree, costs: list[int]) -> list[int]:
    """Nothing stops at a leaf: its rows are counted once."""
    return [0 if leaf else cost for leaf, cost in zip(tree.is_leaf.tolist(), costs, strict=True)]


def _value_exponent(tree: Tree, values: np.ndarray) -> int:
    assert isinstance(tree.leaf_stats, MomentStats)
    largest = max(np.abs(values).max(initial=0.0), np.abs(tree.leaf_stats.value).max())
    return int(math.frexp(float(largest))[1]) - VALUE_BITS


def _scaled(values: np.ndarray, exponent: int) -> list[int]:
    """Numbers as integers, in units of 2^exponent."""
    whole: list[int] = np.rint(np.ldexp(values, -exponent)).astype(np.int64).tolist()
    return whole


def _running_moments(values: list[int], weights: list[int]) -> list[list[int]]:
    """Running sums of weight, weight * value and weight * value^2."""
    sums = [value * weight for value, weight in zip(values, weights, strict=True)]
    squares = [value * part for value, part in zip(values, sums, strict=True)]
    return [list(accumulate(part, initial=0)) for part in (weights, sums, squares)]


def _squared_costs(
    running: list[list[int]], means: list[int], first: list[int], last: list[int]
) -> list[int]:
    """The squared distance of each node's rows from its mean."""
    weight, total, squares = (_differences_of(run, first, last) for run in running)
    facts = zip(weight, total, squares, means, strict=True)
    return [q - mean * (2 * s - mean * w) for w, s, q, mean in facts]


def _differences(values: list[int], first: list[int], last: list[int]) -> list[int]:
    return _differences_of(list(accumulate(values, initial=0)), first, last)


def _differences_of(running: list[int], first: list[int], last: list[int]) -> list[int]:
    return [running[b] - running[a] for a, b in zip(first, last, strict=True)]
