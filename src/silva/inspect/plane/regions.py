"""The ends of a tree in a plane: exact rectangles, one walk of the tree."""

from collections.abc import Iterator

import numpy as np

from silva.data.table import Table
from silva.inspect.plane.axis import PlaneAxis, Span
from silva.inspect.plane.setting import Setting
from silva.inspect.rules.conditions import Condition, is_empty, meet, taken
from silva.inspect.rules.matching import holds
from silva.tree.splits import STOP, Distance, Multiway, Oblique, Split, Subset, Threshold, split_of
from silva.tree.tree import Tree

_FIRST = np.zeros(1, dtype=np.int64)

Reached = dict[int, Condition]
"""The values of the columns of a plane that lead to a node."""


def is_axis_parallel(tree: Tree) -> bool:
    """Whether every split asks about one column."""
    return not len(tree.obliques.threshold) and not len(tree.distances.threshold)


def ends_in_plane(
    tree: Tree, axes: tuple[PlaneAxis, ...], setting: Setting
) -> Iterator[tuple[int, Reached]]:
    """The nodes at which rows of the plane end, and the values of its columns that lead there.

    A node that asks about a column outside the plane sends all rows of the plane one way.
    """
    free = {axis.number for axis in axes}
    starts, child = tree.child_start.tolist(), tree.child.tolist()
    stack: list[tuple[int, Reached]] = [(0, {})]
    while stack:
        node, reached = stack.pop()
        split = split_of(tree, node)
        if split is None:
            yield node, reached
            continue
        below = child[starts[node] : starts[node + 1]]
        for number, target in [(STOP, -1), *enumerate(below)]:
            narrowed = _narrowed(tree, split, number, reached, free, setting)
            if narrowed is not None and number == STOP:
                yield node, narrowed
            elif narrowed is not None:
                stack.append((target, narrowed))


def _narrowed(
    tree: Tree, split: Split, child: int, reached: Reached, free: set[int], setting: Setting
) -> Reached | None:
    """What leads to a child of a split, or ends at it; None if nothing does."""
    column = _column(split)
    condition = taken(split, child, tree.schema.columns)
    if column not in free:
        setting.check(column)
        return reached if _is_met(condition, setting.row) else None
    both = meet(reached[column], condition) if column in reached else condition
    return None if is_empty(both) else {**reached, column: both}


def _column(split: Split) -> int:
    match split:
        case Threshold() | Subset() | Multiway():
            return split.column
        case Oblique() | Distance():
            raise TypeError("splits of several columns have no rectangles")


def _is_met(condition: Condition, row: Table) -> bool:
    return bool(holds(condition, row, _FIRST)[0])


def rectangles(
    axes: tuple[PlaneAxis, ...], reached: Reached, join: bool = True
) -> Iterator[tuple[Span, Span | None]]:
    """The stretches of the first axis, with those of the second if there is one.

    Bands side by side are one stretch, unless `join` is False.
    """
    spans = [axis.spans(reached.get(axis.number), join) for axis in axes]
    for x in spans[0]:
        for y in spans[1] if len(axes) > 1 else [None]:
            yield x, y
