"""Which rows satisfy conditions, by the very comparisons that route rows through a tree."""

from collections.abc import Iterable
from typing import assert_never

import numpy as np

from silva.data.schema import MISSING_CODE, UNSEEN_CODE, Schema
from silva.data.table import Table
from silva.inspect.rules.conditions import Condition, Interval, Joint, Levels
from silva.tree import route
from silva.tree.builder import TreeBuilder
from silva.tree.splits import Distance, Oblique
from silva.tree.tree import Tree


def matching(conditions: Iterable[Condition], table: Table, rows: np.ndarray) -> np.ndarray:
    """Those of the rows (numbers, ascending) that satisfy all conditions."""
    for condition in conditions:
        if not len(rows):
            break
        rows = rows[holds(condition, table, rows)]
    return rows


def holds(condition: Condition, table: Table, rows: np.ndarray) -> np.ndarray:
    """Whether each of the rows satisfies the condition (booleans)."""
    match condition:
        case Interval():
            return _in_interval(condition, table.columns[condition.column][rows])
        case Levels():
            return _in_levels(condition, table, rows)
        case Joint():
            wanted = np.array([condition.below, condition.above, condition.missing])
            return np.asarray(wanted[outcomes(condition.split, table, rows)])
        case _:
            assert_never(condition)


def _in_interval(interval: Interval, values: np.ndarray) -> np.ndarray:
    numbers = values.astype(np.float64, copy=False)
    missing = np.isnan(numbers)
    inside = ~missing if interval.known else np.zeros(len(numbers), dtype=bool)
    if interval.low is not None:
        inside &= numbers >= interval.low
    if interval.high is not None:
        inside &= numbers < interval.high
    return inside | missing if interval.missing else inside


def _in_levels(levels: Levels, table: Table, rows: np.ndarray) -> np.ndarray:
    wanted = np.zeros(table.schema.columns[levels.column].n_levels + 2, dtype=bool)
    wanted[list(levels.codes)] = True
    wanted[MISSING_CODE], wanted[UNSEEN_CODE] = levels.missing, levels.unseen
    codes = table.columns[levels.column][rows].astype(np.int64)
    return np.asarray(wanted[codes])


def outcomes(split: Oblique | Distance, table: Table, rows: np.ndarray) -> np.ndarray:
    """What a split of several columns says of rows: 0 below, 1 at least, 2 missing (int64).

    The tree of this split alone is asked, so that every bit of the sum is the tree's.
    """
    part = table.take(rows)
    return route.leaves(_alone(split, table.schema), part) - 1


def _alone(split: Oblique | Distance, schema: Schema) -> Tree:
    build = TreeBuilder(schema, "classification", np.array([0]))
    root = build.add_split(None, 0, split)
    for child in range(3):
        build.add_leaf(root, child, 1, {0: 1})
    return build.finish()
