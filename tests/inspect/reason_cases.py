"""Rows that try every corner of a tree: at its thresholds, next to them, missing, unseen."""

import math

import numpy as np

from silva.data.schema import MISSING_CODE, UNSEEN_CODE
from silva.data.table import Table
from silva.tree.tree import Tree


def fuzzed_table(tree: Tree, seed: int, n_rows: int = 60) -> Table:
    """Rows of the tree's schema; each value is drawn from those that its column's splits part."""
    rng = np.random.default_rng(seed)
    columns = []
    for number in range(len(tree.schema)):
        columns.append(rng.choice(possible_values(tree, number), n_rows))
    return Table(tree.schema, tuple(columns), n_rows)


def possible_values(tree: Tree, number: int) -> np.ndarray:
    """The values of a column that its splits part; those that a policy refuses are left out."""
    column = tree.schema.columns[number]
    if column.levels is None:
        values = np.array(corners(tree, number))
        return values[~np.isnan(values)] if column.missing == "error" else values
    refused = {UNSEEN_CODE} if column.unseen == "error" else set()
    refused |= {MISSING_CODE} if column.missing == "error" else set()
    codes = [code for code in range(UNSEEN_CODE, column.n_levels) if code not in refused]
    return np.array(codes, dtype=np.int32)


def corners(tree: Tree, column: int) -> list[float]:
    """The thresholds of a column with their neighbours, some other numbers, and missing."""
    table = tree.thresholds
    found = [math.nan, 0.0, 1.0, -1.0, 1e300, -1e300, math.inf, -math.inf]
    for limit in table.threshold[table.column == column].tolist():
        found += [limit, math.nextafter(limit, -math.inf), math.nextafter(limit, math.inf)]
    return found
