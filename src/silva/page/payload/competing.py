"""The splits that nodes might have had, by the search that grew the tree; training rows only."""

from dataclasses import replace
from typing import Any

import numpy as np

from silva.edit.competing import Competing, competing_at
from silva.edit.model import Bench
from silva.inspect.subject import Subject, unwrapped
from silva.page.payload.columns import used_columns
from silva.page.payload.given_rows import GivenRows
from silva.tree import words
from silva.tree.splits import Multiway, Subset
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
    min_cell: int | None = None,
) -> dict[str, Any]:
    """The best splits of the inner nodes with the most rows, by node number.

    `count` says how many rows pass each node. Empty for trees of a forest, which saw other rows,
    and with `min_cell`: a gain tells the counts of both children.
    """
    if rows.own is None or subject.combiner != "tree" or min_cell is not None:
        return {}
    table = replace(rows.table, schema=tree.schema)
    work: Bench[Any] = Bench(unwrapped(model)[0], tree, table, rows.own, 1)
    found, used = {}, used_columns([tree])
    for node in _chosen(tree, count, len(subject.schema)):
        found[str(node)] = [
            {
                "question": _question(one, tree, used),
                "gain": one.gain,
                "current": one.is_current,
            }
            for one in competing_at(work, node, MOST_SPLITS)
        ]
    return found


def _question(one: Competing, tree: Tree, used: set[int]) -> str:
    """The question in words; levels of columns that the tree does not ask about may be names."""
    match one.split:
        case Subset(column=number) | Multiway(column=number) if number not in used:
            column = tree.schema.columns[number]
            return f"{words.name(column.name)} in {len(one.rows)} groups of categories"
    return one.words


def _chosen(tree: Tree, count: np.ndarray, n_columns: int) -> list[int]:
    """The inner nodes with the most rows, as many as are searched in little time."""
    inner = np.flatnonzero(~tree.is_leaf & (count > 0))
    order = inner[np.argsort(-count[inner], kind="stable")][:MOST_NODES]
    cells = np.cumsum(count[order]) * n_columns
    chosen: list[int] = order[: max(1, int(np.searchsorted(cells, MOST_CELLS, "right")))].tolist()
    return chosen
