"""Columns of which only what is not zero is stored."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin


@dataclass(frozen=True, slots=True, eq=False)
class SparseColumn(NDArrayOperatorsMixin):
    """Numbers of which only some are stored: those of `rows`, ascending; all others are zero.

    `rows` is int32 and `values` a real array as long. Anything else that is asked of it, by NumPy's
    functions, operators or the methods of arrays, is asked of a dense copy.
    """

    rows: np.ndarray
    values: np.ndarray
    n_rows: int

    def __len__(self) -> int:
        return self.n_rows

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(np.asarray(self), name)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return getattr(ufunc, method)(*map(densified, inputs), **options)

    @property
    def dtype(self) -> Any:
        return self.values.dtype

    @property
    def shape(self) -> tuple[int]:
        return (self.n_rows,)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        dense = np.zeros(self.n_rows, self.dtype if dtype is None else dtype)
        dense[self.rows] = self.values
        return dense

    def __getitem__(self, rows: Any) -> Any:
        """One value, or the column of some rows (numbers, a slice or a mask), repeated if asked."""
        if isinstance(rows, int | np.integer):
            return np.asarray(self)[rows]
        return as_sparse(np.asarray(self)[rows])

    def astype(self, dtype: Any, copy: bool = True) -> "SparseColumn":
        return SparseColumn(self.rows, self.values.astype(dtype, copy=copy), self.n_rows)


@dataclass(frozen=True, slots=True, eq=False)
class SparseColumns(Sequence[Any]):
    """All columns of a matrix by column: those of column i are [starts[i], starts[i + 1]).

    `starts` is int64, `rows` int32 and ascending within a column, all three contiguous.
    """

    starts: np.ndarray
    rows: np.ndarray
    values: np.ndarray
    n_rows: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return tuple(self[i] for i in range(*number.indices(len(self))))
        i = range(len(self))[number]
        part = slice(int(self.starts[i]), int(self.starts[i + 1]))
        return SparseColumn(self.rows[part], self.values[part], self.n_rows)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def occupied(self) -> np.ndarray | None:
        """The columns of which anything is stored, or the first; None if most columns are."""
        found = np.flatnonzero(self.starts[1:] > self.starts[:-1])
        if 2 * len(found) > len(self):
            return None
        return found if len(found) else np.zeros(1, np.int64)

    def without_empty(self, occupied: np.ndarray) -> "SparseColumns":
        """The columns of `occupied`, which shares all that is stored."""
        starts = np.append(self.starts[occupied], self.starts[-1])
        return replace(self, starts=starts)

    def take(self, rows: np.ndarray | slice) -> "SparseColumns":
        """The columns of some rows: a slice, or numbers, which may repeat."""
        from scipy.sparse import csc_array

        shape = (self.n_rows, len(self))
        matrix = csc_array((self.values, self.rows, self.starts), shape=shape)
        return columns_of(matrix.tocsr()[rows].tocsc())


def columns_of(matrix: Any) -> SparseColumns:
    """The columns of a SciPy CSC matrix of at most 2**31 - 1 rows, without a copy if possible."""
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    starts = np.ascontiguousarray(matrix.indptr, np.int64)
    stored = int(starts[-1])
    return SparseColumns(
        starts,
        np.ascontiguousarray(matrix.indices[:stored], np.int32),
        np.ascontiguousarray(matrix.data[:stored]),
        matrix.shape[0],
    )


def as_sparse(values: np.ndarray) -> SparseColumn:
    rows = np.flatnonzero(values)
    return SparseColumn(rows.astype(np.int32), values[rows], len(values))


def stored(values: Any) -> np.ndarray:
    """What is stored of a column: all values of a dense one."""
    return values.values if isinstance(values, SparseColumn) else values


def densified(values: Any) -> np.ndarray:
    """The column as an array; a dense one as it is."""
    return np.asarray(values) if isinstance(values, SparseColumn) else values
