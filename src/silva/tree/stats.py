"""Facts of every node, from the exact statistics of the leaves.

A subtree's leaves are consecutive, so a node's sum is a difference of two running sums over the
leaves: exact in integers, and rounded to float64 once. Each function returns one entry a node.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from silva.errors import PlanError
from silva.tree import moments, quotients, shape
from silva.tree.tree import CRITERIA, ClassStats, MomentStats, Tree


def parent(tree: Tree) -> np.ndarray:
    """The parent of each node, -1 for the root (int64)."""
    return shape.parents(tree.child_start, tree.child)


def depth(tree: Tree) -> np.ndarray:
    """The number of nodes above each node (int64)."""
    inner = np.flatnonzero(~tree.is_leaf)
    return shape.cover(inner, tree.subtree_end[inner], tree.n_nodes)


def subtree_end(tree: Tree) -> np.ndarray:
    """The subtree of node i is the nodes i, i + 1, ..., end[i] - 1 (int64)."""
    return tree.subtree_end


def leaf_number(tree: Tree) -> np.ndarray:
    """The number of each leaf among the leaves; for an inner node, of its first leaf (int64)."""
    number: np.ndarray = np.cumsum(tree.is_leaf) - tree.is_leaf
    return number


def leaf_range(tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """Start and end of the leaf numbers below each node (int64)."""
    before = np.concatenate(([0], np.cumsum(tree.is_leaf)))
    return before[:-1], before[tree.subtree_end]


def node_rows(tree: Tree) -> np.ndarray:
    """The training rows of each node, whatever their weight (int64)."""
    return _below(tree, tree.leaf_rows)


def node_weight_units(tree: Tree) -> np.ndarray:
    """The weight of each node in units of `weight_unit` (int64, exact)."""
    return _below(tree, leaf_weight_units(tree))


def node_weight(tree: Tree) -> np.ndarray:
    """The weight of the training rows of each node (float64)."""
    return node_weight_units(tree) * tree.weight_unit


def leaf_weight_units(tree: Tree) -> np.ndarray:
    """The weight of each leaf in units of `weight_unit` (int64, exact)."""
    stats = tree.leaf_stats
    if isinstance(stats, MomentStats):
        return stats.weight
    return np.add.reduceat(stats.weight, stats.start[:-1])


def node_class_weight(tree: Tree, nodes: np.ndarray | None = None) -> np.ndarray:
    """The weight of each class in all nodes, or in those asked for: float64 (nodes, classes)."""
    return node_class_units(tree, nodes) * tree.weight_unit


def node_class_units(tree: Tree, nodes: np.ndarray | None = None) -> np.ndarray:
    """The same in units of `weight_unit`, exact: int64 (nodes, classes)."""
    first, last = _ranges(tree, nodes)
    entries = _class_stats(tree).start[np.stack((first, last))]
    if np.diff(entries, axis=0).sum() < _n_classes(tree) * tree.n_leaves:
        return _summed_class_units(tree, entries)
    units = np.empty((len(first), _n_classes(tree)), dtype=np.int64)
    for code, running in enumerate(_running_class_units(tree)):
        units[:, code] = running[last] - running[first]
    return units


def node_mean(tree: Tree, nodes: np.ndarray | None = None) -> np.ndarray:
    """The mean target of all nodes, or of those asked for (float64).

    A leaf answers with its `value`, the exact mean of its original targets. An inner node has the
    mean of the targets as integers, which are within half a `target_unit` of the originals.
    """
    stats = _moments(tree)
    chosen = np.arange(tree.n_nodes) if nodes is None else np.asarray(nodes)
    leaf, means = tree.is_leaf[chosen], np.empty(len(chosen))
    means[leaf] = stats.value[leaf_number(tree)[chosen[leaf]]]
    ends = _ranges(tree, chosen[~leaf])
    facts = (moments.between(stats.sum, *ends), _within(stats.weight, *ends))
    means[~leaf] = quotients.means(*facts, stats.center, stats.target_unit)
    return means


def node_sums(tree: Tree) -> tuple[list[int], list[int]]:
    """The sums of targets and of their squares of each node, in units."""
    total, squares = map(moments.to_integers, node_sum_pairs(tree))
    return total, squares


def node_sum_pairs(tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """The same as pairs (see `tree.moments`)."""
    stats, ends = _moments(tree), leaf_range(tree)
    total, squares = (moments.between(part, *ends) for part in (stats.sum, stats.sum_of_squares))
    return total, squares


def node_deviation(tree: Tree, nodes: np.ndarray | None = None) -> np.ndarray:
    """The standard deviation of the targets of all nodes, or of those asked for (float64)."""
    unit = _moments(tree).target_unit
    return np.array(
        [
            moments.deviation(total, squares, weight, unit)
            for weight, total, squares in _node_moments(tree, nodes)
        ]
    )


def node_impurity(tree: Tree, criterion: str | None = None) -> np.ndarray:
    """The impurity of each node by the tree's criterion or another one of its task (float64).

    gini 1 - sum p^2; entropy -sum p log2 p, in bits, also for gain_ratio; error 1 - max p;
    squared_error the variance.
    The Poisson deviance needs the sum of y log y, which leaves do not hold: PlanError. What a
    subtree saves is known for it too: `gain_below`.
    """
    chosen = _known_criterion(tree, criterion)
    return _variances(tree, None) if chosen == "squared_error" else _class_impurity(tree, chosen)


def leaf_impurity(tree: Tree, criterion: str | None = None) -> np.ndarray:
    """The same for the leaves alone: whatever the number of classes, no more work than leaves."""
    chosen = _known_criterion(tree, criterion)
    if chosen == "squared_error":
        return _variances(tree, np.flatnonzero(tree.is_leaf))
    stats = _class_stats(tree)
    share = stats.weight / np.repeat(leaf_weight_units(tree), np.diff(stats.start))
    first = stats.start[:-1]
    if chosen == "gini":
        return np.asarray(1.0 - np.add.reduceat(np.square(share), first))
    if chosen == "error":
        return np.asarray(1.0 - np.maximum.reduceat(share, first))
    return np.asarray(0.0 - np.add.reduceat(share * np.log2(share), first))


def weighted_gain(tree: Tree) -> np.ndarray:
    """The gain of each node's split times its share of the root's weight (0 for leaves)."""
    weight = node_weight_units(tree)
    gains: np.ndarray = tree.gain * (weight / weight[0])
    return gains


def gain_below(tree: Tree) -> np.ndarray:
    """What each subtree saves in all: impurity of the node minus that of its leaves (float64).

    Both weighted by their share of the root's weight; for every criterion, from the stored gains.
    """
    saved = weighted_gain(tree).tolist()
    above = parent(tree).tolist()
    for node in range(tree.n_nodes - 1, 0, -1):
        saved[above[node]] += saved[node]
    return np.array(saved)


def _below(tree: Tree, leaf_values: np.ndarray) -> np.ndarray:
    return _within(leaf_values, *leaf_range(tree))


def _ranges(tree: Tree, nodes: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    first, last = leaf_range(tree)
    return (first, last) if nodes is None else (first[nodes], last[nodes])


def _known_criterion(tree: Tree, criterion: str | None) -> str:
    chosen = tree.criterion if criterion is None else criterion
    if chosen not in CRITERIA[tree.task] or chosen == "poisson":
        raise PlanError(
            f"criterion={chosen!r}: the impurity of a {tree.task} tree's nodes can be had for"
            f" {[name for name in CRITERIA[tree.task] if name != 'poisson']};"
            " for poisson, stats.gain_below says what each subtree saves."
        )
    return "entropy" if chosen == "gain_ratio" else chosen


def _summed_class_units(tree: Tree, entries: np.ndarray) -> np.ndarray:
    """The class weights of nodes whose leaves have the entries from entries[0] to entries[1]."""
    stats = _class_stats(tree)
    units = np.zeros((entries.shape[1], _n_classes(tree)), dtype=np.int64)
    for row, (begin, end) in enumerate(entries.T.tolist()):
        np.add.at(units[row], stats.code[begin:end], stats.weight[begin:end])
    return units


def _running_class_units(tree: Tree) -> Iterator[np.ndarray]:
    """For one class after the other, the running sums over the leaves: int64 (leaves + 1)."""
    stats = _class_stats(tree)
    by_class = np.argsort(stats.code, kind="stable")
    leaf = np.repeat(np.arange(tree.n_leaves), np.diff(stats.start))[by_class]
    weight = stats.weight[by_class]
    ends = np.searchsorted(stats.code[by_class], np.arange(_n_classes(tree) + 1))
    for begin, end in pairwise(ends.tolist()):
        running = np.zeros(tree.n_leaves + 1, dtype=np.int64)
        running[leaf[begin:end] + 1] = weight[begin:end]
        yield np.cumsum(running, out=running)


def _class_impurity(tree: Tree, criterion: str) -> np.ndarray:
    total = node_weight_units(tree)
    first, last = leaf_range(tree)
    reduced = np.zeros(tree.n_nodes)
    for running in _running_class_units(tree):
        share = (running[last] - running[first]) / total
        reduced = _with_class(reduced, share, criterion)
    return reduced if criterion == "entropy" else 1.0 - reduced


def _with_class(reduced: np.ndarray, share: np.ndarray, criterion: str) -> np.ndarray:
    """Take one class into the sum of squares, the largest share or the entropy."""
    more: np.ndarray
    match criterion:
        case "gini":
            more = reduced + np.square(share)
        case "error":
            more = np.maximum(reduced, share)
        case "entropy":
            more = reduced - share * np.log2(share, out=np.zeros_like(share), where=share > 0)
        case _:
            raise NotImplementedError(f"the impurity of nodes by {criterion!r}")
    return more


def _variances(tree: Tree, nodes: np.ndarray | None) -> np.ndarray:
    unit = _moments(tree).target_unit
    return np.array(
        [
            moments.variance(total, squares, weight, unit)
            for weight, total, squares in _node_moments(tree, nodes)
        ]
    )


def _node_moments(tree: Tree, nodes: np.ndarray | None) -> Iterator[tuple[int, int, int]]:
    """Weight, sum and sum of squares of the nodes as Python integers."""
    stats, (first, last) = _moments(tree), _ranges(tree, nodes)
    parts = (moments.between(part, first, last) for part in (stats.sum, stats.sum_of_squares))
    weight = _within(stats.weight, first, last).tolist()
    return zip(weight, *map(moments.to_integers, parts), strict=True)


def _within(values: np.ndarray, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    running = np.concatenate(([0], np.cumsum(values)))
    within: np.ndarray = running[last] - running[first]
    return within


def _n_classes(tree: Tree) -> int:
    _class_stats(tree)
    return 0 if tree.classes is None else len(tree.classes)


def _class_stats(tree: Tree) -> ClassStats:
    if not isinstance(tree.leaf_stats, ClassStats):
        raise PlanError(f"a {tree.task} tree has no class weights; ask for node_mean instead")
    return tree.leaf_stats


def _moments(tree: Tree) -> MomentStats:
    if not isinstance(tree.leaf_stats, MomentStats):
        raise PlanError(f"a {tree.task} tree has no means; ask for node_class_weight instead")
    return tree.leaf_stats
