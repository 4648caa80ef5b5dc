"""The targets of the rows at each node of a regression tree, in bins that are the same everywhere.

The ends of the bins are round numbers: none of them is there because a row has this target.
"""

from typing import Any

import numpy as np

from silva.page.payload.given_rows import GivenRows, NodeRows
from silva.page.payload.histograms import MOST_NODES, ends_of, round_edges
from silva.page.payload.masking import with_ancestors
from silva.page.payload.privacy import hidden_in_nodes
from silva.tree.tree import Tree

N_BINS = 16


def targets(
    tree: Tree, rows: GivenRows, at: NodeRows, hidden: np.ndarray, min_cell: int | None
) -> dict[str, Any] | None:
    """Counts of each bin from `low` to `high` for the nodes with the most rows, by node number.

    None for classification, and where float64 has no round numbers around the targets. Nodes above
    `hidden` ones have none: where leaves predict, rows have their targets.
    """
    assert rows.target is not None
    values = rows.target.values
    known = values[rows.kept]
    range_ = ends_of(known, min_cell) if tree.classes is None else None
    ends = None if range_ is None else round_edges(*range_)
    if ends is None:
        return None
    counts = _counts(values, at, np.linspace(ends[0], ends[-1], N_BINS + 1))
    unknown = hidden_in_nodes(tree, counts, with_ancestors(tree, hidden), min_cell)
    usable = np.flatnonzero((at.count > 0) & ~unknown.all(axis=1))
    shown = usable[np.argsort(-at.count[usable], kind="stable")][:MOST_NODES].tolist()
    if not shown:
        return None
    cells = np.where(unknown, None, counts)  # type: ignore[call-overload]
    return {
        "low": ends[0],
        "high": ends[-1],
        "nodes": {str(node): cells[node].tolist() for node in shown},
    }


def _counts(values: np.ndarray, at: NodeRows, edges: np.ndarray) -> np.ndarray:
    """How many rows of each node (lines) fall into each bin (columns)."""
    place = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, N_BINS - 1)
    return np.stack([at.sums(place == one) for one in range(N_BINS)], axis=1)
