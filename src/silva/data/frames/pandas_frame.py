"""pandas data frames and series, each dtype read by its own array."""

import numpy as np
import pandas as pd

from silva.data import refusals
from silva.data.columns import unique_names
from silva.data.frames.arrays import read_values
from silva.data.frames.memory import check_dense_size
from silva.data.moments import times_of_array
from silva.data.objects import read_objects
from silva.data.raw import (
    Booleans,
    Categories,
    Frame,
    Numbers,
    Raw,
    declared_categories,
    sorted_categories,
    with_missing,
)
from silva.data.sparse import SparseColumn
from silva.data.timescale import UTC
from silva.errors import DataError


def frame_of_pandas(data: pd.DataFrame) -> Frame:
    names = unique_names(data.columns)
    columns = [series for _, series in data.items()]
    _check_sparse_size(columns, len(data))
    return Frame(names, len(data), len(names), lambda i, name: read_series(columns[i], name))


def _check_sparse_size(columns: list[pd.Series], n_rows: int) -> None:
    sparse = [series.dtype for series in columns if _becomes_dense(series.dtype)]
    item_size = max((np.dtype(dtype.subtype).itemsize for dtype in sparse), default=0)
    check_dense_size(n_rows, len(sparse), item_size)


def read_series(series: pd.Series | pd.Index, name: str) -> Raw:
    """One column or target, by its dtype; borrowed when it already holds NumPy numbers."""
    if isinstance(series, pd.Index):
        series = series.to_series()
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        return read_values(series.to_numpy(), name)
    if isinstance(dtype, pd.CategoricalDtype):
        return declared_categories(series.array.codes, dtype.categories, bool(dtype.ordered))
    if isinstance(dtype, pd.StringDtype):
        return _read_text(series)
    if isinstance(dtype, pd.SparseDtype):
        return _read_sparse(series, name)
    if isinstance(dtype, pd.ArrowDtype):
        return _read_arrow(series, name)
    if isinstance(dtype, pd.DatetimeTZDtype):
        return times_of_array(series.to_numpy(dtype=f"M8[{dtype.unit}]"), name, UTC)
    if isinstance(dtype, pd.PeriodDtype):
        raise refusals.periods(name, str(dtype))
    if hasattr(dtype, "numpy_dtype"):
        return _read_nullable(series, name)
    return read_objects(series.to_numpy(dtype=object).tolist(), name)


def _becomes_dense(dtype: object) -> bool:
    """Whether this is a type of sparse columns whose usual value is not zero."""
    return isinstance(dtype, pd.SparseDtype) and not (
        dtype.subtype.kind in "biuf" and dtype.fill_value == 0
    )


def _read_sparse(series: pd.Series, name: str) -> Raw:
    array = series.array
    if _becomes_dense(series.dtype):
        return read_values(np.asarray(array), name)
    raw = read_values(array.sp_values, name)
    assert isinstance(raw, Numbers | Booleans)
    rows = np.array(array.sp_index.to_int_index().indices, np.int32)
    _check_stored_rows(rows, len(raw.values), len(series), name)
    return type(raw)(SparseColumn(rows, raw.values, len(series)))


def _check_stored_rows(rows: np.ndarray, n_values: int, n_rows: int, name: str) -> None:
    rise = not len(rows) or (rows[0] >= 0 and rows[-1] < n_rows and (np.diff(rows) > 0).all())
    if len(rows) != n_values or not rise:
        raise DataError(
            f"the sparse column {name!r} is corrupt: the rows of its {n_values} stored values must "
            f"rise from 0 to at most {n_rows - 1}. Build it again from its values, for example "
            "with pandas.arrays.SparseArray(values)"
        )


def _read_nullable(series: pd.Series, name: str) -> Raw:
    """Nullable numbers and booleans: their own values, and the mask of what is not known."""
    missing = series.isna().to_numpy()
    dtype = series.dtype.numpy_dtype
    if not missing.any():
        return read_values(series.to_numpy(dtype=dtype), name)
    values = series.array.fillna(dtype.type(0)).to_numpy(dtype=dtype)
    return with_missing(values, missing, name)


def _read_text(series: pd.Series) -> Categories:
    codes, values = series.array.factorize()
    return sorted_categories(codes, [str(value) for value in values])


def _read_arrow(series: pd.Series, name: str) -> Raw:
    from silva.data.frames.arrow_table import read_arrow

    return read_arrow(series.array.__arrow_array__(), name)
