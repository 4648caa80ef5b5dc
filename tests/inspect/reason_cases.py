"""Rows that try every corner of a tree: at its thresholds, next to them, missing, unseen."""

import math

import numpy as np

from silva.data.schema import UNSEEN_CODE
from silva.data.table import Table
from silva.tree.tree import Tree


def fuzzed_table(tree: Tree, seed: int, n_rows: int = 60) -> Table:
    """Rows of the tree's schema; each value is drawn from those that its column's splits part."""
    rng = np.random.default_rng(seed)
    columns = []
    for number, column in enumerate(tree.schema.columns):
        if column.levels is None:
            values = np.array(corners(tree, number))
        else:
            values = np.arange(UNSEEN_CODE, column.n_levels, dtype=np.int32)
        columns.append(rng.choice(values, n_rows))
    return Table(tree.schema, tuple(columns), n_rows)


def corners(tree: Tree, column: int) -> list[float]:
    """The thresholds of a column with their neighbours, some other numbers, and missing."""
    table = tree.thresholds
    found = [math.nan, 0.0, 1.0, -1.0, 1e300, -1e300, math.inf, -math.inf]
    for limit in table.threshold[table.column == column].tolist():
        found += [limit, math.nextafter(limit, -math.inf), math.nextafter(limit, math.inf)]
    return found
