"""Which class nodes predict: predictions, texts, pictures and scores all use this."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from silva.tree import stats
from silva.tree.prices import MOST, whole_prices
from silva.tree.tree import ClassStats, Tree

CHUNK_CELLS = 4_000_000


def codes_of(tree: Tree, units: np.ndarray) -> np.ndarray:
    """The class codes that nodes with these class weights predict (int64).

    `units` are exact class weights in units of `weight_unit`, int64 (nodes, classes). The class of
    least expected cost where the tree has costs, else that of the largest share, smoothed where the
    prior differs by class. Ties go to the first class.
    """
    if tree.costs is not None:
        room = MOST // int(stats.leaf_weight_units(tree).sum())
        costs = whole_prices(np.array(tree.costs), [Fraction(1)] * len(tree.costs), room).prices
        return np.asarray((units @ costs).argmin(axis=1))
    if _has_root_prior(tree):
        return np.asarray(smoothed_shares(tree, units).argmax(axis=1))
    return np.asarray(units.argmax(axis=1))


def node_codes(tree: Tree, nodes: np.ndarray) -> np.ndarray:
    """The class codes that nodes predict by their own training rows (int64)."""
    codes = np.empty(len(nodes), dtype=np.int64)
    if follows_majority(tree):
        leaf = tree.is_leaf[nodes]
        codes[leaf] = _majority(tree)[stats.leaf_number(tree)[nodes[leaf]]]
        codes[~leaf] = stats.node_class_units(tree, nodes[~leaf]).argmax(axis=1)
        return codes
    for part in parts(len(nodes), _n_classes(tree)):
        codes[part] = codes_of(tree, stats.node_class_units(tree, nodes[part]))
    return codes


def leaf_codes(tree: Tree) -> np.ndarray:
    """The class codes that the leaves predict (int64)."""
    return node_codes(tree, np.flatnonzero(tree.is_leaf))


def right_units(tree: Tree) -> np.ndarray:
    """The weight of the training rows of each leaf that have its class, in units (int64)."""
    if follows_majority(tree):
        return _majority_weight(tree)
    leaves, told = np.flatnonzero(tree.is_leaf), leaf_codes(tree)[:, None]
    found = [
        np.take_along_axis(stats.node_class_units(tree, leaves[part]), told[part], 1)[:, 0]
        for part in parts(len(leaves), _n_classes(tree))
    ]
    return np.concatenate(found)


def smoothed_shares(tree: Tree, units: np.ndarray) -> np.ndarray:
    """The class probabilities of nodes with these class weights, by the tree's smoothing."""
    assert tree.smoothing is not None
    m, n_classes = tree.smoothing.m, _n_classes(tree)
    prior = np.full(n_classes, 1 / n_classes)
    if _has_root_prior(tree):
        root = stats.node_class_units(tree, np.zeros(1, dtype=np.int64))[0]
        prior = root / root.sum()
    weights = units * tree.weight_unit
    shares: np.ndarray = (weights + m * prior) / (weights.sum(axis=1, keepdims=True) + m)
    return shares


def follows_majority(tree: Tree) -> bool:
    """Whether each node predicts the class that has the most weight in it."""
    return tree.costs is None and not _has_root_prior(tree)


def parts(count: int, width: int) -> Iterator[slice]:
    """Rows or nodes in pieces whose numbers, `width` each, fit into little memory."""
    length = max(1, CHUNK_CELLS // width)
    for begin in range(0, count, length):
        yield slice(begin, min(begin + length, count))


def _has_root_prior(tree: Tree) -> bool:
    return tree.smoothing is not None and tree.smoothing.prior == "root"


def _majority(tree: Tree) -> np.ndarray:
    """The class code with the largest weight in each leaf; the lowest code among equals."""
    found = class_stats(tree)
    wins = found.weight == np.repeat(_majority_weight(tree), np.diff(found.start))
    return np.minimum.reduceat(np.where(wins, found.code, _n_classes(tree)), found.start[:-1])


def _majority_weight(tree: Tree) -> np.ndarray:
    found = class_stats(tree)
    return np.maximum.reduceat(found.weight, found.start[:-1])


def class_stats(tree: Tree) -> ClassStats:
    """The class weights of the leaves; TypeError for a regression tree."""
    if not isinstance(tree.leaf_stats, ClassStats):
        raise TypeError(f"a {tree.task} tree has no class shares; ask leaf.constant instead")
    return tree.leaf_stats


def _n_classes(tree: Tree) -> int:
    if tree.classes is None:
        raise TypeError(f"a {tree.task} tree has no classes; ask leaf.constant instead")
    return len(tree.classes)
