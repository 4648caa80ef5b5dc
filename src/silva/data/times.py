"""From times as they were read to numbers: by what they hold in training, by a scale afterwards.

Whole units are counted in integers. A value between two units (finer than all of training) becomes
the float64 below it, so that it lands on the right side of every threshold.
"""

import math

import numpy as np

from silva.data import refusals, time_refusals
from silva.data.raw import Booleans, Categories, Plain, Raw, Times
from silva.data.timescale import UNITS, TimeScale, coarsest_unit, float_below

_MOST_UNITS = refusals.LARGEST_EXACT_INTEGER
_INT64 = np.iinfo(np.int64)


def new_scale(raw: Times, name: str) -> TimeScale:
    """The scale of a training column: the coarsest unit that is exact for all of its rows.

    The origin is 1970-01-01, or zero, as long as the numbers stay below 2**53; else the day (or
    the hour, and so on) in which the rows begin.

    Raises DataError where the rows span more than 2**53 units.
    """
    known = raw.known
    if not len(known):
        return TimeScale(raw.sort, "D", 0, raw.zone)
    first, last = int(known.min()) * raw.tick, int(known.max()) * raw.tick
    unit = coarsest_unit(_common_divisor(known) * raw.tick)
    if last - first > _MOST_UNITS * UNITS[unit]:
        raise time_refusals.too_wide(raw, name, first, last, unit)
    return TimeScale(raw.sort, unit, _origin(first, last, UNITS[unit]), raw.zone)


def numbers_of(raw: Times, scale: TimeScale) -> np.ndarray:
    """Float64 numbers of all rows on the scale; NaN is missing."""
    divisor = math.gcd(raw.tick, scale.length)
    up, down = raw.tick // divisor, scale.length // divisor
    numbers, is_done = _whole_numbers(raw.counts, up, down, scale.origin)
    if raw.missing is not None:
        is_done |= raw.missing
        numbers[raw.missing] = np.nan
    for row in np.flatnonzero(~is_done).tolist():
        exact = int(raw.counts[row]) * up - scale.origin * down
        numbers[row] = float_below(exact, down)
    return numbers


def known_times(raw: Raw, name: str, scale: TimeScale) -> np.ndarray:
    """A column that held times in training, as numbers on its scale; NaN is missing.

    Raises DataError where it holds something else now, unless all of it is missing.
    """
    if isinstance(raw, Times):
        if (raw.sort, raw.zone) != (scale.sort, scale.zone) and len(raw.known):
            raise time_refusals.other_times(raw, name, scale)
        return numbers_of(raw, scale)
    missing = _missing(raw)
    if not missing.all():
        raise time_refusals.others_for_times(raw, int(np.argmin(missing)), name, scale)
    return np.full(len(missing), np.nan)


def _missing(raw: Plain) -> np.ndarray:
    if isinstance(raw, Categories):
        return raw.codes < 0
    if isinstance(raw, Booleans):
        return np.zeros(len(raw.values), bool) if raw.missing is None else raw.missing
    return np.asarray(raw.values != raw.values)


def _common_divisor(counts: np.ndarray) -> int:
    if counts.dtype == object:
        return math.gcd(*counts.tolist())
    return int(np.gcd.reduce(counts))


def _origin(first: int, last: int, length: int) -> int:
    """In units; the earliest start of a day, hour, ... from which all rows are within 2**53."""
    if max(-first, last) <= _MOST_UNITS * length:
        return 0
    grains = [grain for grain in UNITS.values() if grain >= length]
    starts = [first // grain * grain for grain in grains]
    return next(start for start in starts if last - start <= _MOST_UNITS * length) // length


def _whole_numbers(
    counts: np.ndarray, up: int, down: int, origin: int
) -> tuple[np.ndarray, np.ndarray]:
    """`counts * up / down - origin` where it is whole and at most 2**53, and where that is so."""
    numbers, is_whole = np.zeros(len(counts)), np.zeros(len(counts), dtype=bool)
    low = max(-((_MOST_UNITS - origin) // up), int(_INT64.min))
    high = min((_MOST_UNITS + origin) // up, int(_INT64.max))
    if counts.dtype == object or low > high or max(up, down) > _MOST_UNITS:
        return numbers, is_whole
    parts, rest = (counts, 0) if down == 1 else np.divmod(counts, down)
    is_whole = (rest == 0) & (parts >= low) & (parts <= high)
    kept = parts[is_whole]
    numbers[is_whole] = (kept - low) * up + (low * up - origin)
    return numbers, is_whole
