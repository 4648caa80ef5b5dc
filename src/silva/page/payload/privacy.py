"""Counts of few rows are not told, nor can they be had by subtraction: `min_cell`.

A count c with 0 < c < k is hidden. Where the total of some counts is known, one hidden count is the
rest, and two that add up to 2 are 1 and 1. So the next smallest are hidden too, until at least two
are, they add up to k or more, and not all of them can be 1. Zeros are told.

The rows of a node are the total of its children's. So where the rows of an inner node are hidden,
those of at least one child are, down to a leaf; then every equation of the tree has no unknown or
two, and no hidden number follows from all others together. What remains is the model itself: its
thresholds, predictions and gains.
"""

from collections.abc import Sequence

import numpy as np

from silva.tree import stats
from silva.tree.tree import Tree

CLOSE = 1e-9


def hidden_nodes(tree: Tree, k: int | None) -> np.ndarray:
    """Whether the training rows of each node are hidden (bool)."""
    return hidden_counts(tree, stats.node_rows(tree), k)


def hidden_counts(tree: Tree, rows: np.ndarray, k: int | None) -> np.ndarray:
    """The same for any rows: `rows` that pass each node, those that stop there included."""
    if k is None or k < 2:
        return np.zeros(tree.n_nodes, dtype=bool)
    return closed(tree, (rows > 0) & (rows < k), rows, k)


def hidden_classes(tree: Tree, k: int | None) -> np.ndarray:
    """Whether the class counts and shares of each node are hidden (bool); means, for regression.

    They are where any class has few rows (of weighted trees: where its share of the rows is less
    than `k` rows), and in further nodes, so that no others give them away.
    """
    rows = stats.node_rows(tree)
    hidden = hidden_counts(tree, rows, k)
    if k is None or k < 2 or tree.classes is None:
        return hidden
    units = stats.node_class_units(tree)
    count = units / units.sum(axis=1, keepdims=True) * rows[:, None]
    few = ((count > 0) & (count < k * (1.0 - CLOSE))).any(axis=1)
    return closed(tree, hidden | few, rows, k)


def closed(tree: Tree, hidden: np.ndarray, rows: np.ndarray, k: int) -> np.ndarray:
    """These nodes and others, such that nothing hidden follows from a node and its children."""
    found, number = hidden.copy(), rows.tolist()
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        children = tree.child[tree.child_start[node] : tree.child_start[node + 1]].tolist()
        counts = [number[child] for child in children]
        stopped = number[node] - sum(counts)
        is_hidden = [bool(found[child]) for child in children]
        if found[node]:
            made = _one_at_least(counts, is_hidden)
        elif any(is_hidden) or 0 < stopped < k:
            made = enough_hidden([*counts, stopped], [*is_hidden, 0 < stopped < k], k)[:-1]
        else:
            continue
        found[children] = made
    return found


def _one_at_least(counts: Sequence[int], hidden: list[bool]) -> list[bool]:
    if any(hidden):
        return hidden
    smallest = min(range(len(counts)), key=lambda place: (counts[place] == 0, counts[place]))
    return [place == smallest for place in range(len(counts))]


def masked(counts: Sequence[int], k: int | None) -> list[int | None]:
    """Counts whose total is known, those to be hidden as None."""
    if k is None:
        return list(counts)
    hidden = enough_hidden(counts, [0 < count < k for count in counts], k)
    pairs = zip(counts, hidden, strict=True)
    return [None if is_hidden else count for count, is_hidden in pairs]


def enough_hidden(counts: Sequence[int], hidden: Sequence[bool], k: int) -> list[bool]:
    """The hidden counts and, where these can be told from the total, more of them."""
    found = list(hidden)
    if not any(found):
        return found
    rest = (place for place, count in enumerate(counts) if count > 0 and not found[place])
    for place in sorted(rest, key=lambda one: counts[one]):
        if _is_enough(counts, found, k):
            return found
        found[place] = True
    return found if _is_enough(counts, found, k) else [True] * len(found)


def _is_enough(counts: Sequence[int], hidden: Sequence[bool], k: int) -> bool:
    these = [count for count, is_hidden in zip(counts, hidden, strict=True) if is_hidden]
    return len(these) >= 2 and sum(these) >= max(k, len(these) + 1)


def hidden_in_nodes(
    tree: Tree, counts: np.ndarray, hidden: np.ndarray, k: int | None
) -> np.ndarray:
    """Which counts (nodes, bins) are hidden, where those of `hidden` nodes are not told anyway.

    What a bin has in a node is the total of what it has in the children, and the rows of a node
    are the total of its bins: nothing hidden follows from either.
    """
    found = np.repeat(hidden[:, None], counts.shape[1], axis=1)
    if k is None or k < 2:
        return found
    found |= (counts > 0) & (counts < k)
    before = -1
    while before != (before := int(found.sum())):
        for one, column in enumerate(counts.T):
            found[:, one] = closed(tree, found[:, one], column, k)
        _close_lines(counts, found, k)
    return found


def hidden_cells(counts: np.ndarray, k: int | None, axes: Sequence[int] = (0, 1)) -> np.ndarray:
    """Which cells of a table of counts are hidden, where the sums along `axes` are known."""
    if k is None:
        return np.zeros(counts.shape, dtype=bool)
    hidden = (counts > 0) & (counts < k)
    before = -1
    while before != (before := int(hidden.sum())):
        for axis in axes:
            _close_lines(np.moveaxis(counts, axis, -1), np.moveaxis(hidden, axis, -1), k)
    return hidden


def _close_lines(counts: np.ndarray, hidden: np.ndarray, k: int) -> None:
    for line in np.flatnonzero(hidden.any(axis=1)).tolist():
        hidden[line] = enough_hidden(counts[line].tolist(), hidden[line].tolist(), k)
