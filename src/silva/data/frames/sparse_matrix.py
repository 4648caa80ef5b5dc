"""SciPy sparse matrices and arrays, made dense by column."""

from functools import cache
from typing import Any

import numpy as np

from silva.data import refusals
from silva.data.frames.arrays import check_two_dimensions, read_values
from silva.data.frames.memory import check_dense_size
from silva.data.raw import Frame, Raw


def frame_of_sparse(matrix: Any) -> Frame:
    """Columns of one dense copy, made when the first is read; refused when it would not fit."""
    check_two_dimensions(matrix.ndim, "a sparse array")
    n_rows, n_columns = matrix.shape

    @cache
    def dense() -> np.ndarray:
        check_dense_size(n_rows, n_columns, matrix.dtype.itemsize)
        columns: np.ndarray = matrix.tocsc().toarray(order="F")
        return columns

    def read(i: int, name: str) -> Raw:
        if matrix.dtype.kind == "c":
            raise refusals.complex_numbers(name)
        return read_values(dense()[:, i], name)

    return Frame(None, n_rows, n_columns, read)
