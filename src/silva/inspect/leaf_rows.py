"""Which training rows share a leaf with a row: the weights that make a forest's answer.

A forest's number for a row is a weighted mean of training targets. In one tree each training row
of the row's leaf has its own weight there (draws times sample weight) over that of the leaf; the
forest takes the mean over the trees (Meinshausen, "Quantile regression forests", Journal of Machine
Learning Research 7, 2006; he lets rows count once, here they count as often as they were drawn,
so that the weighted mean is exactly the forest's answer).

Kept are, tree after tree, the rows it saw in the order of their nodes: a position (4 bytes) and a
count (1 byte where no row was drawn more than 255 times) a row and tree, and where each node
begins. Weights are made when they are asked for, for a block of rows at a time.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from silva.data.table import Table
from silva.ensemble import combine
from silva.ensemble.forest import Forest
from silva.inspect.bags import Bags
from silva.tree import route

BLOCK_ENTRIES = 4_000_000
"""Entries (row, tree, training row) that one block may have before equal rows are added up."""


@dataclass(frozen=True, eq=False)
class LeafRows:
    """The training rows of every node of a forest.

    Node v of tree t holds the entries from `start[first[t] + v]` to `start[first[t] + end]`, `end`
    being the end of its subtree: a leaf its own rows, an inner node all below it. `row` are places
    among the training rows, `count` how often the tree saw them.
    """

    forest: Forest
    weights: np.ndarray | None
    n_rows: int
    row: np.ndarray
    count: np.ndarray
    start: np.ndarray
    first: np.ndarray
    end: np.ndarray
    threads: int = 1

    @property
    def nbytes(self) -> int:
        """The memory that it takes beside the forest."""
        parts = (self.row, self.count, self.start, self.first, self.end)
        return sum(part.nbytes for part in parts)

    def blocks(self, table: Table) -> Iterator[tuple[slice, csr_array]]:
        """Weights of training rows for some rows of a table at a time: (rows, training rows).

        Each line adds up to 1, its columns ascend.
        """
        per_row = max(1, int(self._entries_a_row()))
        step = max(1, BLOCK_ENTRIES // per_row)
        for begin in range(0, table.n_rows, step):
            part = slice(begin, min(begin + step, table.n_rows))
            yield part, self._block(table.take(np.arange(part.start, part.stop)))

    def _entries_a_row(self) -> float:
        """The mean over training rows of the entries that their leaves have, over all trees."""
        sizes = np.diff(self.start).astype(np.float64)
        return float(np.square(sizes).sum() / max(1.0, sizes.sum()) * len(self.forest))

    def _block(self, table: Table) -> csr_array:
        ends = combine.leaves(self.forest, table, self.threads)
        node = ends + self.first[:-1]
        begin, stop = self.start[node], self.start[self.first[:-1] + self.end[node]]
        length = (stop - begin).ravel()
        entry = _ranges(begin.ravel(), length)
        rows = self.row[entry]
        share = self.count[entry].astype(np.float64)
        if self.weights is not None:
            share *= self.weights[rows]
        share /= np.repeat(_sums(share, length), length)
        line = np.repeat(np.arange(table.n_rows), length.reshape(ends.shape).sum(axis=1))
        found = csr_array((share, (line, rows)), shape=(table.n_rows, self.n_rows))
        found.sum_duplicates()
        found.data /= np.repeat(np.asarray(found.sum(axis=1)), np.diff(found.indptr))
        return found


class _OfTree(NamedTuple):
    row: np.ndarray
    drawn: np.ndarray
    start: np.ndarray


def leaf_rows(bags: Bags, order: np.ndarray) -> LeafRows:
    """The training rows of every node; `order[i]` is the place by which row i is known."""
    parts = [_of_tree(bags, number, order) for number in range(len(bags.forest))]
    sizes = [len(part.start) for part in parts]
    entries = np.cumsum([0, *(len(part.row) for part in parts)])
    pairs = zip(parts, entries[:-1], strict=True)
    start = np.concatenate([part.start + offset for part, offset in pairs])
    weights = None
    if bags.weights is not None:
        weights = np.empty_like(bags.weights)
        weights[order] = bags.weights / bags.weights.max()
    return LeafRows(
        forest=bags.forest,
        weights=weights,
        n_rows=bags.table.n_rows,
        row=np.concatenate([part.row for part in parts]),
        count=np.concatenate([part.drawn for part in parts]),
        start=start.astype(np.int32 if entries[-1] < 2**31 else np.int64),
        first=np.cumsum([0, *sizes]),
        end=np.concatenate(
            [np.append(tree.subtree_end, 0).astype(np.int32) for tree in bags.forest.trees]
        ),
        threads=bags.threads,
    )


def _of_tree(bags: Bags, number: int, order: np.ndarray) -> _OfTree:
    tree, counts = bags.forest.trees[number], bags.counts(number)
    seen = np.flatnonzero(counts)
    ends = route.leaves(tree, bags.table.take(seen), bags.threads)
    by_node = np.argsort(ends, kind="stable")
    start = np.searchsorted(ends[by_node], np.arange(tree.n_nodes + 1))
    drawn = counts[seen[by_node]]
    return _OfTree(order[seen[by_node]].astype(np.int32), _narrow(drawn), start)


def _narrow(counts: np.ndarray) -> np.ndarray:
    return counts.astype(np.uint8 if counts.max(initial=0) < 256 else np.uint32)


def _ranges(begin: np.ndarray, length: np.ndarray) -> np.ndarray:
    """begin[0], begin[0] + 1, ..., begin[1], ...: `length` numbers from each."""
    before = np.cumsum(length) - length
    return np.asarray(np.arange(length.sum()) + np.repeat(begin - before, length))


def _sums(values: np.ndarray, length: np.ndarray) -> np.ndarray:
    """The sum of each run of `length` values, 0 for an empty one."""
    total = np.zeros(len(length))
    full = length > 0
    if full.any():
        begin = (np.cumsum(length) - length)[full]
        total[full] = np.add.reduceat(values, begin)
    return total
