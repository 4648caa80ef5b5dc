"""Lists of rows, each a list, a tuple or an array."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from silva.data import refusals
from silva.data.frames.arrays import frame_of_array
from silva.data.objects import read_objects
from silva.data.raw import Frame
from silva.errors import DataError


def frame_of_rows(rows: Sequence[Any]) -> Frame:
    if not rows or not all(map(_is_row, rows)):
        raise _refusal(rows)
    if len(set(map(len, rows))) > 1:
        raise _ragged(rows)
    if all(isinstance(row, np.ndarray) for row in rows) and not _mix_times(rows):
        return frame_of_array(np.stack(rows))
    columns = list(zip(*rows, strict=True))
    return Frame(None, len(rows), len(columns), lambda i, name: read_objects(columns[i], name))


def _is_row(row: object) -> bool:
    return isinstance(row, list | tuple) or (isinstance(row, np.ndarray) and row.ndim > 0)


def _mix_times(rows: Sequence[np.ndarray]) -> bool:
    """Whether NumPy would convert times to the unit of other rows, which overflows silently."""
    dtypes = {row.dtype for row in rows}
    return len(dtypes) > 1 and any(dtype.kind in "mM" for dtype in dtypes)


def _refusal(rows: Sequence[Any]) -> DataError:
    if any(isinstance(row, dict) for row in rows):
        return refusals.not_a_table(rows[0])
    return refusals.one_dimension("a list" if rows else "an empty list")


def _ragged(rows: Sequence[Any]) -> DataError:
    expected = len(rows[0])
    row = next(i for i, cells in enumerate(rows) if len(cells) != expected)
    return DataError(
        f"row {row} has {len(rows[row])} values, the rows before it have {expected}; "
        "every row must have the same number of values"
    )
