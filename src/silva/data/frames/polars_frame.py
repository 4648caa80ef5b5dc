"""polars data frames and series; null and NaN are both missing."""

from typing import Any

import numpy as np
import polars as pl

from silva.data import refusals
from silva.data.columns import unique_names
from silva.data.frames.arrays import read_values
from silva.data.moments import times_of_counts
from silva.data.objects import read_objects
from silva.data.raw import (
    Categories,
    Frame,
    Raw,
    Times,
    nothing_known,
    with_missing,
)
from silva.data.schema import MISSING_CODE
from silva.data.timescale import UTC


def frame_of_polars(data: pl.DataFrame) -> Frame:
    names = unique_names(data.columns)
    return Frame(
        names, data.height, data.width, lambda i, name: read_polars(data.to_series(i), name)
    )


def read_polars(series: pl.Series, name: str) -> Raw:
    """One column or target, by its dtype; borrowed when it holds numbers without nulls."""
    dtype: Any = series.dtype
    if dtype.is_float():
        return read_values(series.to_numpy(), name)
    if dtype.is_integer():
        return _read_integers(series, name)
    if dtype.is_decimal():
        return _read_decimals(series, name)
    if dtype == pl.Boolean:
        values = series.fill_null(False).to_numpy()
        return with_missing(values, series.is_null().to_numpy(), name)
    if dtype == pl.Enum:
        return _coded(series, dtype.categories.to_list(), ordered=True)
    if dtype in (pl.String, pl.Categorical):
        return _coded(series, _sorted_levels(series), ordered=False)
    return _read_other(series, name)


def _read_integers(series: pl.Series, name: str) -> Raw:
    if series.dtype in (pl.Int128, getattr(pl, "UInt128", pl.Int128)):
        series = _as_int64(series, name)
    if not series.null_count():
        return read_values(series.to_numpy(), name)
    values = series.fill_null(0).to_numpy()
    return with_missing(values, series.is_null().to_numpy(), name)


def _as_int64(series: pl.Series, name: str) -> pl.Series:
    narrow = series.cast(pl.Int64, strict=False)
    if narrow.null_count() > series.null_count():
        row = int(np.argmax((narrow.is_null() & series.is_not_null()).to_numpy()))
        raise refusals.inexact_integer(name, row, series[row])
    return narrow


def _read_decimals(series: pl.Series, name: str) -> Raw:
    """Whole decimals as integers, others as the nearest float64, as if read from their text."""
    dtype: Any = series.dtype
    if not dtype.scale:
        return _read_integers(_as_int64(series, name), name)
    return read_values(series.cast(pl.String).cast(pl.Float64).to_numpy(), name)


def _sorted_levels(series: pl.Series) -> list[str]:
    levels: list[str] = series.unique().drop_nulls().cast(pl.String).to_list()
    return sorted(levels)


def _coded(series: pl.Series, levels: list[str], ordered: bool) -> Categories:
    """Codes by way of an Enum of the levels: what polars itself numbers a Categorical by depends
    on every other Categorical of the process.
    """
    if series.dtype != pl.Enum:
        series = series.cast(pl.Enum(levels))
    codes = series.to_physical().cast(pl.Int32).fill_null(MISSING_CODE).to_numpy()
    return Categories(codes, tuple(levels), ordered)


def _read_other(series: pl.Series, name: str) -> Raw:
    dtype = series.dtype
    if dtype == pl.Null:
        return nothing_known(len(series))
    if dtype.is_temporal():
        return _read_times(series)
    if dtype == pl.Object:
        return read_objects(series.to_list(), name)
    raise refusals.nested_values(name, str(dtype))


def _read_times(series: pl.Series) -> Times:
    dtype: Any = series.dtype
    counts = series.to_physical().fill_null(0).to_numpy()
    missing = series.is_null().to_numpy()
    if dtype == pl.Date:
        return times_of_counts(counts, "D", "datetime", missing)
    if dtype == pl.Time:
        return times_of_counts(counts, "ns", "time", missing)
    if dtype == pl.Duration:
        return times_of_counts(counts, dtype.time_unit, "duration", missing)
    zone = None if dtype.time_zone is None else UTC
    return times_of_counts(counts, dtype.time_unit, "datetime", missing, zone)
