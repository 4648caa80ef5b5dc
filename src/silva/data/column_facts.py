"""What a model keeps of its training columns: range, mean, spread and missing values."""

from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from silva import _core
from silva.data.schema import KIND_NUMBER
from silva.data.sparse import SparseColumns
from silva.data.table import Table


@dataclass(frozen=True, eq=False)
class ColumnFacts:
    """Facts about the columns of a table: arrays with one entry a column, in the schema's order.

    Every row counts once, whatever its weight. Time columns are in their own scale (see
    `silva.data.timescale`). Columns with levels, and columns without a finite value, have NaN but
    for `missing`.

    Parameters
    ----------
    low, high : ndarray of float64
        The smallest and the largest finite value.
    mean : ndarray of float64
        The mean of the finite values.
    deviation : ndarray of float64
        The root mean squared deviation of the finite values from their mean.
    missing : ndarray of int64
        How many values are missing, for every kind of column. Infinite values are not missing.
    """

    low: np.ndarray
    high: np.ndarray
    mean: np.ndarray
    deviation: np.ndarray
    missing: np.ndarray

    def __post_init__(self) -> None:
        for array in vars(self).values():
            array.setflags(write=False)

    def take(self, columns: np.ndarray) -> Self:
        """The facts about the columns of these numbers."""
        return type(self)(*(getattr(self, field.name)[columns] for field in fields(self)))


def column_facts(table: Table, threads: int = 1) -> ColumnFacts:
    """The facts about the columns of a table; the same bits for any number of threads."""
    return unpacked(packed_column_facts(table, threads))


def packed_column_facts(table: Table, threads: int = 1) -> bytes:
    """The same in the form that a model keeps: five arrays would slow the fit of a small table."""
    if isinstance(table.columns, SparseColumns):
        occupied = table.columns.occupied()
        if occupied is not None:
            return _facts_of_few(table.columns, occupied, threads)
    return _core.column_facts(table.columns, table.schema.numbers.kinds, table.n_rows, threads)


def _facts_of_few(columns: SparseColumns, occupied: np.ndarray, threads: int) -> bytes:
    """The facts of columns of which all but these hold nothing but zeros."""
    kinds = [KIND_NUMBER["continuous"]] * len(occupied)
    own = _core.column_facts(columns.without_empty(occupied), kinds, columns.n_rows, threads)
    facts = np.zeros((5, len(columns)))
    facts[:, occupied] = np.frombuffer(own).reshape(5, -1)
    return facts.tobytes()


def packed(facts: ColumnFacts) -> bytes:
    """The arrays as bytes, one after the other."""
    return b"".join(getattr(facts, field.name).tobytes() for field in fields(facts))


def unpacked(data: bytes) -> ColumnFacts:
    """The facts of `packed`."""
    low, high, mean, deviation, missing = np.frombuffer(data, np.float64).reshape(5, -1)
    return ColumnFacts(low, high, mean, deviation, missing.view(np.int64))
