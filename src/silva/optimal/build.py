"""From tests of ordered columns to an ordinary tree, and back.

The search knows a tree as four arrays in pre-order: column, position, left and right child; the
column of a leaf is -1. A threshold is the midpoint of neighbouring values of its node, missing and
unseen values follow the policies of their column: all as in greedy growth.
"""

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np

from silva.data.policies import are_missing
from silva.data.schema import Column
from silva.data.table import Table, Target
from silva.optimal.objective import Objective, row_units
from silva.optimal.ordered import Ordered
from silva.optimal.questions import Questions
from silva.tree.builder import TreeBuilder
from silva.tree.restat import restated
from silva.tree.splits import STOP, Split, Subset, Threshold, split_of
from silva.tree.tree import Tree

Arrays = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]

LEAF = (-1, -1, -1, -1)
CRITERION = "error"


def leaf_tree(table: Table, target: Target) -> Tree:
    """The tree without a split."""
    builder = TreeBuilder(table.schema, "classification", target.classes, CRITERION)
    builder.add_leaf(None, 0, 1, {0: 1})
    return restated(builder.unchecked(), table, target)


def node_rows(arrays: Arrays, ranks: np.ndarray) -> list[np.ndarray]:
    """The numbers of the rows that pass each node."""
    column, position, left, right = (part.tolist() for part in arrays)
    rows: list[np.ndarray] = [np.empty(0, np.int64)] * len(column)
    rows[0] = np.arange(ranks.shape[1])
    for node, asked in enumerate(column):
        if asked >= 0:
            goes_left = ranks[asked, rows[node]] < position[node]
            rows[left[node]] = rows[node][goes_left]
            rows[right[node]] = rows[node][~goes_left]
    return rows


def value_of(arrays: Arrays, questions: Questions, objective: Objective) -> int:
    """The value of a tree, counted from its rows."""
    costs = _node_costs(arrays, questions, objective)
    leaves = arrays[0] < 0
    n_splits = int(np.count_nonzero(~leaves))
    return objective.unit * int(costs[leaves].sum()) + objective.penalty * n_splits


def simplified(arrays: Arrays, questions: Questions, objective: Objective) -> Arrays:
    """The tree without the splits that lower its value by nothing."""
    costs = (objective.unit * _node_costs(arrays, questions, objective)).tolist()
    column, position, left, right = (part.tolist() for part in arrays)
    best = list(costs)
    for node in range(len(column) - 1, -1, -1):
        if column[node] >= 0:
            best[node] = best[left[node]] + best[right[node]] + objective.penalty
            if costs[node] <= best[node]:
                best[node], column[node] = costs[node], -1
    tests = list(zip(column, position, left, right, strict=True))
    return _preorder(lambda node: tests[node] if column[node] >= 0 else LEAF)


def tree_of(arrays: Arrays, questions: Questions, table: Table, target: Target) -> Tree:
    """The tree with the statistics of the table's rows; `questions` are about those of weight."""
    weights = row_units(_positive(target), questions.table.n_rows)
    asker = _Asker(questions, weights)
    builder = TreeBuilder(table.schema, "classification", target.classes, CRITERION)
    rows = node_rows(arrays, questions.ranks)
    column, _, left, right = (part.tolist() for part in arrays)
    pending: list[tuple[int, int | None, int]] = [(0, None, 0)]
    while pending:
        node, parent, child = pending.pop()
        if column[node] < 0:
            builder.add_leaf(parent, child, 1, {0: 1})
            continue
        sides = _Sides(rows[left[node]], rows[right[node]])
        split, left_child = asker.split(column[node], sides)
        handle = builder.add_split(parent, child, split)
        pending += [(left[node], handle, left_child), (right[node], handle, 1 - left_child)]
    return restated(builder.unchecked(), table, target)


def arrays_of(tree: Tree, questions: Questions, leaves: Collection[int] = ()) -> Arrays | None:
    """The tests of a tree of two children a split; None if one of them is not asked here.

    Some nodes become leaves.
    """
    tests: dict[int, tuple[int, int, int, int]] = {}
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        if node in leaves:
            continue
        split = split_of(tree, node)
        place = None if split is None else questions.place_of(split)
        if split is not None and place is None:
            return None
        if place is not None:
            first = int(tree.child_start[node])
            children = tree.child[first : first + 2].tolist()
            sides = children[place.left_child], children[1 - place.left_child]
            tests[node] = (place.column, place.position, *sides)
    return _preorder(lambda node: tests.get(node, LEAF))


def threshold_between(low: float, high: float) -> float:
    """The midpoint of two neighbouring values, guarded so that low < t <= high (as the core)."""
    middle = (low + high) / 2
    if not math.isfinite(middle):
        middle = low / 2 + high / 2
    return middle if low < middle <= high else high


@dataclass(frozen=True, slots=True)
class _Sides:
    """The rows of a node that go left, and those that go right."""

    left: np.ndarray
    right: np.ndarray


class _Asker:
    """The split that stands for a test, at a node with these rows."""

    def __init__(self, questions: Questions, weights: np.ndarray) -> None:
        self._questions, self._weights = questions, weights

    def split(self, column: int, sides: _Sides) -> tuple[Split, int]:
        """The split, and which of its children the left side is."""
        ordered = self._questions.columns[column]
        return self._set(ordered, sides) if ordered.is_set else self._threshold(ordered, sides)

    def _threshold(self, ordered: Ordered, sides: _Sides) -> tuple[Split, int]:
        column, values, absent = self._column(ordered)
        known = [sides.left, sides.right]
        if absent is not None:
            known = [rows[~absent[rows]] for rows in known]
        only_missing = [not len(rows) for rows in known]
        if any(only_missing):
            left_child = 1 if only_missing[1] else 0
            children = [sides.left, sides.right] if left_child == 0 else [sides.right, sides.left]
            unseen = self._unseen(column, 0, True, children)
            return Threshold(ordered.column, -math.inf, 0, unseen), left_child
        children = [sides.left, sides.right]
        missing, has_missing = self._missing(column, children, absent)
        unseen = self._unseen(column, missing, has_missing, children)
        low, high = float(values[known[0]].max()), float(values[known[1]].min())
        threshold = self._between(ordered.column, low, high)
        return Threshold(ordered.column, threshold, missing, unseen), 0

    def _between(self, column: int, low: float, high: float) -> float:
        """The midpoint, or the threshold of the column's grid that is nearest to it."""
        middle, grid = threshold_between(low, high), self._questions.grids.get(column)
        if grid is None:
            return middle
        allowed = (threshold for threshold in grid if low < threshold <= high)
        return min(allowed, key=lambda threshold: abs(threshold - middle))

    def _set(self, ordered: Ordered, sides: _Sides) -> tuple[Split, int]:
        column, values, absent = self._column(ordered)
        both = [sides.left, sides.right]
        known = both if absent is None else [rows[~absent[rows]] for rows in both]
        codes = [np.unique(values[rows]).tolist() for rows in known]
        listed = self._listed(ordered, both, codes)
        children = [both[1 - listed], both[listed]]
        missing, has_missing = self._missing(column, children, absent)
        unseen = self._unseen(column, missing, has_missing, children)
        rest = codes[1 - listed] if codes[listed] and column.unseen != "majority" else ()
        split = Subset(ordered.column, tuple(codes[listed]), tuple(rest), missing, unseen)
        return split, 1 - listed

    def _listed(self, ordered: Ordered, both: list[np.ndarray], codes: list[list[int]]) -> int:
        """The side that the split lists: missing values alone, the one category, or the lighter."""
        for side in (0, 1):
            if not codes[side]:
                return side
        if ordered.column in self._questions.one_against_rest:
            return 0
        return 0 if self._weight(both[0]) <= self._weight(both[1]) else 1

    def _column(self, ordered: Ordered) -> tuple[Column, np.ndarray, np.ndarray | None]:
        """The column, its values, and where they are missing; None for nowhere."""
        table = self._questions.table
        column, values = table.schema.columns[ordered.column], table.columns[ordered.column]
        is_complete = not ordered.is_set and ordered.missing_first is None
        return column, values, None if is_complete else are_missing(column, values)

    def _missing(
        self, column: Column, children: list[np.ndarray], absent: np.ndarray | None
    ) -> tuple[int, bool]:
        """Where missing values go, and whether the node has any."""
        for child, rows in enumerate(children):
            if absent is not None and absent[rows].any():
                return child, True
        follows = column.missing in ("learn", "majority")
        return (self._heaviest(children) if follows else STOP), False

    def _unseen(
        self, column: Column, missing: int, has_missing: bool, children: list[np.ndarray]
    ) -> int:
        if column.unseen == "majority" or (column.unseen == "learn" and not has_missing):
            return self._heaviest(children)
        return missing if column.unseen == "learn" else STOP

    def _heaviest(self, children: list[np.ndarray]) -> int:
        return 0 if self._weight(children[0]) >= self._weight(children[1]) else 1

    def _weight(self, rows: np.ndarray) -> int:
        return int(self._weights[rows].sum())


def _positive(target: Target) -> np.ndarray | None:
    return None if target.weights is None else target.weights[target.weights > 0]


def _node_costs(arrays: Arrays, questions: Questions, objective: Objective) -> np.ndarray:
    """The cost of each node as a leaf (int64)."""
    rows = node_rows(arrays, questions.ranks)
    leaf = np.empty(questions.ranks.shape[1], dtype=np.int64)
    for node in np.flatnonzero(arrays[0] < 0).tolist():
        leaf[rows[node]] = node
    found = objective.class_weights(leaf, len(rows))
    for node in range(len(rows) - 1, -1, -1):
        if arrays[0][node] >= 0:
            found[node] = found[arrays[2][node]] + found[arrays[3][node]]
    return objective.node_costs(found)


def _preorder(test: Callable[[int], tuple[int, int, int, int]]) -> Arrays:
    """The nodes that are reached from node 0, numbered in pre-order, left sides first."""
    nodes: list[list[int]] = []
    pending = [(0, -1, 0)]
    while pending:
        node, parent, side = pending.pop()
        column, position, left, right = test(node)
        if parent >= 0:
            nodes[parent][side] = len(nodes)
        if column >= 0:
            pending += [(right, len(nodes), 3), (left, len(nodes), 2)]
        nodes.append([column, position, -1, -1])
    return _arrays(nodes)


def _arrays(nodes: list[list[int]]) -> Arrays:
    table = np.array(nodes, dtype=np.int32).T
    column, position, left, right = (np.ascontiguousarray(part) for part in table)
    return column, position, left, right
