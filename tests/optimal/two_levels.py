"""The best tree of at most two levels by counting, for tables of some hundred rows.

Independent of the recursion over sets of rows: for every root test the costs of all stumps on both
sides come from running sums over the ranks.
"""

from __future__ import annotations

import numpy as np

from tests.optimal.optimal_cases import Question, Table

NONE = np.iinfo(np.int64).max // 4


def best_in_two_levels(table: Table, question: Question) -> int:
    """Optimal value at depth 2 (or less, by the question) with any limit of splits."""
    depth, splits = question.max_depth, question.max_splits
    assert depth is not None
    most = min(2**depth - 1, 3 if splits is None else splits)
    every = np.ones(len(table.classes), dtype=bool)
    best = best_side(table, question, every, min(most, 1))
    if depth < 2 or most < 2:
        return best
    for column, levels in zip(table.ranks, table.levels, strict=True):
        for position in range(1, levels):
            best = min(best, best_root(table, question, column < position, most))
    return best


def best_root(table: Table, question: Question, left: np.ndarray, most: int) -> int:
    """Best tree under one root test: up to `most` splits in all, at most one on each side."""
    if min(left.sum(), (~left).sum()) < question.min_rows:
        return int(NONE)
    bare, stumps = (
        [best_side(table, question, side, allowed) for side in (left, ~left)] for allowed in (0, 1)
    )
    if most >= 3:
        return question.penalty + stumps[0] + stumps[1]
    return question.penalty + min(stumps[0] + bare[1], bare[0] + stumps[1])


def best_side(table: Table, question: Question, rows: np.ndarray, splits: int) -> int:
    """Best leaf or, where a split is allowed, stump over some of the rows."""
    leaf = question.unit * int(row_costs(table)[rows].sum(axis=0).min())
    if not splits or not len(table.ranks):
        return leaf
    return min(leaf, *(best_stump(table, question, rows, column) for column in table.ranks))


def best_stump(table: Table, question: Question, rows: np.ndarray, column: np.ndarray) -> int:
    levels = int(column.max()) + 1
    costs = np.zeros((levels, table.n_classes), dtype=np.int64)
    np.add.at(costs, column[rows], row_costs(table)[rows])
    counts = np.bincount(column[rows], minlength=levels).cumsum()[:-1]
    below = costs.cumsum(axis=0)
    values = below[:-1].min(axis=1) + (below[-1] - below[:-1]).min(axis=1)
    fits = np.minimum(counts, rows.sum() - counts) >= question.min_rows
    return question.penalty + question.unit * int(values[fits].min()) if fits.any() else int(NONE)


def row_costs(table: Table) -> np.ndarray:
    return table.weights[:, None] * table.costs[table.classes]
