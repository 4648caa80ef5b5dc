"""The best tree by trying them all: slow, obvious, independent of the search that it checks.

A table is ordered columns of ranks; a test (column, position) sends the rows of a rank below the
position to the left.  A set of rows is a Python integer with one bit for each row.  No bound is
used anywhere: every test and every way to share out the splits is tried.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

# A leaf is None, a split is (column, position, left, right).
Nested = tuple[int, int, Any, Any] | None
Arrays = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
NO_LIMIT = 10**6


class Solver:
    """Values of all sets of rows of one table for one objective, remembered."""

    def __init__(
        self,
        ranks: Any,
        classes: Any,
        n_classes: int,
        weights: Any,
        costs: Any,
        *,
        unit: int = 1,
        penalty: int = 0,
        min_rows: int = 1,
    ) -> None:
        ranks, costs = np.asarray(ranks), np.asarray(costs)
        self.unit, self.penalty, self.min_rows = int(unit), int(penalty), int(min_rows)
        self.all_rows = (1 << len(classes)) - 1
        self.tests = [
            (column, position, _bits(values < position))
            for column, values in enumerate(ranks)
            for position in range(1, int(values.max()) + 1)
        ]
        self.row_costs = [
            [int(weight) * int(costs[k, c]) for c in range(n_classes)]
            for k, weight in zip(classes, weights, strict=True)
        ]
        self.leaf = cache(self._leaf)
        self.best = cache(self._best)

    def _leaf(self, rows: int) -> int:
        """Value of a leaf that holds these rows and says the cheapest class."""
        inside = [cost for i, cost in enumerate(self.row_costs) if rows >> i & 1]
        return self.unit * min(sum(column) for column in zip(*inside, strict=True))

    def candidates(self, rows: int, depth: int, splits: int) -> Iterator[tuple[int, Nested]]:
        """Every split of the rows with the best trees below it: (value, tree)."""
        if depth < 1 or splits < 1:
            return
        for column, position, goes_left in self.tests:
            left, right = rows & goes_left, rows & ~goes_left
            if min(left.bit_count(), right.bit_count()) < self.min_rows:
                continue
            for for_left, for_right in _shares(splits - 1, left, right):
                value_left, tree_left = self.solve(left, depth - 1, for_left)
                value_right, tree_right = self.solve(right, depth - 1, for_right)
                value = value_left + value_right + self.penalty
                yield value, (column, position, tree_left, tree_right)

    def _best(self, rows: int, depth: int, splits: int) -> tuple[int, Nested]:
        best: tuple[int, Nested] = (self.leaf(rows), None)
        for candidate in self.candidates(rows, depth, splits):
            best = min(best, candidate, key=lambda one: one[0])
        return best

    def solve(self, rows: int, depth: int, splits: int) -> tuple[int, Nested]:
        """The best value and a tree; m rows never have more than m - 1 splits or levels."""
        most = rows.bit_count() - 1
        return self.best(rows, min(depth, most), min(splits, most))


def _bits(flags: np.ndarray) -> int:
    return sum(1 << i for i, flag in enumerate(flags) if flag)


def _shares(splits: int, left: int, right: int) -> list[tuple[int, int]]:
    """Every way to give `splits` splits to two sets of rows; one way when there is no shortage."""
    most_left, most_right = left.bit_count() - 1, right.bit_count() - 1
    if splits >= most_left + most_right:
        return [(most_left, most_right)]
    return [(given, splits - given) for given in range(splits + 1)]


def _limit(limit: int | None) -> int:
    return NO_LIMIT if limit is None else int(limit)


def to_arrays(tree: Nested) -> Arrays:
    """Nested tree as the four arrays (column, position, left, right) in pre-order."""
    nodes: list[list[int]] = []

    def add(node: Nested) -> int:
        here = len(nodes)
        nodes.append([-1, -1, -1, -1])
        if node is not None:
            column, position, left, right = node
            nodes[here] = [column, position, add(left), add(right)]
        return here

    add(tree)
    table = np.array(nodes, dtype=np.int32).T
    return tuple(np.ascontiguousarray(row) for row in table)  # type: ignore[return-value]


def best_tree(
    ranks: Any,
    classes: Any,
    n_classes: int,
    weights: Any,
    costs: Any,
    *,
    max_depth: int | None = None,
    max_splits: int | None = None,
    unit: int = 1,
    penalty: int = 0,
    min_rows: int = 1,
) -> tuple[int, Arrays]:
    """Smallest value of any tree within the limits, and such a tree."""
    solver = Solver(
        ranks, classes, n_classes, weights, costs, unit=unit, penalty=penalty, min_rows=min_rows
    )
    value, tree = solver.solve(solver.all_rows, _limit(max_depth), _limit(max_splits))
    return value, to_arrays(tree)


def leaf_rows(tree: Arrays, ranks: Any) -> list[tuple[int, list[int]]]:
    """(depth, rows) of every leaf: each row walks down from the root by itself."""
    column, position, left, right = (np.asarray(part).tolist() for part in tree)
    ranks = np.asarray(ranks)
    found: dict[int, tuple[int, list[int]]] = {}
    pending = [(0, 0)]
    while pending:
        node, depth = pending.pop()
        if column[node] < 0:
            found[node] = (depth, [])
        else:
            pending += [(left[node], depth + 1), (right[node], depth + 1)]
    for row in range(ranks.shape[1]):
        node = 0
        while column[node] >= 0:
            node = left[node] if ranks[column[node], row] < position[node] else right[node]
        found[node][1].append(row)
    return list(found.values())


def value_of(
    tree: Arrays,
    ranks: Any,
    classes: Any,
    n_classes: int,
    weights: Any,
    costs: Any,
    *,
    unit: int = 1,
    penalty: int = 0,
) -> int:
    """Value of a tree, counted row by row: unit * costs of the rows + penalty * splits."""
    leaves = leaf_rows(tree, ranks)
    total = 0
    for _, rows in leaves:
        total += min(
            sum(int(weights[row]) * int(costs[classes[row]][said]) for row in rows)
            for said in range(n_classes)
        )
    return int(unit) * total + int(penalty) * (len(leaves) - 1)


def obeys(
    tree: Arrays,
    ranks: Any,
    *,
    max_depth: int | None = None,
    max_splits: int | None = None,
    min_rows: int = 1,
) -> bool:
    """Whether a tree keeps the limits; the lone root may hold any number of rows."""
    leaves = leaf_rows(tree, ranks)
    deepest = max(depth for depth, _ in leaves)
    fewest = min(len(rows) for _, rows in leaves)
    return (
        deepest <= _limit(max_depth)
        and len(leaves) - 1 <= _limit(max_splits)
        and (len(leaves) == 1 or fewest >= min_rows)
    )


class BruteForceSearch:
    """The same interface as `silva._core.OptimalSearch`, by trying everything.

    A unit of work is one split of the root with the best trees below it.
    """

    BOUNDS: tuple[str, ...] = ()

    def __init__(
        self,
        ranks: Any,
        levels: Any,
        classes: Any,
        n_classes: int,
        weights: Any,
        costs: Any,
        engine: str = "auto",
        without: list[str] | tuple[str, ...] = (),
        memory: int = 1 << 30,
        n_threads: int = 1,
    ) -> None:
        if engine not in ("auto", "bits", "sorted"):
            raise ValueError(f"engine must be 'auto', 'bits' or 'sorted', got {engine!r}")
        unknown = set(without) - set(self.BOUNDS)
        if unknown:
            raise ValueError(f"without names unknown bounds: {sorted(unknown)}")
        self._ranks = np.asarray(ranks)
        self._table = (self._ranks, np.asarray(classes), int(n_classes), weights, costs)
        self.memory, self.work = 0, 0

    def start(
        self,
        max_depth: int | None,
        max_splits: int | None,
        unit: int,
        penalty: int,
        min_rows: int,
        upper: int | None,
    ) -> None:
        solver = Solver(*self._table, unit=unit, penalty=penalty, min_rows=min_rows)
        self._limits = {"max_depth": max_depth, "max_splits": max_splits, "min_rows": min_rows}
        self._prices = {"unit": unit, "penalty": penalty}
        leaf = solver.leaf(solver.all_rows)
        self._tree: Arrays | None = to_arrays(None)
        self.lower, self.upper = 0, leaf
        if upper is not None and leaf >= upper:
            self._tree, self.upper = None, int(upper)
        self._steps = solver.candidates(solver.all_rows, *self._root_limits())

    def _root_limits(self) -> tuple[int, int]:
        most = self._ranks.shape[1] - 1
        limits = self._limits
        return min(_limit(limits["max_depth"]), most), min(_limit(limits["max_splits"]), most)

    def offer(self, columns: Any, positions: Any, left: Any, right: Any) -> int:
        tree = tuple(np.asarray(part, dtype=np.int32) for part in (columns, positions, left, right))
        if not obeys(tree, self._ranks, **self._limits):  # type: ignore[arg-type]
            return -1
        value = value_of(tree, *self._table, **self._prices)  # type: ignore[arg-type]
        self._take(value, tree)  # type: ignore[arg-type]
        return value

    def _take(self, value: int, tree: Arrays) -> None:
        if value < self.upper:
            self.upper, self._tree = value, tree

    def advance(self, seconds: float, work: int, on_poll: Any = None) -> bool:
        end, last = time.monotonic() + seconds, self.work + work
        while not self.proved and self.work < last:
            self._step()
            if time.monotonic() >= end:
                break
        return self.proved

    def _step(self) -> None:
        step = next(self._steps, None)
        if step is None:
            self.lower = self.upper
        else:
            self.work += 1
            self._take(step[0], to_arrays(step[1]))

    @property
    def proved(self) -> bool:
        return self.lower == self.upper

    def tree(self) -> Arrays | None:
        return self._tree
