"""How much each column of a tree matters."""

import numpy as np

from silva.tree import stats
from silva.tree.splits import SUBSET, THRESHOLD
from silva.tree.tree import Tree


def impurity_importance(tree: Tree) -> np.ndarray:
    """The gain that each column brought, weighted by its nodes' weight, as shares that sum to 1.

    All zeros when no split brought any gain. Computed from the training rows only, it flatters
    columns with many distinct values: permutation importance on held-out rows does not.
    """
    inner = ~tree.is_leaf
    brought = _scaled(tree.gain[inner]) * stats.node_weight_units(tree)[inner]
    columns = split_columns(tree)[inner]
    totals = np.bincount(columns, weights=brought, minlength=len(tree.schema)).astype(np.float64)
    whole = totals.sum()
    return totals / whole if whole > 0 else totals


def split_columns(tree: Tree) -> np.ndarray:
    """The column that each node asks about, -1 for leaves (int64)."""
    columns = np.full(tree.n_nodes, -1, dtype=np.int64)
    for kind, table in ((THRESHOLD, tree.thresholds), (SUBSET, tree.subsets)):
        nodes = tree.split_kind == kind
        columns[nodes] = table.column[tree.split_index[nodes]]
    return columns


def _scaled(gains: np.ndarray) -> np.ndarray:
    """Gains times a power of two, so that sums of the largest stay finite."""
    exponent = np.frexp(gains.max(initial=0.0))[1]
    scaled: np.ndarray = np.ldexp(gains, -exponent)
    return scaled
