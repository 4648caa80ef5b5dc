"""Rows that a forest takes for alike: the share of trees in which two rows end at the same node.

After Breiman's proximities. Out of bag, only trees that saw neither row count, so that rows are
not told apart because a tree has learned them by heart.

Work and memory go with the pairs that meet in some leaf, never with rows x rows x trees: for a
block of rows their leaves are looked up among the leaves of the others, and equal pairs are added
up.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, vstack

from silva.data.table import Table
from silva.ensemble.forest import Forest
from silva.errors import PlanError
from silva.messages import counted
from silva.notebook import ShownAsText
from silva.tree import route

BLOCK_ENTRIES = 4_000_000
MAX_PAIRS = 50_000_000


class Ends(NamedTuple):
    """Where rows end: `ends` is a number over the nodes of all trees (rows, trees).

    `counts` says which of them count (all if None): for out-of-bag proximities.
    """

    ends: np.ndarray
    n_nodes: int
    counts: np.ndarray | None = None

    def indicator(self) -> csr_array:
        """1 where a row ends at a node: (rows, nodes of all trees)."""
        n_rows, n_trees = self.ends.shape
        if self.counts is None:
            start = np.arange(n_rows + 1) * n_trees
            nodes = self.ends.ravel()
        else:
            start = np.concatenate(([0], np.cumsum(self.counts.sum(axis=1))))
            nodes = self.ends[self.counts]
        ones = np.ones(len(nodes), dtype=np.int32)
        return csr_array((ones, nodes, start), shape=(n_rows, self.n_nodes))


@dataclass(frozen=True, eq=False)
class Neighbours(ShownAsText):
    """The nearest rows of each row, the nearest first, of equals the first in the table.

    `rows` are their numbers (int64) and `shares` their proximities; where fewer than asked for met
    the row in any tree, the rest has the number -1 and the share 0.
    """

    rows: np.ndarray
    shares: np.ndarray

    def __str__(self) -> str:
        lines = []
        for number, (rows, shares) in enumerate(zip(self.rows, self.shares, strict=True)):
            met = [f"{row} ({share:.2f})" for row, share in zip(rows, shares, strict=True) if share]
            lines.append(f"row {number}: {', '.join(met) or 'meets no other row'}")
        return "\n".join(lines)


def ends_of(forest: Forest, table: Table, threads: int = 1) -> Ends:
    """Where the rows end in each tree."""
    ends = np.empty((table.n_rows, len(forest)), dtype=np.int64)
    first = 0
    for number, tree in enumerate(forest.trees):
        ends[:, number] = first + route.leaves(tree, table, threads)
        first += tree.n_nodes
    return Ends(ends.astype(np.int32) if first < 2**31 else ends, first)


def proximities(rows: Ends, others: Ends, max_pairs: int = MAX_PAIRS) -> csr_array:
    """The proximity of each row to each of the others: float64 (rows, others), zeros left out."""
    found, total = [], 0
    for _, block in blocks(rows, others):
        total += block.nnz
        if total > max_pairs:
            raise PlanError(
                f"more than {counted(max_pairs, 'pair')} of rows meet in some leaf, which is too"
                f" much for one result ({counted(len(rows.ends), 'row')} and"
                f" {counted(len(others.ends), 'other')}). Give X in parts and the others as"
                " X_other, raise most_pairs, or ask silva.nearest_rows for the nearest only."
            )
        found.append(block)
    shape = (len(rows.ends), len(others.ends))
    return csr_array(vstack(found, format="csr")) if found else csr_array(shape, dtype=float)


def blocks(rows: Ends, others: Ends) -> Iterator[tuple[slice, csr_array]]:
    """The proximities of some rows at a time, the columns of each line ascending."""
    met = others.indicator().T.tocsr()
    sizes = np.diff(met.indptr)
    for part in _parts(rows, sizes, len(others.ends)):
        some = Ends(
            rows.ends[part], rows.n_nodes, None if rows.counts is None else rows.counts[part]
        )
        found = csr_array(some.indicator() @ met, dtype=np.float64)
        found.sort_indices()
        found.data /= _trees(some, others, found)
        yield part, found


def nearest(rows: Ends, others: Ends, k: int, not_itself: bool) -> Neighbours:
    """The `k` nearest of the others for each row; `not_itself` if both are the same rows."""
    numbers = np.full((len(rows.ends), k), -1, dtype=np.int64)
    shares = np.zeros((len(rows.ends), k))
    for part, block in blocks(rows, others):
        line = np.repeat(np.arange(block.shape[0]), np.diff(block.indptr))
        other, share = block.indices.astype(np.int64), block.data
        if not_itself:
            kept = other != line + part.start
            line, other, share = line[kept], other[kept], share[kept]
        order = np.lexsort((other, -share, line))
        line, other, share = line[order], other[order], share[order]
        rank = np.arange(len(line)) - np.searchsorted(line, line)
        chosen = rank < k
        numbers[part.start + line[chosen], rank[chosen]] = other[chosen]
        shares[part.start + line[chosen], rank[chosen]] = share[chosen]
    return Neighbours(numbers, shares)


def _parts(rows: Ends, sizes: np.ndarray, n_others: int) -> Iterator[slice]:
    """Runs of rows whose pairs, counted once a tree, fit into a block; at least one row each."""
    n_rows = len(rows.ends)
    work = np.maximum(sizes[rows.ends].sum(axis=1), n_others if rows.counts is not None else 0)
    total = np.cumsum(work)
    begin = 0
    while begin < n_rows:
        before = total[begin - 1] if begin else 0
        stop = int(np.searchsorted(total, before + BLOCK_ENTRIES, side="right"))
        stop = min(n_rows, max(stop, begin + 1))
        yield slice(begin, stop)
        begin = stop


def _trees(rows: Ends, others: Ends, found: csr_array) -> np.ndarray | float:
    """By how many trees each pair is judged."""
    if rows.counts is None or others.counts is None:
        return float(rows.ends.shape[1])
    both = rows.counts.astype(np.float32) @ others.counts.astype(np.float32).T
    line = np.repeat(np.arange(found.shape[0]), np.diff(found.indptr))
    return np.asarray(both[line, found.indices], dtype=np.float64)
