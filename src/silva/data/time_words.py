"""Dates, durations and times of day as text, exact to the attosecond, and such text read again."""

import datetime
import re

from silva.data.timescale import UNIT_WORDS, UNITS, UTC, Sort, TimeScale

_DAY, _HOUR, _MINUTE, _SECOND = (UNITS[unit] for unit in ("D", "h", "m", "s"))
_CYCLE_YEARS, _CYCLE_DAYS = 400, 146_097
_FIRST_YEAR = 2000
_FIRST_DAY = datetime.date(_FIRST_YEAR, 1, 1).toordinal()
_EPOCH = datetime.date(1970, 1, 1).toordinal()

_SECONDS = r"(?P<seconds>[0-5]\d)(?:\.(?P<rest>\d{1,18}))?"
_CLOCK = rf"(?P<hours>[01]\d|2[0-3]):(?P<minutes>[0-5]\d)(?::{_SECONDS})?"
_ZONE = r"\s*(?P<zone>UTC|Z|(?P<sign>[+-])(?P<ahead>[01]\d|2[0-3]):(?P<more>[0-5]\d))?"
_DATE = r"(?P<year>-?\d{4,30})-(?P<month>\d\d)-(?P<day>\d\d)"
_DAYS = r"(?P<days>\d{1,30}) days?"
_FORMS = {
    "datetime": re.compile(f"{_DATE}(?:[ T]{_CLOCK}{_ZONE})?"),
    "duration": re.compile(f"{_DAYS}(?: {_CLOCK})?"),
    "time": re.compile(_CLOCK),
}


def written(scale: TimeScale, number: float) -> str:
    """The first value whose number is at least this: `2024-03-01 12:00`, `2 days 12:00`.

    For every value, `value < written` says the same as `number of the value < number`.
    """
    return as_text(scale.attoseconds(number), scale.sort, scale.zone)


def rounded(scale: TimeScale, number: float) -> str:
    """The same to the nearest whole unit, for reading."""
    return as_text((round(number) + scale.origin) * scale.length, scale.sort, scale.zone)


def as_text(attoseconds: int, sort: Sort, zone: str | None = None) -> str:
    """A value in words, with no more of the time of day than it needs."""
    if sort == "duration":
        return _duration(attoseconds)
    days, rest = divmod(attoseconds, _DAY)
    if sort == "time":
        return clock(attoseconds)
    if zone is None:
        return f"{_date(days)} {clock(rest)}" if rest else _date(days)
    return f"{_date(days)} {clock(rest)} {zone}"


def clock(attoseconds: int) -> str:
    """`12:00`, `12:00:30`, `12:00:30.5`."""
    hours, rest = divmod(attoseconds, _HOUR)
    minutes, rest = divmod(rest, _MINUTE)
    seconds, rest = divmod(rest, _SECOND)
    text = f"{hours:02}:{minutes:02}"
    if not seconds and not rest:
        return text
    return f"{text}:{seconds:02}" + (f".{rest:018}".rstrip("0") if rest else "")


def counting(scale: TimeScale) -> str:
    """What the number of a value counts: `days since 1970-01-01`."""
    unit, start = UNIT_WORDS[scale.unit], scale.origin * scale.length
    if scale.sort == "duration":
        return f"its length in {unit}" + (f" beyond {_duration(start)}" if start else "")
    if scale.sort == "time":
        return f"{unit} since " + (clock(start) if start else "midnight")
    return f"{unit} since {as_text(start, scale.sort, scale.zone)}"


def from_text(text: str, sort: Sort) -> tuple[int, str | None] | None:
    """Attoseconds and time zone of a text as `as_text` writes it; None if it is no such text.

    Dates may also have a `T` before the time of day and an offset such as `+02:00` or `Z`.
    """
    text = text.strip()
    if sort == "duration" and text.startswith("-"):
        return _negative(text[1:])
    found = _FORMS[sort].fullmatch(text)
    if found is None:
        return None
    parts = found.groupdict()
    if sort == "datetime":
        return _instant(parts)
    return int(parts.get("days", 0)) * _DAY + _time(parts), None


def _negative(text: str) -> tuple[int, None] | None:
    """The duration below zero of this length, in brackets if it has a time: (2 days 12:00)."""
    inner = text[1:-1] if text.startswith("(") and text.endswith(")") else text
    found = _FORMS["duration"].fullmatch(inner)
    if found is None or (found["hours"] is not None and inner == text):
        return None
    return -int(found["days"]) * _DAY - _time(found.groupdict()), None


def _duration(attoseconds: int) -> str:
    days, rest = divmod(abs(attoseconds), _DAY)
    text = f"{days} {'day' if days == 1 else 'days'}"
    if not rest:
        return f"-{text}" if attoseconds < 0 else text
    text = f"{text} {clock(rest)}"
    return f"-({text})" if attoseconds < 0 else text


def _date(days: int) -> str:
    """Days since 1970 in the Gregorian calendar, of any year; years as NumPy writes them."""
    cycles, place = divmod(days + _EPOCH - _FIRST_DAY, _CYCLE_DAYS)
    date = datetime.date.fromordinal(_FIRST_DAY + place)
    year = date.year + cycles * _CYCLE_YEARS
    return f"{'-' if year < 0 else ''}{abs(year):04}-{date.month:02}-{date.day:02}"


def days_of(year: int, month: int, day: int) -> int:
    """Days since 1970 of a date in the Gregorian calendar, of any year; ValueError if none."""
    cycles, place = divmod(year - _FIRST_YEAR, _CYCLE_YEARS)
    date = datetime.date(_FIRST_YEAR + place, month, day)
    return date.toordinal() - _EPOCH + cycles * _CYCLE_DAYS


def _time(parts: dict[str, str | None]) -> int:
    hours, minutes, seconds = (int(parts[name] or 0) for name in ("hours", "minutes", "seconds"))
    rest = int((parts["rest"] or "0").ljust(18, "0"))
    return hours * _HOUR + minutes * _MINUTE + seconds * _SECOND + rest


def _instant(parts: dict[str, str | None]) -> tuple[int, str | None] | None:
    try:
        days = days_of(*(int(parts[name] or 0) for name in ("year", "month", "day")))
    except ValueError:
        return None
    value = days * _DAY + _time(parts)
    if parts["zone"] is None:
        return value, None
    ahead = int(parts["ahead"] or 0) * _HOUR + int(parts["more"] or 0) * _MINUTE
    return value + (ahead if parts["sign"] == "-" else -ahead), UTC
