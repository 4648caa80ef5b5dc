"""What answers cost: wrong weight or squared error of every node as a leaf, in exact integers.

Integers make ties ties: no order of additions and no rounding decides between two trees. A node's
rows are those below it, a slice of the nodes, so a node's sums are differences of running sums.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from silva import _core
from silva.data.table import Target, Task
from silva.prune.evidence import Rows
from silva.tree import decision, moments, route, stats
from silva.tree.tree import MomentStats, Tree

MEASURE: dict[Task, str] = {"classification": "error rate", "regression": "mean squared error"}
WEIGHT_BITS = 42
VALUE_BITS = 61
SQUARE_BITS = 126
GRID_BITS = 32
CLASS_BLOCK = 2**22


@dataclass(frozen=True, slots=True)
class Costs:
    """Costs on some rows, one entry a node; trees are compared by their sums.

    `leaf` is the cost of all rows of a node if it is a leaf, `stop` that of the rows that stop at
    an inner node (they get its own answer), `weight` the weight of its rows. A cost times
    2^`exponent`, divided by the weight of all rows, is the error rate or mean squared error.
    `rounded` costs were rounded down to whole units, so that a sum of n may lack up to n of them.
    `subtree` is what each subtree costs as it is, where that is known already.
    """

    leaf: list[int]
    stop: list[int]
    weight: list[int]
    exponent: int
    rounded: bool = False
    subtree: list[int] | None = None

    def error(self, cost: int) -> float:
        """The error rate or mean squared error of a tree of this cost; at most infinity."""
        return ratio(cost, self.weight[0], self.exponent)

    def of_tree(self, tree: Tree) -> list[int]:
        """The cost of each node's subtree as it is: that of its leaves and of rows that stop."""
        if self.subtree is not None:
            return list(self.subtree)
        cost = np.where(tree.is_leaf, np.array(self.leaf, object), np.array(self.stop, object))
        total: list[int] = cost.tolist()
        above = stats.parent(tree).tolist()
        for node in range(tree.n_nodes - 1, 0, -1):
            total[above[node]] += total[node]
        return total


@dataclass(frozen=True, slots=True)
class PairCosts:
    """The same as pairs of 64 bits (see `tree.moments`), for pruners that look at few of them.

    `subtree` is what each subtree costs as it is.
    """

    leaf: np.ndarray
    stop: np.ndarray
    subtree: np.ndarray
    weight: np.ndarray
    exponent: int

    def error(self, cost: int) -> float:
        """The error rate or mean squared error of a tree of this cost; at most infinity."""
        return ratio(cost, int(self.weight[0]), self.exponent)

    def errors(self, pairs: np.ndarray) -> np.ndarray:
        """The same of many trees by pairs, to about the last bit of float64: equals stay equal."""
        if self.weight[0] == 0:
            return np.zeros(len(pairs))
        shares = moments.to_floats(pairs) / self.weight[0]
        with np.errstate(over="ignore"):
            found: np.ndarray = np.ldexp(shares, self.exponent)
        return found

    def whole(self) -> Costs:
        """As Python's integers."""
        leaf, stop, subtree = map(moments.to_integers, (self.leaf, self.stop, self.subtree))
        return Costs(leaf, stop, self.weight.tolist(), self.exponent, subtree=subtree)


def ratio(numerator: int, denominator: int, exponent: int) -> float:
    """numerator / denominator * 2^exponent, rounded once; infinite where float64 ends."""
    if denominator == 0:
        return 0.0
    up, down = (numerator << max(exponent, 0)), (denominator << max(-exponent, 0))
    try:
        return up / down
    except OverflowError:
        return math.inf


@dataclass(frozen=True, slots=True)
class NodeCosts:
    """What each node costs as a leaf on the rows that the tree was grown from, in float64.

    `leaf` is wrong weight, a whole number of units, or squared error; `weight` is in units.
    `other` is what the node's answer costs on all of these rows. A cost times the square of
    `scale`, divided by the weight of all rows, is the error rate or mean squared error. To compare
    many trees quickly; `training_costs` has the same in exact integers.
    """

    leaf: np.ndarray
    other: np.ndarray
    weight: np.ndarray
    scale: float

    def error(self, cost: np.ndarray) -> np.ndarray:
        """The error rate or mean squared error of trees of this cost; at most infinity."""
        with np.errstate(over="ignore"):
            found: np.ndarray = cost / self.weight[0] * self.scale * self.scale
        return found


def node_costs(tree: Tree) -> NodeCosts:
    """Costs on the rows that the tree was grown from, rounded to float64."""
    units = stats.node_weight_units(tree)
    weight = units.astype(np.float64)
    if isinstance(tree.leaf_stats, MomentStats):
        total, squares = stats.node_sum_pairs(tree)
        leaf, mean = (
            moments.squared_errors(total, squares, units),
            moments.to_floats(total) / weight,
        )
        other = leaf[0] + weight[0] * np.square(mean - mean[0])
        return NodeCosts(leaf, other, weight, tree.leaf_stats.target_unit)
    codes, right = answers(tree)
    of_class = stats.node_class_units(tree, np.array([0]))[0]
    return NodeCosts(weight - right, weight[0] - of_class[codes], weight, 1.0)


def training_costs(tree: Tree) -> Costs:
    """Costs on the rows that the tree was grown from, out of its statistics; none of them stop."""
    weight = stats.node_weight_units(tree).tolist()
    if isinstance(tree.leaf_stats, MomentStats):
        leaf = squared_errors(stats.node_sums(tree), weight)
        exponent = 2 * (math.frexp(tree.leaf_stats.target_unit)[1] - 1) - GRID_BITS
        return Costs(leaf, [0] * tree.n_nodes, weight, exponent, rounded=True)
    leaf = (np.array(weight) - answers(tree)[1]).tolist()
    return Costs(leaf, [0] * tree.n_nodes, weight, 0)


def squared_errors(sums: tuple[Sequence[int], Sequence[int]], weight: Sequence[int]) -> list[int]:
    """Sums of squares around the mean in units of 2^-32: (squares - sum^2 / weight), rounded."""
    triples = zip(*sums, weight, strict=True)
    return [((squares * w - total * total) << GRID_BITS) // w for total, squares, w in triples]


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
    if not decision.follows_majority(tree):
        dense = np.zeros((len(start) - 1, len(tree.classes)), dtype=np.int64)
        dense[leaf, found["class_code"]] = units
        codes = decision.codes_of(tree, dense)
        right = np.take_along_axis(dense, codes[:, None], axis=1)[:, 0]
    else:
        right = np.maximum.reduceat(units, start[:-1])
    return (weights - right).tolist(), weights.tolist()


def answers(tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """The class code that each node predicts, and that class's weight in units (int64)."""
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
    return routed_costs(tree, rows, threads).whole()


def routed_costs(tree: Tree, rows: Rows, threads: int = 1) -> PairCosts:
    """The same as pairs."""
    return ended_costs(tree, route.leaves(tree, rows.table, threads), rows.target)


def ended_costs(tree: Tree, ends: np.ndarray, target: Target) -> PairCosts:
    """The same of rows that are known to end at these nodes."""
    judge = _wrong_weights if tree.task == "classification" else _squared_errors
    return judge(tree, ends, target.values, whole_weights(target))


def whole_weights(target: Target) -> np.ndarray:
    """Weights as whole numbers (int64): ones, or in the largest unit that is exact for all.

    They add up to 2^42 at the most, and a weight too small for that counts as 0.
    """
    weights = target.weights
    if weights is None:
        return np.ones(len(target.values), dtype=np.int64)
    scaled = np.ldexp(weights, -math.frexp(float(weights.max()))[1])
    up = WEIGHT_BITS - math.frexp(math.fsum(scaled))[1]
    units: np.ndarray = np.rint(np.ldexp(scaled, up)).astype(np.int64)
    every_bit = int(np.bitwise_or.reduce(units))
    return units >> max(0, (every_bit & -every_bit).bit_length() - 1)


def _block_answers(tree: Tree, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    units = stats.node_class_units(tree, nodes)
    codes = decision.codes_of(tree, units)
    return codes, np.take_along_axis(units, codes[:, None], axis=1)[:, 0]


def _wrong_weights(
    tree: Tree, ends: np.ndarray, codes: np.ndarray, weights: np.ndarray
) -> PairCosts:
    """By the weight of rows that a node answers rightly: those of its class are one run."""
    nodes, end, told = np.arange(tree.n_nodes), tree.subtree_end, answers(tree)[0]
    every = _running(np.bincount(ends, weights, tree.n_nodes))
    key = codes.astype(np.int64) * tree.n_nodes + ends
    order = np.argsort(key, kind="stable")
    key, of_class = key[order], _running(weights[order])

    def right(until: np.ndarray) -> np.ndarray:
        first, last = (
            np.searchsorted(key, told * tree.n_nodes + place) for place in (nodes, until)
        )
        found: np.ndarray = of_class[last] - of_class[first]
        return found

    weight, ending = every[end] - every[nodes], every[nodes + 1] - every[nodes]
    wrong = ending - right(nodes + 1)
    below = _running(wrong)
    leaf, stop, subtree = map(
        moments.of_small,
        (weight - right(end), np.where(tree.is_leaf, 0, wrong), below[end] - below[nodes]),
    )
    return PairCosts(leaf, stop, subtree, weight, 0)


def _squared_errors(
    tree: Tree, ends: np.ndarray, values: np.ndarray, weights: np.ndarray
) -> PairCosts:
    """In the core, from targets and answers as whole numbers around their midrange."""
    told, whole, exponent = _whole_numbers(stats.node_mean(tree), values, int(weights.sum()))
    found = _core.squared_costs(tree.subtree_end, told, ends, whole, weights)
    stop = np.where(tree.is_leaf[:, None], 0, found["ending"])
    return PairCosts(found["leaf"], stop, found["subtree"], found["weight"], 2 * exponent)


def _whole_numbers(
    told: np.ndarray, values: np.ndarray, weight: int
) -> tuple[np.ndarray, np.ndarray, int]:
    """Answers and targets less their midrange, in units of 2^exponent (int64).

    Units of 2^-61 of the largest; or, if squares times the weight of all rows would have more than
    128 bits by that, in larger ones: the range keeps 54 bits for 100,000 rows without weights,
    and never fewer than 41, as in growth.
    """
    largest = max(np.abs(values).max(), np.abs(told).max())
    exponent = math.frexp(float(largest))[1] - VALUE_BITS
    whole = [np.rint(np.ldexp(part, -exponent)).astype(np.int64) for part in (told, values)]
    low, high = min(part.min() for part in whole), max(part.max() for part in whole)
    most = int(high - low).bit_length()
    drop = max(0, most - (SQUARE_BITS - weight.bit_length()) // 2)
    middle = (low + high) // 2 - (1 << drop >> 1)
    told, values = ((part - middle) >> drop for part in whole)
    return told, values, exponent + drop


def _running(values: np.ndarray) -> np.ndarray:
    return np.concatenate(([0], np.cumsum(values, dtype=np.int64)))
