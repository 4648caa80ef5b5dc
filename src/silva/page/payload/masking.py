"""What `min_cell` leaves of a tree's numbers: none that tells of a few rows.

Which counts are hidden is decided in `privacy`. Here they are taken out of the nodes, statistics
and columns of the document. Thresholds and the predictions of leaves stay: they are the model.
"""

from typing import Any

import numpy as np

from silva.page.payload.privacy import hidden_classes, hidden_nodes
from silva.tree import stats
from silva.tree.hidden import Hidden, nothing_hidden
from silva.tree.tree import Tree


def hidden_of(tree: Tree, min_cell: int | None) -> Hidden:
    """The nodes whose numbers are not told."""
    if min_cell is None:
        return nothing_hidden(tree)
    rows, shares = hidden_nodes(tree, min_cell), hidden_classes(tree, min_cell)
    if tree.classes is None:
        shares = with_ancestors(tree, shares)
    return Hidden(rows, shares | rows)


def with_ancestors(tree: Tree, hidden: np.ndarray) -> np.ndarray:
    """The mean of a node and those of the leaves below it, which are told, give their weights."""
    found, parent = hidden.copy(), stats.parent(tree)
    for node in range(tree.n_nodes - 1, 0, -1):
        if found[node]:
            found[parent[node]] = True
    return found


def masked_nodes(nodes: dict[str, Any], tree: Tree, hidden: Hidden) -> dict[str, Any]:
    """The nodes of the document without hidden numbers."""
    if not hidden.any:
        return nodes
    inner_shares = hidden.shares & ~tree.is_leaf
    gains = with_hidden_children(tree, hidden.shares)
    by_name = {
        **dict.fromkeys(("rows", "share", "weight"), hidden.rows),
        **dict.fromkeys(("shares", "deviation", "interval"), hidden.shares),
        "mean": inner_shares,
        "gain": gains,
    }
    return {
        name: values if values is None or name not in by_name else _without(values, by_name[name])
        for name, values in nodes.items()
    }


def shown_gains(tree: Tree, min_cell: int | None) -> np.ndarray:
    """The gain of each node, 0 where it is hidden (float64)."""
    hidden = with_hidden_children(tree, hidden_of(tree, min_cell).shares)
    return np.where(hidden, 0.0, tree.gain)


def with_hidden_children(tree: Tree, hidden: np.ndarray) -> np.ndarray:
    """A gain is made of the counts of a node and of its children."""
    found = hidden.copy()
    found[stats.parent(tree)[1:][hidden[1:]]] = True
    return found


def _without(values: list[Any], hidden: np.ndarray) -> list[Any]:
    return [None if is_hidden else one for one, is_hidden in zip(values, hidden, strict=True)]


def masked_columns(columns: list[dict[str, Any]], min_cell: int | None) -> list[dict[str, Any]]:
    """Columns without counts of few missing values, lone levels, and figures of their values.

    Extremes are single rows, and the mean of zeros and ones times the rows is a count.
    """
    if min_cell is None:
        return columns
    told = {"range": "", "lone_levels": 0}
    return [{**one, "facts": _facts(one["facts"], min_cell), **told} for one in columns]


def _facts(facts: dict[str, Any] | None, min_cell: int) -> dict[str, Any] | None:
    if facts is None:
        return None
    missing = None if 0 < facts["missing"] < min_cell else facts["missing"]
    return {**dict.fromkeys(facts), "missing": missing}
