"""NumPy arrays: two-dimensional, structured or masked."""

import numpy as np

from silva.data import refusals
from silva.data.columns import unique_names
from silva.data.moments import times_of_array
from silva.data.objects import decode, read_objects
from silva.data.raw import (
    Booleans,
    Categories,
    Frame,
    Numbers,
    Raw,
    Times,
    times_with_missing,
    with_missing,
)


def frame_of_array(array: np.ndarray) -> Frame:
    if not isinstance(array, np.ma.MaskedArray):
        array = np.asarray(array)
    if array.dtype.names is not None:
        return _frame_of_records(array)
    check_two_dimensions(array.ndim, "an array")
    n_rows, n_columns = array.shape
    return Frame(None, n_rows, n_columns, lambda i, name: read_values(array[:, i], name))


def check_two_dimensions(n: int, seen: str) -> None:
    if n == 1:
        raise refusals.one_dimension(seen)
    if n != 2:
        raise refusals.wrong_dimensions(seen, n)


def _frame_of_records(array: np.ndarray) -> Frame:
    if array.ndim != 1:
        raise refusals.wrong_dimensions("a structured array", array.ndim)
    labels = array.dtype.names or ()
    names = unique_names(labels)
    return Frame(names, len(array), len(names), lambda i, name: read_values(array[labels[i]], name))


def read_values(values: np.ndarray, name: str) -> Raw:
    """One column (or target) of any NumPy dtype; borrowed when it already holds real numbers."""
    if values.ndim != 1:
        raise refusals.nested_values(name, f"arrays of shape {values.shape[1:]}")
    if isinstance(values, np.ma.MaskedArray):
        return _read_masked(values, name)
    kind = values.dtype.kind
    if kind in "iuf":
        return Numbers(_readable(_exact_float64(values, name)))
    if kind == "b":
        return Booleans(_readable(values))
    if kind in "mM":
        return times_of_array(values, name)
    if kind in "US":
        return _read_text(values, name)
    if kind in "OT":
        return read_objects(values.astype(object).tolist(), name)
    raise _refusal(values.dtype, name)


def _refusal(dtype: np.dtype, name: str) -> Exception:
    if dtype.kind == "c":
        return refusals.complex_numbers(name)
    return refusals.nested_values(name, str(dtype))


def _read_masked(values: np.ma.MaskedArray, name: str) -> Raw:
    missing = np.ma.getmaskarray(values)
    if values.dtype.kind in "OUST":
        items = values.tolist()
        return read_objects(items, name)
    raw = read_values(values.data, name)
    if isinstance(raw, Times):
        return times_with_missing(raw, missing)
    assert not isinstance(raw, Categories)
    return with_missing(raw.values, missing, name)


def _exact_float64(values: np.ndarray, name: str) -> np.ndarray:
    """Long doubles as float64 when that loses nothing, halves as float32; others unchanged."""
    if values.dtype.kind == "f" and values.dtype.itemsize == 2:
        return values.astype(np.float32)
    if values.dtype.kind != "f" or values.dtype.itemsize <= 8:
        return values
    with np.errstate(over="ignore"):
        floats = values.astype(np.float64)
    differs = (floats != values) & ~np.isnan(values)
    if differs.any():
        row = int(np.argmax(differs))
        raise refusals.inexact_number(name, row, values[row])
    return floats


def _readable(values: np.ndarray) -> np.ndarray:
    """The same memory when it is native, aligned and strided by whole items; else a copy."""
    if not values.dtype.isnative:
        return values.astype(values.dtype.newbyteorder("="))
    if not values.flags.aligned or values.strides[0] % values.dtype.itemsize:
        return values.copy()
    return np.asarray(values)


def _read_text(values: np.ndarray, name: str) -> Raw:
    found, codes = np.unique(values, return_inverse=True)
    levels = found.tolist()
    if values.dtype.kind == "S":
        levels = [decode(level, name) for level in levels]
    return Categories(codes, tuple(levels))
