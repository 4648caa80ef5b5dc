"""SciPy sparse matrices and arrays: columns of what is not zero."""

from functools import cache
from typing import Any

import numpy as np

from silva.data import refusals
from silva.data.frames.arrays import check_two_dimensions, read_values
from silva.data.frames.sparse_check import check_sparse
from silva.data.raw import Booleans, Frame, Numbers, Raw, refuse_inexact_integers
from silva.data.sparse import SparseColumns, columns_of
from silva.errors import DataError

MOST_SPARSE_ROWS = 2**31 - 1


def sparse_columns(matrix: Any) -> SparseColumns | None:
    """The columns of a matrix of numbers that the core reads; None for other types.

    A matrix whose arrays contradict each other is refused: SciPy would write beyond its memory.
    """
    check_two_dimensions(matrix.ndim, "a sparse array")
    checked = _checked(matrix)
    dtype = checked.dtype
    if dtype.kind not in "iuf" or dtype.itemsize > 8 or not dtype.isnative:
        return None
    columns = _by_column(checked)
    _refuse_inexact(columns)
    return columns


def frame_of_sparse(matrix: Any) -> Frame:
    """Columns of the matrix by column, which is made when the first is read."""
    check_two_dimensions(matrix.ndim, "a sparse array")
    n_rows, n_columns = matrix.shape
    checked = _checked(matrix)
    columns = cache(lambda: _by_column(checked))

    def read(i: int, name: str) -> Raw:
        if checked.dtype.kind == "c":
            raise refusals.complex_numbers(name)
        column = columns()[i]
        raw = read_values(column.values, name)
        if isinstance(raw, Numbers | Booleans):
            return type(raw)(type(column)(column.rows, raw.values, n_rows))
        raise refusals.nested_values(name, str(checked.dtype))

    return Frame(None, n_rows, n_columns, read)


def _checked(matrix: Any) -> Any:
    # SciPy converts no matrix of float16
    return check_sparse(matrix.astype(np.float32) if matrix.dtype == np.float16 else matrix)


def _by_column(checked: Any) -> SparseColumns:
    if checked.shape[0] > MOST_SPARSE_ROWS:
        raise DataError(
            f"a sparse matrix of {checked.shape[0]:,} rows: at most {MOST_SPARSE_ROWS:,} are"
            " possible. Give the rows in several parts"
        )
    return columns_of(checked.tocsc())


def _refuse_inexact(columns: SparseColumns) -> None:
    values = columns.values
    if values.dtype.kind in "iu" and values.dtype.itemsize == 8 and len(values):
        limit = refusals.LARGEST_EXACT_INTEGER
        if values.max() > limit or values.min() < -limit:
            for i, column in enumerate(columns):
                refuse_inexact_integers(column, f"x{i}")
