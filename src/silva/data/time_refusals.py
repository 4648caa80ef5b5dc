"""The words of refusals about columns of dates, durations and times of day."""

from collections.abc import Sequence

import numpy as np

from silva.data.raw import Booleans, Categories, Plain, Times, value_at
from silva.data.refusals import LARGEST_EXACT_INTEGER
from silva.data.time_words import as_text
from silva.data.timescale import UNIT_WORDS, UNITS, TimeScale
from silva.errors import DataError, DataTypeError

_CONVERSIONS = {
    "datetime": "pandas.to_datetime or datetime.fromisoformat",
    "duration": "pandas.to_timedelta or datetime.timedelta",
    "time": "datetime.time.fromisoformat",
}


def too_wide(raw: Times, name: str, first: int, last: int, unit: str) -> DataError:
    """Of training rows whose span has too many units: what was seen, and a unit that would do."""
    count = (last - first) // UNITS[unit]
    begin, end = (as_text(value, raw.sort, raw.zone) for value in (first, last))
    return DataError(
        f"column {name!r} goes from {begin} to {end} in steps of {UNIT_WORDS[unit]}: {count:,} of"
        f" them, more than the 2**53 that float64 tells apart. {_rounding(raw, last - first)}, or"
        " split it into two columns, such as the day and the time of day"
    )


def others_for_times(raw: Plain, row: int, name: str, scale: TimeScale) -> DataError:
    """Of numbers or text, such as that of `row`, in a column that held times in training."""
    return DataError(
        f"column {name!r} held {_words(scale)} in training but holds {_sort_of(raw)} now (such as"
        f" {value_at(raw, row)!r} in row {row}). Give {_words(scale)} as in training, for example"
        f" with {_CONVERSIONS[scale.sort]}"
    )


def times_for_others(raw: Times, name: str, levels: Sequence[object] | None) -> DataTypeError:
    """Of times in a column that held numbers or categories in training."""
    held, fix = "numbers", "numbers as in training, counted from the same start in the same unit"
    if levels is not None:
        held = "text" if any(isinstance(level, str) for level in levels) else "categories"
        fix = "the same values as in training, for example text with astype(str)"
    return DataTypeError(
        f"column {name!r} held {held} in training but holds {_words(raw)} now ({_first(raw)}). "
        f"Convert it first: give {fix}, or train on the dates themselves"
    )


def other_times(raw: Times, name: str, scale: TimeScale) -> DataError:
    """Of times of another sort than in training, or with a time zone where it held none."""
    fix = ""
    if raw.sort == scale.sort and scale.zone is None:
        fix = ", for example with data[name].dt.tz_convert('UTC').dt.tz_localize(None)"
    elif raw.sort == scale.sort:
        fix = ", for example with data[name].dt.tz_localize('UTC')"
    return DataError(
        f"column {name!r} held {_words(scale)} in training but holds {_words(raw)} now"
        f" ({_first(raw)}). Give {_words(scale)} as in training{fix}"
    )


def _rounding(raw: Times, span: int) -> str:
    fitting = [unit for unit, length in UNITS.items() if span <= LARGEST_EXACT_INTEGER * length]
    if not fitting:
        return "Leave out the rows that are far away"
    dtype = f"{'timedelta' if raw.sort == 'duration' else 'datetime'}64[{fitting[-1]}]"
    return f"Round it to {UNIT_WORDS[fitting[-1]]}, for example with values.astype({dtype!r})"


def _first(raw: Times) -> str:
    row = 0 if raw.missing is None else int(np.argmin(raw.missing))
    return f"such as {value_at(raw, row)} in row {row}"


def _words(times: Times | TimeScale) -> str:
    if times.sort != "datetime":
        return "durations" if times.sort == "duration" else "times of day"
    return f"dates {'without' if times.zone is None else 'with'} a time zone"


def _sort_of(raw: Plain) -> str:
    if isinstance(raw, Categories):
        return "text" if any(isinstance(level, str) for level in raw.levels) else "categories"
    return "booleans" if isinstance(raw, Booleans) else "numbers"
