"""Leaves of a classification tree that answer with the class shares of their training rows."""

import numpy as np

from silva.tree.decision import class_stats
from silva.tree.tree import Tree


def probabilities(tree: Tree, leaves: np.ndarray | None = None) -> np.ndarray:
    """Class shares of all leaves, or of the given leaf numbers: float64 (leaves, classes).

    A class that no training row of the leaf has gets exactly 0.
    """
    stats, width = class_stats(tree), len(classes(tree))
    lengths = np.diff(stats.start)
    if leaves is None:
        return _dense(stats.code, stats.weight, lengths, width)
    entries = _entries(stats.start[leaves], lengths[leaves])
    return _dense(stats.code[entries], stats.weight[entries], lengths[leaves], width)


def probabilities_of_rows(tree: Tree, leaves: np.ndarray) -> np.ndarray:
    """The class shares of the leaves in which rows end; needs no more memory than the answer."""
    if len(leaves) < tree.n_leaves:
        return probabilities(tree, leaves)
    return probabilities(tree).take(leaves, axis=0)


def leaf_class_units(tree: Tree, leaves: np.ndarray) -> np.ndarray:
    """The weight of each class in the given leaf numbers, in units: float64 (leaves, classes)."""
    stats = class_stats(tree)
    lengths = np.diff(stats.start)[leaves]
    entries = _entries(stats.start[leaves], lengths)
    units = np.zeros((len(leaves), len(classes(tree))))
    units[np.repeat(np.arange(len(leaves)), lengths), stats.code[entries]] = stats.weight[entries]
    return units


def class_weights(tree: Tree) -> np.ndarray:
    """The weight of each class in the whole tree, in units of `weight_unit` (float64, exact)."""
    stats = class_stats(tree)
    return np.bincount(stats.code, weights=stats.weight, minlength=len(classes(tree)))


def classes(tree: Tree) -> np.ndarray:
    """The class labels, in the order of their codes."""
    if tree.classes is None:
        raise TypeError(f"a {tree.task} tree has no classes; ask leaf.constant instead")
    return tree.classes


def labels(classes: np.ndarray, code_of_node: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """The class of each node; where nodes repeat, each is looked up once."""
    if len(nodes) > len(code_of_node):
        return np.asarray(classes.take(code_of_node).take(nodes))
    return np.asarray(classes.take(code_of_node.take(nodes)))


def _entries(start: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The entries start[i], start[i] + 1, ... (lengths[i] of them) for every i, in order."""
    offset: np.ndarray = start - (np.cumsum(lengths) - lengths)
    entries: np.ndarray = np.arange(lengths.sum()) + np.repeat(offset, lengths)
    return entries


def _dense(codes: np.ndarray, weights: np.ndarray, lengths: np.ndarray, width: int) -> np.ndarray:
    row = np.repeat(np.arange(len(lengths)), lengths)
    total = np.bincount(row, weights=weights, minlength=len(lengths))
    shares = np.zeros((len(lengths), width))
    shares[row, codes] = weights / total[row]
    return shares
