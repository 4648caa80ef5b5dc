"""Which nodes of a big tree are shown, in texts and in pictures."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from silva.tree.view import TreeView


@dataclass(frozen=True, slots=True)
class Limits:
    """What to show; the root always is, and None is no limit.

    `max_depth`: nodes down to this depth. `min_rows`: nodes with at least so many training rows.
    `max_nodes`: the nodes with the most rows, so many at most. `max_listed`: of the levels or
    terms in a condition the first ones, so many at most, and of long levels the beginning.
    """

    max_depth: int | None = None
    min_rows: int | None = None
    max_nodes: int | None = None
    max_listed: int | None = None


def shown_nodes(view: TreeView, limits: Limits) -> np.ndarray:
    """Which nodes to show, one boolean a node; whatever lies above a shown node is shown too."""
    shown = np.ones(len(view), dtype=bool)
    if limits.max_depth is not None:
        shown &= view.depth <= limits.max_depth
    if limits.min_rows is not None:
        shown &= view.rows >= limits.min_rows
    if limits.max_nodes is not None:
        most_rows_first = np.argsort(-view.rows, kind="stable")
        shown[most_rows_first[limits.max_nodes :]] = False
    shown[0] = True
    return shown


def grouped(
    children: tuple[int, ...], shown: np.ndarray | Sequence[bool]
) -> list[tuple[tuple[int, ...], bool]]:
    """Children in order, and whether they are shown; hidden neighbours are one group."""
    groups: list[tuple[list[int], bool]] = []
    for child in children:
        if groups and not shown[child] and not groups[-1][1]:
            groups[-1][0].append(child)
        else:
            groups.append(([child], bool(shown[child])))
    return [(tuple(nodes), is_shown) for nodes, is_shown in groups]
