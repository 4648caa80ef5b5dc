"""Whether the arrays of a SciPy sparse matrix fit each other.

SciPy trusts them: an index beyond the shape makes its compiled loops write beyond their memory. So
indices are copied before they are checked: those of the user may change in another thread.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from silva.errors import DataError

_AXES = ("row", "column")


def check_sparse(matrix: Any) -> Any:
    """The matrix, or coordinates that stand for it, with checked indices of its own.

    Values are borrowed where SciPy does not convert them.

    Raises DataError naming the array and the entry that is wrong.
    """
    try:
        return _CHECKS.get(matrix.format, _coordinates)(matrix)
    except DataError:
        raise
    except (ValueError, IndexError, TypeError, OverflowError) as error:
        raise _corrupt(str(error)) from error


def _compressed(matrix: Any) -> Any:
    """CSR and CSC."""
    major, minor = (0, 1) if matrix.format == "csr" else (1, 0)
    data, shape = matrix.data, matrix.shape
    _check_data(data, 1)
    starts = _checked_starts(matrix.indptr, shape[major])
    n_stored = int(starts[-1])
    index = _own_index(matrix.indices, len(data), n_stored)
    _check_indices("indices", index, shape[minor], _AXES[minor])
    return type(matrix)((data[:n_stored], index, starts), shape=shape)


def _blocks(matrix: Any) -> Any:
    """BSR: compressed rows of blocks."""
    data, (n_rows, n_columns) = matrix.data, matrix.shape
    _check_data(data, 3)
    _, height, width = data.shape
    if not (height and width) or n_rows % height or n_columns % width:
        raise _corrupt(f"blocks of shape {(height, width)} do not fill the shape {matrix.shape}")
    starts = _checked_starts(matrix.indptr, n_rows // height)
    n_stored = int(starts[-1])
    index = _own_index(matrix.indices, len(data), n_stored)
    _check_indices("indices", index, n_columns // width, "block column")
    return type(matrix)((data[:n_stored], index, starts), shape=matrix.shape).tocoo()


def _coordinates(matrix: Any) -> Any:
    """COO, and what SciPy turns into COO entry by entry."""
    found = matrix.tocoo()
    data, shape = found.data, found.shape
    _check_data(data, 1)
    places = []
    for axis, given, limit in zip(_AXES, (found.row, found.col), shape, strict=True):
        index = _own_whole(axis, given)
        if len(index) != len(data):
            raise _corrupt(f"{len(index)} {axis} indices for {len(data)} stored values")
        _check_indices(axis, index, limit, axis)
        places.append(index)
    return type(found)((data, tuple(places)), shape=shape)


def _diagonals(matrix: Any) -> Any:
    """DIA: one row of data for each diagonal."""
    _check_data(matrix.data, 2)
    _check_whole("offsets", matrix.offsets)
    if len(matrix.data) != len(matrix.offsets):
        raise _corrupt(f"{len(matrix.offsets)} offsets for {len(matrix.data)} diagonals")
    if len(np.unique(matrix.offsets)) != len(matrix.offsets):
        raise _corrupt("an offset occurs twice")
    return _coordinates(matrix)


def _lists(matrix: Any) -> Any:
    """LIL: a list of columns and a list of values for each row."""
    n_rows = matrix.shape[0]
    for name in ("rows", "data"):
        if np.shape(getattr(matrix, name)) != (n_rows,):
            raise _corrupt(f"{name} has shape {np.shape(getattr(matrix, name))}, not ({n_rows},)")
    for row, (columns, values) in enumerate(zip(matrix.rows, matrix.data, strict=True)):
        if len(columns) != len(values):
            raise _corrupt(f"row {row} has {len(columns)} indices for {len(values)} stored values")
        for column in (min(columns), max(columns)) if columns else ():
            if not 0 <= column < matrix.shape[1]:
                raise _beyond(f"a number in rows[{row}]", column, matrix.shape[1], "column")
    return _coordinates(matrix)


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "csr": _compressed,
    "csc": _compressed,
    "bsr": _blocks,
    "dia": _diagonals,
    "lil": _lists,
}


def _checked_starts(given: Any, n_parts: int) -> np.ndarray:
    """A copy of `indptr`, which rises from 0 to the number of stored values."""
    start = _own_whole("indptr", given)
    if len(start) != n_parts + 1:
        raise _corrupt(f"indptr has {len(start)} entries, not {n_parts + 1}")
    if start[0] != 0:
        raise _corrupt(f"indptr[0] is {start[0]}, not 0")
    falls = start[1:] < start[:-1]
    if falls.any():
        place = int(np.argmax(falls)) + 1
        raise _corrupt(f"indptr[{place}] is {start[place]}, below the entry before it")
    return start


def _own_index(given: Any, n_values: int, n_stored: int) -> np.ndarray:
    """A copy of as many indices as `indptr` counts; more are allowed, and not read."""
    _check_whole("indices", given)
    if len(given) != n_values:
        raise _corrupt(f"{len(given)} indices for {n_values} stored values")
    if n_stored > n_values:
        raise _corrupt(f"indptr counts {n_stored} stored values, there are {n_values}")
    return _own_whole("indices", given[:n_stored])


def _own_whole(name: str, given: Any) -> np.ndarray:
    """A copy of integers, signed ones, as SciPy's compiled loops take no others."""
    _check_whole(name, given)
    kind = given.dtype.newbyteorder("=") if given.dtype.kind == "i" else np.int64
    return np.array(given, kind)


def _check_data(data: Any, n_dimensions: int) -> None:
    seen = f"an array of shape {data.shape}" if isinstance(data, np.ndarray) else type(data)
    if not isinstance(data, np.ndarray) or data.ndim != n_dimensions:
        raise _corrupt(f"data must be an array of {n_dimensions} dimensions, is {seen}")
    if data.dtype.kind not in "biufc":
        raise _corrupt(f"data must hold numbers or booleans, is of type {data.dtype}")


def _check_whole(name: str, array: Any) -> None:
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "iu" or array.ndim != 1:
        seen = getattr(array, "dtype", type(array).__name__)
        raise _corrupt(f"{name} must be a one-dimensional array of integers, is {seen}")


def _check_indices(name: str, index: np.ndarray, limit: int, what: str) -> None:
    if len(index) and (index.min() < 0 or index.max() >= limit):
        place = int(np.argmax((index < 0) | (index >= limit)))
        raise _beyond(f"{name}[{place}]", index[place], limit, what)


def _beyond(where: str, seen: object, limit: int, what: str) -> DataError:
    return _corrupt(f"{where} is {seen}, and a {what} index must be from 0 to {limit - 1}")


def _corrupt(what: str) -> DataError:
    return DataError(
        f"the sparse matrix is corrupt: {what}. Build it again, for example with "
        "scipy.sparse.csr_matrix((values, (rows, columns)), shape=shape)"
    )
