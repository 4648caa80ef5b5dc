"""Leaves of a regression tree that answer with one number."""

import numpy as np

from silva.tree.tree import MomentStats, Tree


def values(tree: Tree) -> np.ndarray:
    """The mean of the training targets of each leaf (float64, one a leaf)."""
    stats = tree.leaf_stats
    if not isinstance(stats, MomentStats):
        raise TypeError(f"a {tree.task} tree has no leaf means; ask leaf.distribution instead")
    return stats.value
