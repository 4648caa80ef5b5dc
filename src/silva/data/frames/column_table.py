"""A table of named columns in NumPy arrays, with texts as codes: what the command line reads into.

It needs no data frame library, and no Python object for each text.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from silva.data.frames.arrays import read_values
from silva.data.raw import Categories, Frame, Numbers, Raw, Times

Usable = np.ndarray | Categories | Times | Numbers
Column = Usable | None
"""None is a column that cannot be used; it must not be part of a table."""


@dataclass(frozen=True, slots=True, eq=False)
class ColumnTable:
    """Columns of equal length. Taken by every estimator; `table[rows]` is a table of some rows."""

    names: tuple[str, ...]
    columns: tuple[Usable, ...]
    n_rows: int

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, rows: Any) -> "ColumnTable":
        """The rows of a slice, of a boolean mask or of an array of numbers."""
        n_rows = len(np.arange(self.n_rows)[rows])
        return ColumnTable(self.names, tuple(taken(one, rows) for one in self.columns), n_rows)


def taken(column: Any, rows: Any) -> Any:
    """Some rows of a column."""
    if isinstance(column, Categories):
        return replace(column, codes=column.codes[rows])
    if isinstance(column, Times):
        missing = None if column.missing is None else column.missing[rows]
        return replace(column, counts=column.counts[rows], missing=missing)
    if isinstance(column, Numbers):
        return replace(column, values=column.values[rows])
    return None if column is None else column[rows]


def frame_of_columns(data: ColumnTable) -> Frame:
    return Frame(
        data.names, data.n_rows, len(data.names), lambda i, name: _read(data.columns[i], name)
    )


def _read(column: Usable, name: str) -> Raw:
    return column if isinstance(column, Categories | Times | Numbers) else read_values(column, name)


def as_array(column: Usable) -> Any:
    """A column as one array, for a target: texts and booleans that miss some as objects."""
    if isinstance(column, Categories):
        return np.array([*column.levels, None], dtype=object)[column.codes]
    if isinstance(column, Times):
        return column.counts
    if isinstance(column, Numbers):
        return column.values
    if not isinstance(column, np.ma.MaskedArray):
        return column
    if not np.ma.is_masked(column):
        return column.data
    if column.dtype.kind in "iu" and _is_exact(column.compressed()):
        return np.where(column.mask, np.nan, column.data)
    objects = column.data.astype(object)
    objects[column.mask] = None
    return objects


def _is_exact(whole: np.ndarray) -> bool:
    return not whole.size or float(np.abs(whole.astype(np.float64)).max()) <= 2**53
