"""Which nodes a row passes on its way to the leaf, or inner node, where it ends."""

from collections.abc import Sequence

import numpy as np

from silva.tree import stats
from silva.tree.tree import Tree

ROWS_AT_ONCE = 1 << 12
"""Rows whose paths are followed by one call of NumPy: Ctrl-C is seen between two of them."""


def paths(tree: Tree, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nodes from the root to each of `nodes`, laid end to end: (start, passed).

    Path i is `passed[start[i]:start[i + 1]]`, in ascending order, both ends included.
    """
    parent = stats.parent(tree)
    start = np.zeros(len(nodes) + 1, dtype=np.int64)
    np.cumsum(stats.depth(tree)[nodes] + 1, out=start[1:])
    passed = np.empty(start[-1], dtype=np.int64)
    place, node = start[1:] - 1, nodes
    while len(node):
        passed[place] = node
        below_root = node > 0
        place, node = place[below_root] - 1, parent[node[below_root]]
    return start, passed


def forest_paths(
    trees: Sequence[Tree], ends: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The paths of every tree, those of one row side by side: (start, passed, first).

    `ends` is (rows, trees). Row i passes `passed[start[i]:start[i + 1]]`, in ascending order, where
    the nodes of tree t are counted from `first[t]` on.
    """
    n_rows = len(ends)
    first = np.cumsum([0, *(tree.n_nodes for tree in trees)])
    lengths = np.zeros(n_rows, dtype=np.int64)
    for number, tree in enumerate(trees):
        lengths += stats.depth(tree)[ends[:, number]] + 1
    start = np.concatenate(([0], np.cumsum(lengths)))
    passed = np.empty(start[-1], dtype=_index_type(max(start[-1], first[-1])))
    at = start[:-1].copy()
    for begin in range(0, n_rows, ROWS_AT_ONCE):
        rows = slice(begin, begin + ROWS_AT_ONCE)
        for number, tree in enumerate(trees):
            own, nodes = paths(tree, ends[rows, number])
            steps = np.diff(own)
            place = np.arange(own[-1]) + np.repeat(at[rows] - own[:-1], steps)
            passed[place] = nodes + first[number]
            at[rows] += steps
    return start.astype(passed.dtype), passed, first


def _index_type(most: int) -> type[np.signedinteger]:
    """The type of indices with which SciPy makes sparse arrays of this size."""
    return np.int32 if most <= np.iinfo(np.int32).max else np.int64
