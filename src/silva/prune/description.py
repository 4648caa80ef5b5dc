"""How many bits, and how many rows named, it takes to describe a tree to someone with the rows.

Nodes are written in pre-order. A node starts with one bit, leaf or split. A leaf goes on with its
class. A split goes on with its kind, its column, where missing and unseen values go (and the class
that rows get which stop there); then a threshold names the two rows between whose values it is the
midpoint, sets and branches name one row for each category. Bits are whole multiples of 2^-20,
rounded up, so that sums are exact and never too short.
"""

import math
from collections.abc import Callable
from typing import assert_never

import numpy as np

from silva.errors import PlanError
from silva.tree.tables import (
    STOP,
    DistanceTable,
    MultiwayTable,
    ObliqueTable,
    SplitTable,
    SubsetTable,
    ThresholdTable,
)
from silva.tree.tree import Tree, split_tables

BIT = 2**20
KINDS_OF_SPLITS = 3

SingleTable = ThresholdTable | SubsetTable | MultiwayTable


def bits(choices: float) -> int:
    """The bits that name one of so many choices, in units of 2^-20."""
    return math.ceil(math.log2(choices) * BIT)


def size_bits(size: int) -> int:
    """A number of at least 0 in Elias' gamma code: the binary digits of size + 1, twice, less 1."""
    return (2 * (size + 1).bit_length() - 1) * BIT


def leaf_bits(n_classes: int) -> int:
    """One bit and the class."""
    return BIT + bits(n_classes)


def threshold_bits(n_columns: int) -> int:
    """What a threshold of a column of numbers takes beside the two rows that it names."""
    return _start_bits(n_columns) + bits(2 + 2) + BIT


def split_lengths(tree: Tree) -> tuple[list[int], list[int]]:
    """For each node the bits of its split and the rows that it names; 0 for leaves."""
    lengths, named = np.zeros((2, tree.n_nodes), dtype=np.int64)
    for kind, table in split_tables(tree).items():
        nodes = np.flatnonzero(tree.split_kind == kind)
        if len(nodes):
            index = tree.split_index[nodes]
            lengths[nodes], named[nodes] = (part[index] for part in _lengths(tree, table))
    return lengths.tolist(), named.tolist()


def _lengths(tree: Tree, table: SplitTable) -> tuple[np.ndarray, np.ndarray]:
    """Bits and named rows of all splits of one kind."""
    match table:
        case ThresholdTable():
            is_binary = _is_kind(tree, table, "binary")
            head = _head(tree, table, np.full(len(table.column), 2))
            return head + BIT, np.where(is_binary | np.isinf(table.threshold), 0, 2)
        case SubsetTable():
            inside, others = np.diff(table.start), np.diff(table.rest_start)
            head = _head(tree, table, np.full(len(table.column), 2))
            return head + _each(size_bits, inside) + _each(size_bits, others), inside + others
        case MultiwayTable():
            n_known = np.diff(table.start)
            return _head(tree, table, n_known) + _each(size_bits, n_known), n_known
        case ObliqueTable() | DistanceTable():
            name = "oblique" if isinstance(table, ObliqueTable) else "distance"
            raise PlanError(
                f"the compression form does not hold for {name} splits: their numbers are computed"
                " from the rows and cannot be named by a few of them. Use splits of one column,"
                " form='fixed' with tests fixed beforehand, or held-out rows."
            )
        case _:
            assert_never(table)


def _head(tree: Tree, table: SingleTable, n_known: np.ndarray) -> np.ndarray:
    """Split or leaf, kind, column, and where values go that are missing or unseen."""
    ways = np.where(_is_kind(tree, table, "continuous"), 1, 2)
    stops = (table.missing_child == STOP) | (table.unseen_child == STOP)
    n_classes = 1 if tree.classes is None else len(tree.classes)
    alike = _start_bits(len(tree.schema))
    head: np.ndarray = alike + ways * _each(bits, n_known + 2) + np.where(stops, bits(n_classes), 0)
    return head


def _start_bits(n_columns: int) -> int:
    """Split or leaf, kind, column."""
    return BIT + bits(KINDS_OF_SPLITS) + bits(n_columns)


def _is_kind(tree: Tree, table: SingleTable, kind: str) -> np.ndarray:
    of_column = np.array([column.kind == kind for column in tree.schema.columns])
    found: np.ndarray = of_column[table.column]
    return found


def _each(length: Callable[[int], int], numbers: np.ndarray) -> np.ndarray:
    """The length of each number, computed once for equal ones."""
    different, place = np.unique(numbers, return_inverse=True)
    return np.array([length(number) for number in different.tolist()], dtype=np.int64)[place]
