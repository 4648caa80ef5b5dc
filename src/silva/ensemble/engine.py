"""What a forest answers: sums over its trees, in the order of the trees, for every row.

The compiled engine takes trees whose nodes have one answer each; where answers differ by row
(linear leaves) each tree is asked by `leaf.answers`. Sums are the same bits for any number of
threads and rows at a time.
"""

from typing import Any

import numpy as np

from silva.data import bind
from silva.data.table import Table
from silva.ensemble.packed import PackedTrees
from silva.leaf import answers
from silva.tree import route

Rows = Table | np.ndarray
"""A table bound to the forest's schema, or the plain matrix of `rows_of`."""


def rows_of(data: Any, packed: PackedTrees) -> Rows:
    """The user's rows, checked as `bind_prediction` does; a plain matrix stays as it is."""
    return bind.bind_prediction(data, packed.schema)


def soft(packed: PackedTrees, rows: Rows, threads: int = 1) -> np.ndarray:
    """The mean over the trees of the class shares: float64 (rows, classes)."""
    total = _summed(packed, rows, threads, answers.predict_shares)
    return total / len(packed)


def hard(packed: PackedTrees, rows: Rows, threads: int = 1) -> np.ndarray:
    """How many trees vote for each class: int64 (rows, classes)."""
    assert packed.classes is not None
    table = _table(packed, rows)
    votes = np.zeros((table.n_rows, len(packed.classes)), dtype=np.int64)
    every = np.arange(table.n_rows)
    for tree in packed:
        nodes = route.leaves(tree, table, threads)
        votes[every, answers.predict_codes(tree, nodes, table, threads)] += 1
    return votes


def mean(packed: PackedTrees, rows: Rows, threads: int = 1) -> np.ndarray:
    """The mean over the trees of the numbers they answer (float64)."""
    return _summed(packed, rows, threads, answers.predict_values) / len(packed)


def leaves(packed: PackedTrees, rows: Rows, threads: int = 1) -> np.ndarray:
    """The node in which each row ends, in each tree: int32 (rows, trees)."""
    table = _table(packed, rows)
    found = [route.leaves(tree, table, threads) for tree in packed]
    return np.stack(found, axis=1).astype(np.int32)


def _summed(packed: PackedTrees, rows: Rows, threads: int, answer: Any) -> np.ndarray:
    table = _table(packed, rows)
    total: Any = 0.0
    for tree in packed:
        nodes = route.leaves(tree, table, threads)
        total = total + answer(tree, nodes, table, threads)
    return np.asarray(total)


def _table(packed: PackedTrees, rows: Rows) -> Table:
    if isinstance(rows, Table):
        return rows
    return Table(packed.schema, tuple(rows.T), len(rows))
