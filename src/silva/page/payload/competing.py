"""The splits that nodes might have had, by the search that grew the tree; training rows only."""

from dataclasses import replace
from typing import Any

import numpy as np

from silva.edit.competing import competing_at
from silva.edit.model import Bench
from silva.inspect.subject import Subject, unwrapped
from silva.page.payload.given_rows import GivenRows
from silva.tree.tree import Tree

MOST_NODES = 60
MOST_SPLITS = 5
MOST_CELLS = 8_000_000
"""Rows times columns to search, over all nodes: about a second of work."""


def competing(
    model: Any,
    subject: Subject,
    tree: Tree,
    rows: GivenRows,
    count: np.ndarray,
    hidden: np.ndarray,
) -> dict[str, Any]:
    """The best splits of the inner nodes with the most rows, by node number.

    `count` says how many rows pass each node; nodes that are `hidden` are left out. Empty for trees
    of a forest, which saw other rows.
    """
    if rows.own is None or subject.combiner != "tree":
        return {}
    table = replace(rows.table, schema=tree.schema)
    work: Bench[Any] = Bench(unwrapped(model)[0], tree, table, rows.own, 1)
    found = {}
    for node in _chosen(tree, count, hidden, len(subject.schema)):
        found[str(node)] = [
            {"question": one.words, "gain": one.gain, "current": one.is_current}
            for one in competing_at(work, node, MOST_SPLITS)
        ]
    return found


def _chosen(tree: Tree, count: np.ndarray, hidden: np.ndarray, n_columns: int) -> list[int]:
    """The inner nodes with the most rows, as many as are searched in little time."""
    inner = np.flatnonzero(~tree.is_leaf & (count > 0) & ~hidden)
    order = inner[np.argsort(-count[inner], kind="stable")][:MOST_NODES]
    cells = np.cumsum(count[order]) * n_columns
    chosen: list[int] = order[: max(1, int(np.searchsorted(cells, MOST_CELLS, "right")))].tolist()
    return chosen
