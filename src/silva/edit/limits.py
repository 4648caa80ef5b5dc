"""Limits as people give them for columns of dates, durations and times of day."""

from typing import Any

from silva.data.objects import read_objects
from silva.data.raw import Times
from silva.data.time_words import as_text, from_text
from silva.data.timescale import UNIT_WORDS, TimeScale
from silva.errors import DataError, PlanError
from silva.messages import shown

_EXAMPLES = {
    "datetime": "a date, such as '2024-03-01 12:00' or datetime.date(2024, 3, 1),",
    "duration": "a duration, such as '2 days 12:00' or datetime.timedelta(days=2),",
    "time": "a time of day, such as '12:30' or datetime.time(12, 30),",
}


def time_limit(limit: Any, name: str, scale: TimeScale) -> float:
    """The number of a limit on the scale of its column; text as trees print it will do.

    Raises PlanError for anything else, and for a limit that no float64 number stands for.
    """
    found = _read(limit, name, scale)
    if found is None:
        raise PlanError(
            f"split: column {name!r} takes {_EXAMPLES[scale.sort]} as its limit, not"
            f" {shown(limit)}."
        )
    attoseconds, zone = found
    if zone != scale.zone:
        _refuse_zone(limit, name, scale)
    number = scale.number(attoseconds)
    if scale.attoseconds(number) != attoseconds:
        _refuse_inexact(attoseconds, number, name, scale)
    return number


def _read(limit: Any, name: str, scale: TimeScale) -> tuple[int, str | None] | None:
    """Attoseconds and time zone; None where it is not of the column's sort."""
    if isinstance(limit, str):
        return from_text(limit, scale.sort)
    try:
        raw = read_objects([limit], name)
    except DataError:
        return None
    if not isinstance(raw, Times) or raw.sort != scale.sort or not len(raw.known):
        return None
    return int(raw.counts[0]) * raw.tick, raw.zone


def _refuse_zone(limit: Any, name: str, scale: TimeScale) -> None:
    has, needs = "has no time zone", "has one: add it, for example '2024-03-01 12:00 UTC'"
    if scale.zone is None:
        has, needs = "has a time zone", "has none: leave it out"
    raise PlanError(f"split: the limit {shown(limit)} {has}, but column {name!r} {needs}.")


def _refuse_inexact(attoseconds: int, number: float, name: str, scale: TimeScale) -> None:
    exact, near = (
        as_text(value, scale.sort, scale.zone) for value in (attoseconds, scale.attoseconds(number))
    )
    unit = UNIT_WORDS[scale.unit]
    raise PlanError(
        f"split: column {name!r} counts {unit}, and no float64 number of {unit} is exactly {exact}"
        f" (the nearest below is {near}). Use whole {unit}, or halves or quarters of them."
    )
