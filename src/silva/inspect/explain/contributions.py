"""What each column contributed to predictions: the changes of the prediction along the path.

A step from a node to its child changes the class shares, or the mean, of the training rows. The
change is credited to the column of the split; a split of several columns shares it equally among
them, as importances do. What a row is explained by is the start (the root), one contribution for
each column, and where leaves have linear models one more: the model's prediction less that of the
leaf's own rows. Their sum is the prediction, up to rounding. Changes beyond the range of float64
are infinite.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from silva.data.table import Table
from silva.inspect.importance import column_uses
from silva.inspect.paths import paths
from silva.leaf import answers
from silva.tree import decision, stats
from silva.tree.tree import Tree

BEYOND_FLOATS: dict[str, Any] = {"over": "ignore", "invalid": "ignore"}
"""For `np.errstate`: numbers near the end of the range may differ by more than float64 holds."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Predictions as sums: float64, the last axis has one entry a class, or one for numbers.

    `start` (width), `columns` (rows, columns, width), `leaf` (rows, width): the part of the linear
    models, None without any.
    """

    start: np.ndarray
    columns: np.ndarray
    leaf: np.ndarray | None


def tree_parts(tree: Tree, ends: np.ndarray, table: Table, votes: bool = False) -> Parts:
    """The parts of the predictions of rows that end at these nodes.

    `votes`: a node counts 1 for the class that it predicts and 0 for all others.
    """
    nodes, place = np.unique(ends, return_inverse=True)
    leaf = None
    with np.errstate(**BEYOND_FLOATS):
        columns = _columns_of_ends(tree, nodes, votes).take(place, axis=0)
        if tree.linear is not None:
            own = node_values(tree, nodes, votes)[place]
            leaf = row_values(tree, ends, table, votes) - own
    return Parts(node_values(tree, np.zeros(1, dtype=np.int64), votes)[0], columns, leaf)


def node_values(tree: Tree, nodes: np.ndarray, votes: bool = False) -> np.ndarray:
    """What nodes predict by their own training rows: float64 (nodes, width)."""
    if tree.classes is None:
        return stats.node_mean(tree, nodes)[:, None]
    if votes:
        return _one_hot(decision.node_codes(tree, nodes), len(tree.classes))
    return answers.node_shares(tree, nodes)


def row_values(tree: Tree, ends: np.ndarray, table: Table, votes: bool = False) -> np.ndarray:
    """What rows that end at these nodes are predicted: float64 (rows, width)."""
    if tree.classes is None:
        return answers.predict_values(tree, ends, table)[:, None]
    if votes:
        return _one_hot(answers.predict_codes(tree, ends, table), len(tree.classes))
    return answers.predict_shares(tree, ends, table)


def _one_hot(codes: np.ndarray, n_classes: int) -> np.ndarray:
    chosen = np.zeros((len(codes), n_classes))
    chosen[np.arange(len(codes)), codes] = 1.0
    return chosen


def _columns_of_ends(tree: Tree, ends: np.ndarray, votes: bool) -> np.ndarray:
    """The contributions of the columns to the nodes' own predictions: (ends, columns, width)."""
    start, passed = paths(tree, ends)
    known, place = np.unique(passed, return_inverse=True)
    value = node_values(tree, known, votes)[place]
    below = np.ones(len(passed), dtype=bool)
    below[start[:-1]] = False
    child = np.flatnonzero(below)
    end = np.repeat(np.arange(len(ends)), np.diff(start) - 1)
    change = value[child] - value[child - 1]
    columns = np.zeros((len(ends), len(tree.schema), value.shape[1]))
    _credit(columns, tree, end, passed[child - 1], change)
    return columns


def _credit(
    columns: np.ndarray, tree: Tree, end: np.ndarray, asked: np.ndarray, change: np.ndarray
) -> None:
    """Add the change of each step to the columns about which its node asked."""
    nodes, used = column_uses(tree)
    counts = np.bincount(nodes, minlength=tree.n_nodes)
    first = np.cumsum(counts) - counts
    times = counts[asked]
    step = np.repeat(np.arange(len(asked)), times)
    use = first[asked][step] + np.arange(len(step)) - np.repeat(np.cumsum(times) - times, times)
    np.add.at(columns, (end[step], used[use]), change[step] / times[step, None])
