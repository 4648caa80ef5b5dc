"""New rows that look like given ones: values of neighbouring rows, mixed column by column.

A fresh row is made from two: a row drawn at random (by weight, with replacement), and a row drawn
from its region. Regions are those of the forest: the smallest node of a random tree around the
first row that holds at least `region` of the given rows. Each column then takes its value from
one of the two, by a fair coin; a column of numbers takes a uniform point between both instead
("smearing"), unless its values are whole numbers. So categories and whole numbers stay what occurs,
a missing value comes as often as it does nearby, and columns that hang together far away from each
other still do, which mixing rows of the whole table would lose (as in Breiman and Shang, "Born
again trees", 1996, where any row can give any value).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from silva.data.table import Table
from silva.ensemble.forest import Forest
from silva.tree import route, stats
from silva.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class Source:
    """A forest and the rows that fresh ones shall look like."""

    forest: Forest
    table: Table
    weights: np.ndarray | None
    region: int
    threads: int = 1

    def fresh(self, n_rows: int, key: Sequence[int]) -> Table:
        """So many new rows; the same for the same key (two numbers)."""
        generator = np.random.Generator(np.random.Philox(key=list(key)))
        first = self._drawn(n_rows, generator)
        tree = generator.integers(len(self.forest), size=n_rows)
        second = np.empty(n_rows, dtype=np.int64)
        for number in np.unique(tree).tolist():
            these = np.flatnonzero(tree == number)
            second[these] = self._partners(self.forest.trees[number], first[these], generator)
        columns = tuple(mixed(column, first, second, generator) for column in self.table.columns)
        return Table(self.table.schema, columns, n_rows)

    def _drawn(self, n_rows: int, generator: np.random.Generator) -> np.ndarray:
        if self.weights is None:
            return np.asarray(generator.integers(self.table.n_rows, size=n_rows))
        share = np.cumsum(self.weights / self.weights.max())
        drawn = np.searchsorted(share, generator.random(n_rows) * share[-1], side="right")
        return np.asarray(np.minimum(drawn, np.flatnonzero(self.weights)[-1]))

    def _partners(self, tree: Tree, rows: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        """A row of the region of each row, itself included."""
        ends = route.leaves(tree, self.table, self.threads)
        by_node = np.argsort(ends, kind="stable")
        begin, stop = regions(tree, ends[by_node], ends[rows], self.region)
        return np.asarray(by_node[begin + generator.integers(stop - begin)])


def regions(
    tree: Tree, ends: np.ndarray, nodes: np.ndarray, least: int
) -> tuple[np.ndarray, np.ndarray]:
    """Where the rows of each node's region begin and stop among `ends`, which ascend.

    The region of a node is the smallest node around it with at least `least` rows, or the root.
    """
    parent = stats.parent(tree)
    begin = np.searchsorted(ends, np.arange(tree.n_nodes))
    stop = np.searchsorted(ends, tree.subtree_end)
    while True:
        small = (stop[nodes] - begin[nodes] < least) & (nodes > 0)
        if not small.any():
            return begin[nodes], stop[nodes]
        nodes = np.where(small, parent[nodes], nodes)


def mixed(
    column: np.ndarray, first: np.ndarray, second: np.ndarray, generator: np.random.Generator
) -> np.ndarray:
    """Values of the first or the second rows, or between both for numbers that are not whole."""
    one, other = column[first], column[second]
    place = generator.random(len(one))
    chosen = np.asarray(np.where(place < 0.5, one, other))
    if column.dtype.kind != "f" or is_whole_valued(column):
        return chosen
    between = np.isfinite(one) & np.isfinite(other)
    with np.errstate(invalid="ignore"):
        smeared = ((1.0 - place) * one + place * other).astype(column.dtype)
    inside = np.clip(smeared, np.fmin(one, other), np.fmax(one, other))
    return np.asarray(np.where(between, inside, chosen))


def is_whole_valued(column: np.ndarray) -> bool:
    """Whether all finite values are whole numbers."""
    finite = column[np.isfinite(column)]
    return bool((finite == np.rint(finite)).all())
