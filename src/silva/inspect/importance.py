"""How much each column of a tree matters."""

from collections.abc import Iterable
from typing import assert_never

import numpy as np

from silva.data.large import too_large_to_square
from silva.tree import stats
from silva.tree.tables import (
    DistanceTable,
    MultiwayTable,
    ObliqueTable,
    SplitTable,
    SubsetTable,
    ThresholdTable,
)
from silva.tree.tree import Tree, split_tables


def impurity_importance(tree: Tree) -> np.ndarray:
    """The gain that each column brought, weighted by its nodes' weight, as shares that sum to 1.

    A split of several columns shares its gain equally among them. All zeros when no split brought
    any gain. Computed from the training rows only, it favours columns with many distinct values:
    permutation importance on held-out rows does not. Raises DataError if gains of several
    columns were too large for float64, and so cut off.
    """
    cut_off = tree.task == "regression" and tree.gain.max() == np.finfo(np.float64).max
    if cut_off and len(columns_used(tree)) > 1:
        raise too_large_to_square(stats.node_mean(tree, np.flatnonzero(tree.is_leaf)))
    brought = _scaled(tree.gain) * stats.node_weight_units(tree)
    nodes, columns = column_uses(tree)
    share = brought[nodes] / np.bincount(nodes, minlength=tree.n_nodes)[nodes]
    totals = np.bincount(columns, weights=share, minlength=len(tree.schema)).astype(np.float64)
    whole = totals.sum()
    return totals / whole if whole > 0 else totals


def mean_importance(trees: Iterable[Tree]) -> np.ndarray:
    """The mean of the impurity importances of trees that have a split, as shares that sum to 1."""
    each = [impurity_importance(tree) for tree in trees]
    totals: np.ndarray = np.sum(each, axis=0)
    whole = totals.sum()
    return totals / whole if whole > 0 else totals


def columns_used(tree: Tree) -> np.ndarray:
    """The columns that any node asks about, ascending (int64)."""
    used = [np.empty(0, dtype=np.int64)]
    used += [_columns(table)[1] for table in split_tables(tree).values()]
    return np.unique(np.concatenate(used)).astype(np.int64, copy=False)


def column_uses(tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of a node and a column that it asks about, each once, ascending (int64)."""
    pairs = [np.empty((0, 2), dtype=np.int64)]
    for kind, table in split_tables(tree).items():
        split, column = _columns(table)
        nodes = np.flatnonzero(tree.split_kind == kind)[split]
        pairs.append(np.stack((nodes, column.astype(np.int64)), axis=1))
    uses = np.unique(np.concatenate(pairs), axis=0)
    return uses[:, 0], uses[:, 1]


def split_columns(tree: Tree) -> np.ndarray:
    """The column that each node asks about, -1 for leaves and for several columns (int64)."""
    nodes, columns = column_uses(tree)
    single = np.bincount(nodes, minlength=tree.n_nodes)[nodes] == 1
    found = np.full(tree.n_nodes, -1, dtype=np.int64)
    found[nodes[single]] = columns[single]
    return found


def _columns(table: SplitTable) -> tuple[np.ndarray, np.ndarray]:
    """The splits of a table and their columns, one entry for each use."""
    match table:
        case ThresholdTable() | SubsetTable() | MultiwayTable():
            return np.arange(len(table.column)), table.column
        case ObliqueTable() | DistanceTable():
            lengths = np.diff(table.start)
            return np.repeat(np.arange(len(lengths)), lengths), table.columns
        case _:
            assert_never(table)


def _scaled(gains: np.ndarray) -> np.ndarray:
    """Gains times a power of two, so that sums of the largest stay finite."""
    exponent = np.frexp(gains.max(initial=0.0))[1]
    scaled: np.ndarray = np.ldexp(gains, -exponent)
    return scaled
