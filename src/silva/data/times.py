"""From times as they were read to numbers: by what they hold in training, by a scale afterwards.

Whole units are counted in integers. A value between two units (finer than all of training) becomes
the float64 below it, so that it lands on the right side of every threshold.
"""

import math
from collections.abc import Sequence

import numpy as np

from silva.data import refusals
from silva.data.raw import Booleans, Categories, Numbers, Plain, Raw, Times, value_at
from silva.data.time_words import as_text
from silva.data.timescale import UNIT_WORDS, UNITS, TimeScale, coarsest_unit, float_below
from silva.errors import DataError

_MOST_UNITS = refusals.LARGEST_EXACT_INTEGER
_INT64 = np.iinfo(np.int64)
_CONVERSIONS = {
    "datetime": "pandas.to_datetime or datetime.fromisoformat",
    "duration": "pandas.to_timedelta or datetime.timedelta",
    "time": "datetime.time.fromisoformat",
}


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
        raise _too_wide(raw, name, first, last, unit)
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
            raise _other_times(raw, name, scale)
        return numbers_of(raw, scale)
    missing = raw.codes < 0 if isinstance(raw, Categories) else _missing(raw)
    if not missing.all():
        seen = repr(value_at(raw, int(np.argmin(missing))))
        raise DataError(
            f"column {name!r} held {_words(scale)} in training but holds {_sort_of(raw)} now (such"
            f" as {seen}). Give {_words(scale)} as in training, for example with"
            f" {_CONVERSIONS[scale.sort]}"
        )
    return np.full(len(missing), np.nan)


def times_for_others(raw: Times, name: str, levels: Sequence[object] | None) -> DataError:
    """Of dates in a column that held numbers or categories in training."""
    first = 0 if raw.missing is None else int(np.argmin(raw.missing))
    held, fix = "numbers", "numbers as in training, counted from the same start in the same unit"
    if levels is not None:
        held = "text" if any(isinstance(level, str) for level in levels) else "categories"
        fix = "the same values as in training, for example text with astype(str)"
    return DataError(
        f"column {name!r} held {held} in training but holds {_words(raw)} now (such as"
        f" {value_at(raw, first)}). Convert it first: give {fix}, or train on the dates themselves"
    )


def _other_times(raw: Times, name: str, scale: TimeScale) -> DataError:
    fix = f"Give {_words(scale)} as in training"
    if raw.sort == scale.sort:
        fix += ": remove the time zone" if scale.zone is None else ": say their time zone"
        fix += ", for example with data[name].dt.tz_" + (
            "convert('UTC').dt.tz_localize(None)" if scale.zone is None else "localize('UTC')"
        )
    first = 0 if raw.missing is None else int(np.argmin(raw.missing))
    return DataError(
        f"column {name!r} held {_words(scale)} in training but holds {_words(raw)} now (such as"
        f" {value_at(raw, first)}). {fix}"
    )


def _words(times: Times | TimeScale) -> str:
    if times.sort != "datetime":
        return "durations" if times.sort == "duration" else "times of day"
    return f"dates {'without' if times.zone is None else 'with'} a time zone"


def _sort_of(raw: Plain) -> str:
    if isinstance(raw, Categories):
        return "text" if any(isinstance(level, str) for level in raw.levels) else "categories"
    return "booleans" if isinstance(raw, Booleans) else "numbers"


def _missing(raw: Numbers | Booleans) -> np.ndarray:
    if isinstance(raw, Booleans):
        return np.zeros(len(raw.values), bool) if raw.missing is None else raw.missing
    return np.asarray(raw.values != raw.values)


def _common_divisor(counts: np.ndarray) -> int:
    if counts.dtype == object or counts.min() == _INT64.min:
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


def _too_wide(raw: Times, name: str, first: int, last: int, unit: str) -> DataError:
    """Of training rows whose span has too many units: what was seen, and units that would do."""
    count = (last - first) // UNITS[unit]
    coarser = [one for one in UNITS if (last - first) <= _MOST_UNITS * UNITS[one]]
    begin, end = (as_text(value, raw.sort, raw.zone) for value in (first, last))
    fix = f"Round it to {UNIT_WORDS[coarser[-1]]} or coarser" if coarser else "Drop the outliers"
    example = f", for example with values.astype('datetime64[{coarser[-1]}]')" if coarser else ""
    return DataError(
        f"column {name!r} goes from {begin} to {end} in steps of {UNIT_WORDS[unit]}: {count:,} of"
        f" them, more than the 2**53 that float64 tells apart. {fix}{example}, or split it into two"
        " columns, such as the day and the time of day"
    )
