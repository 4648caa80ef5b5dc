"""Which training rows a tree answers rightly, from the statistics of its leaves."""

import numpy as np

from silva.leaf import answers, distribution
from silva.tree import stats
from silva.tree.tree import Tree


def right_units(tree: Tree) -> np.ndarray:
    """The weight of the rows of each leaf whose class is its answer, in units (int64)."""
    if tree.smoothing is None or tree.smoothing.prior == "uniform":
        return distribution.majority_weight(tree)
    leaves = np.flatnonzero(tree.is_leaf)
    told = answers.node_codes(tree, leaves)[:, None]
    parts = [
        np.take_along_axis(stats.node_class_units(tree, leaves[part]), told[part], 1)[:, 0]
        for part in answers.parts(len(leaves), len(distribution.classes(tree)))
    ]
    return np.concatenate(parts)
