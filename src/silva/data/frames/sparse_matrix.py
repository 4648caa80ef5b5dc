"""SciPy sparse matrices and arrays, made dense by column."""

from functools import cache
from typing import Any

import numpy as np

from silva.data import refusals
from silva.data.frames.arrays import check_two_dimensions, read_values
from silva.data.frames.memory import check_dense_size
from silva.data.frames.sparse_check import check_sparse
from silva.data.raw import Frame, Raw


def frame_of_sparse(matrix: Any) -> Frame:
    """Columns of one dense copy, made when the first is read; refused when it would not fit.

    A matrix whose arrays contradict each other is refused: SciPy would write beyond its memory.
    """
    check_two_dimensions(matrix.ndim, "a sparse array")
    n_rows, n_columns = matrix.shape
    # SciPy converts no matrix of float16
    checked = check_sparse(matrix.astype(np.float32) if matrix.dtype == np.float16 else matrix)

    @cache
    def dense() -> np.ndarray:
        check_dense_size(n_rows, n_columns, checked.dtype.itemsize)
        columns: np.ndarray = checked.tocsc().toarray(order="F")
        return columns

    def read(i: int, name: str) -> Raw:
        if checked.dtype.kind == "c":
            raise refusals.complex_numbers(name)
        return read_values(dense()[:, i], name)

    return Frame(None, n_rows, n_columns, read)
