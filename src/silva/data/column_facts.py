"""What a model keeps of its training columns: range, mean, spread and missing values."""

from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from silva import _core
from silva.data.schema import KIND_NUMBER
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
    kinds = [KIND_NUMBER[column.kind] for column in table.schema.columns]
    numbers, missing = _core.column_facts(table.columns, kinds, table.n_rows, threads)
    return _adopted(numbers, missing)


def _adopted(numbers: np.ndarray, missing: np.ndarray) -> ColumnFacts:
    """As ColumnFacts(*numbers, missing), in a third of the time: a fit of a small table notices."""
    numbers.setflags(write=False)
    missing.setflags(write=False)
    low, high, mean, deviation = numbers
    made = object.__new__(ColumnFacts)
    vars(made).update(low=low, high=high, mean=mean, deviation=deviation, missing=missing)
    return made
