"""Sets of values as people say them: `below 3350`, `own or parents`, `not known`."""

import math
from collections.abc import Sequence
from fractions import Fraction

from silva.data.schema import Column
from silva.data.time_words import as_text
from silva.data.timescale import UNITS
from silva.inspect.dialog.known import Values, exact_value
from silva.inspect.dialog.source import Source
from silva.inspect.rules.conditions import Interval, Levels
from silva.tree import words

DO_NOT_KNOW = "I do not know"
ANOTHER_VALUE = "another value"


def values_words(values: Values, source: Source, most: int | None = words.MAX_LISTED) -> str:
    """The values of an option or an answer; missing ones only if there are no others."""
    if isinstance(values, Interval):
        return _interval(values, source)
    if values.unseen and not values.missing:
        return ANOTHER_VALUE
    if not values.codes:
        return "not known"
    return _levels(values, source, most)


def _interval(values: Interval, source: Source) -> str:
    if not values.known:
        return "not known"
    column, exact = source.columns[values.column], exact_value(values)
    if exact is not None:
        return _quantity(column, exact)
    low, high = (
        None if limit is None else words.quantity(column, limit, source.digits)
        for limit in (values.low, values.high)
    )
    if low is None and high is None:
        return "known"
    is_moment = column.time is not None and column.time.sort != "duration"
    below, more = ("before", "later") if is_moment else ("below", "more")
    if low is None:
        return f"{below} {high}"
    return f"{low} or {more}" if high is None else f"{low} or {more}, but {below} {high}"


def _quantity(column: Column, value: float) -> str:
    """A number, or the roundest time that has this number: finer ones than training are rounded."""
    scale = column.time
    if scale is None or not math.isfinite(value):
        return words.number(value)
    exact = scale.attoseconds(value)
    for length in UNITS.values():
        near = round(Fraction(exact, length)) * length
        if scale.number(near) == value:
            return as_text(near, scale.sort, scale.zone)
    return words.quantity(column, value)


def _levels(values: Levels, source: Source, most: int | None) -> str:
    forms, codes = source.lexicon.levels(values.column), sorted(values.codes)
    told = [str(words.shortened(forms[code], most)) for code in codes]
    is_run = codes[-1] - codes[0] == len(codes) - 1
    if source.columns[values.column].kind == "ordinal" and is_run and len(codes) > 2:
        return f"{told[0]} to {told[-1]}"
    if most is not None and len(told) > most + 1:
        return f"{', '.join(told[:most])} or one of {len(told) - most} more"
    return alternatives(told)


def alternatives(told: Sequence[str]) -> str:
    """`own, parents or rent`."""
    return " or ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)


def sentence(told: Sequence[str]) -> str:
    """`Sys is yes, AI is yes and Thy is no`."""
    return " and ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)
