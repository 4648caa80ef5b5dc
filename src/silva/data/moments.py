"""NumPy's times and Python's datetime objects, read without rounding."""

import datetime
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from silva.data import refusals
from silva.data.raw import Times
from silva.data.time_words import days_of
from silva.data.timescale import UNITS, UTC, Sort, coarsest_unit

MOMENTS = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)

_NAT = np.iinfo(np.int64).min
_MONTHS = {"M": 1, "Y": 12}
_LENGTHS = UNITS | {"W": 7 * UNITS["D"]}
_SAFE_MONTHS = 10**9
_MICROSECOND = UNITS["us"]
_EPOCH = datetime.datetime(1970, 1, 1)
_UTC_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_STEP = datetime.timedelta(microseconds=1)
_NUMPY_TYPES = {
    datetime.date: "M8[D]",
    datetime.datetime: "M8[us]",
    datetime.timedelta: "m8[us]",
}
"""What NumPy reads lists of Python's own types as, without rounding."""


class _Moment(NamedTuple):
    sort: Sort
    zone: str | None
    attoseconds: int


def times_of_array(values: np.ndarray, name: str, zone: str | None = None) -> Times:
    """One column of datetime64 or timedelta64 of any unit."""
    unit, multiple = np.datetime_data(values.dtype)
    sort: Sort = "datetime" if values.dtype.kind == "M" else "duration"
    native = np.ascontiguousarray(values, values.dtype.newbyteorder("="))
    counts = native.view(np.int64)
    missing = counts == _NAT
    if missing.any():
        counts = np.where(missing, 0, counts)
    absent = missing if missing.any() else None
    if missing.all():
        return Times(counts, UNITS["D"], sort, zone, absent)
    if unit in _MONTHS and sort == "datetime":
        days = _days_of_months(counts, _MONTHS[unit] * multiple)
        return Times(days, UNITS["D"], sort, zone, absent)
    if unit not in _LENGTHS:
        raise refusals.lengths_that_vary(name, str(values.dtype))
    return Times(counts, _LENGTHS[unit] * multiple, sort, zone, absent)


def times_of_counts(
    counts: np.ndarray, unit: str, sort: Sort, missing: np.ndarray, zone: str | None = None
) -> Times:
    """Counts of a unit as a container keeps them."""
    absent = missing if missing.any() else None
    return Times(counts.astype(np.int64, copy=False), UNITS[unit], sort, zone, absent)


def times_of_objects(items: Sequence[Any], missing: np.ndarray, name: str) -> Times:
    """Python's and NumPy's times, of one sort; those with a time zone become instants in UTC.

    Raises DataError where sorts are mixed, or times with and without a time zone.
    """
    at_once = _read_at_once(items, missing, name)
    if at_once is not None:
        return at_once
    known = np.flatnonzero(~missing).tolist()
    moments = [_moment(items[row], row, name) for row in known]
    kinds = [(one.sort, one.zone) for one in moments]
    if len(set(kinds)) > 1:
        other = next(place for place, kind in enumerate(kinds) if kind != kinds[0])
        rows, is_zone = (known[0], known[other]), kinds[other][0] == kinds[0][0]
        raise refusals.mixed_times(name, rows, [items[row] for row in rows], is_zone)
    sort, zone = kinds[0]
    tick = UNITS[coarsest_unit(_step(moments))]
    counts = [0] * len(items)
    for row, one in zip(known, moments, strict=True):
        counts[row] = one.attoseconds // tick
    return Times(_integers(counts), tick, sort, zone, missing if missing.any() else None)


def _read_at_once(items: Sequence[Any], missing: np.ndarray, name: str) -> Times | None:
    """Values of one of Python's own types without a time zone, read by NumPy; None for others."""
    known = [None if absent else one for one, absent in zip(items, missing.tolist(), strict=True)]
    types = set(map(type, known)) - {type(None)}
    dtype = _NUMPY_TYPES.get(types.pop()) if len(types) == 1 else None
    if dtype is None or any(getattr(one, "tzinfo", None) is not None for one in known):
        return None
    return times_of_array(np.array(known, dtype), name)


def _step(moments: Sequence[_Moment]) -> int:
    return math.gcd(*(one.attoseconds for one in moments))


def _integers(counts: list[int]) -> np.ndarray:
    try:
        return np.array(counts, np.int64)
    except OverflowError:
        return np.array(counts, object)


def _days_of_months(counts: np.ndarray, months: int) -> np.ndarray:
    """The first days of months, as days since 1970."""
    if np.abs(counts).max() * float(months) < _SAFE_MONTHS:
        return (counts * months).view("M8[M]").astype("M8[D]").view(np.int64)
    exact = [divmod(count * months, 12) for count in counts.tolist()]
    return _integers([days_of(1970 + years, 1 + month, 1) for years, month in exact])


def _moment(item: Any, row: int, name: str) -> _Moment:
    if hasattr(item, "to_datetime64"):  # pandas has nanoseconds, which datetime has not
        return _of_numpy(item.to_datetime64(), name, UTC if _is_aware(item) else None)
    if hasattr(item, "to_timedelta64"):
        return _of_numpy(item.to_timedelta64(), name)
    if isinstance(item, np.datetime64 | np.timedelta64):
        return _of_numpy(item, name)
    return _of_python(item, row, name)


def _of_numpy(item: np.datetime64 | np.timedelta64, name: str, zone: str | None = None) -> _Moment:
    unit, multiple = np.datetime_data(item.dtype)
    if unit in _LENGTHS:
        sort: Sort = "datetime" if isinstance(item, np.datetime64) else "duration"
        return _Moment(sort, zone, int(item.astype(np.int64)) * _LENGTHS[unit] * multiple)
    times = times_of_array(np.array([item]), name, zone)
    return _Moment(times.sort, times.zone, int(times.counts[0]) * times.tick)


def _of_python(item: Any, row: int, name: str) -> _Moment:
    if isinstance(item, datetime.datetime):
        aware = _is_aware(item)
        since = item - _UTC_EPOCH if aware else item.replace(tzinfo=None) - _EPOCH
        return _Moment("datetime", UTC if aware else None, since // _STEP * _MICROSECOND)
    if isinstance(item, datetime.date):
        return _Moment("datetime", None, (item - _EPOCH.date()).days * UNITS["D"])
    if isinstance(item, datetime.timedelta):
        return _Moment("duration", None, item // _STEP * _MICROSECOND)
    if item.tzinfo is not None:
        raise refusals.zoned_time_of_day(name, row, item)
    start = datetime.datetime.combine(_EPOCH, item)
    return _Moment("time", None, (start - _EPOCH) // _STEP * _MICROSECOND)


def _is_aware(item: datetime.datetime) -> bool:
    return item.utcoffset() is not None
