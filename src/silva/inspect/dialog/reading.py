"""From what somebody answers to what is known: options, numbers, dates, levels, or an error."""

import math
from collections.abc import Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from silva.data.moments import MOMENTS, times_of_objects
from silva.data.schema import Column
from silva.data.time_words import from_text
from silva.data.times import known_times
from silva.errors import DataError
from silva.inspect.dialog.known import Known, Values, exactly
from silva.inspect.dialog.phrases import alternatives, values_words
from silva.inspect.dialog.question import Option, Question
from silva.inspect.dialog.source import Source
from silva.inspect.dialog.walk import narrowed
from silva.inspect.rules.conditions import Levels, is_empty
from silva.messages import shown
from silva.tree import words

_SHORT = {"y": "yes", "n": "no"}


def read_answer(source: Source, question: Question, known: Known, given: Any) -> Known:
    """What is known about the column after this answer; DataError where it is not possible."""
    option = _chosen(source, question, given)
    if option is None:
        number = known.values.column
        value = _value(source.columns[number], source.lexicon.levels(number), given)
        if value is not None:
            return Known(_consistent(source, question, known, value))
        option = _by_words(question, given)
    if option is None:
        raise DataError(
            f"{_refusal(source, question, known, given)}: answer {possible(source, question)}"
        )
    if not option.possible:
        raise DataError(
            f"{option.words!r} is {option.leads_to}: answer {possible(source, question)}"
        )
    assert option._values is not None
    return Known(option._values, option._vague)


def possible(source: Source, question: Question) -> str:
    """Everything that may be answered, in words."""
    typed = {"number": ["a number"], "time": ["a date or time"], "level": []}[question.takes]
    special = [f"'{one.words}'" for one in question.options if one.special and one.possible]
    told = [*typed, *_values_told(source, question), *special]
    return alternatives(told) if told else "nothing: the model refuses every value"


def _values_told(source: Source, question: Question) -> list[str]:
    """The levels one by one, or the ranges."""
    sets = [one._values for one in question.options if one.possible and one._values is not None]
    codes = sorted({code for one in sets if isinstance(one, Levels) for code in one.codes})
    if not codes:
        return [f"'{one.words}'" for one in question.options if not one.special]
    forms = source.lexicon.levels(sets[0].column)
    if len(codes) <= words.MAX_LISTED + 1:
        return [forms[code] for code in codes]
    more = len(codes) - words.MAX_LISTED
    return [*(forms[code] for code in codes[: words.MAX_LISTED]), f"one of {more:,} more levels"]


def _chosen(source: Source, question: Question, given: Any) -> Option | None:
    """The option that was given, by itself or by its key; None and NaN are missing values."""
    if isinstance(given, Option):
        if given not in question.options:
            raise DataError(
                f"the option {given.words!r} belongs to another question than"
                f" {question.text!r}: answer {possible(source, question)}"
            )
        return given
    if _is_missing(given):
        return question.options[-1]
    if not isinstance(given, str):
        return None
    key = given.strip().casefold()
    return next((option for option in question.options if option.key == key), None)


def _by_words(question: Question, given: Any) -> Option | None:
    if not isinstance(given, str):
        return None
    text = given.strip().strip("'\"").casefold()
    return next((one for one in question.options if one.words.casefold() == text), None)


def _is_missing(given: Any) -> bool:
    if given is None:
        return True
    try:
        return bool(given != given)
    except (TypeError, ValueError):  # pandas' NA, arrays
        return type(given).__name__ == "NAType"


def _value(column: Column, forms: Sequence[str], given: Any) -> float | int | None:
    """The number, or the code of the level; None if it is none."""
    if column.levels is not None:
        return _code(column, forms, given)
    return _number(given) if column.time is None else _time(column, given)


def _number(given: Any) -> float | None:
    try:
        value = float(given) if isinstance(given, str | Real | Decimal | np.generic) else math.nan
    except (ValueError, OverflowError, TypeError):
        return None
    return None if math.isnan(value) else value


def _time(column: Column, given: Any) -> float | None:
    scale = column.time
    assert scale is not None
    if isinstance(given, str):
        read = from_text(given, scale.sort)
        return None if read is None or read[1] != scale.zone else scale.number(read[0])
    if not isinstance(given, MOMENTS):
        return None
    raw = times_of_objects([given], np.array([False]), column.name)
    return float(known_times(raw, column.name, scale)[0])


def _code(column: Column, forms: Sequence[str], given: Any) -> int | None:
    """A level by its value, by its text, or by its text in other letters if that is clear."""
    levels = column.levels or ()
    value = given.item() if isinstance(given, np.generic) else given
    for code, level in enumerate(levels):
        if isinstance(level, str) == isinstance(value, str) and level == value:
            return code
    if not isinstance(value, str):
        return None
    text = value.strip()
    for code, pair in enumerate(zip(forms, levels, strict=True)):
        if text in (pair[0], str(pair[1]).strip()):
            return code
    return _similar(levels, text)


def _similar(levels: Sequence[Any], text: str) -> int | None:
    lowered = [str(level).strip().casefold() for level in levels]
    wanted = text.casefold()
    if len(levels) == 2 and wanted not in lowered:
        wanted = _SHORT.get(wanted, wanted)
    if lowered.count(wanted) == 1:
        return lowered.index(wanted)
    number = _number(text)
    equal = [code for code, one in enumerate(levels) if not isinstance(one, str) and one == number]
    return equal[0] if len(equal) == 1 else None


def _consistent(source: Source, question: Question, known: Known, value: float | int) -> Values:
    """The set of this value; DataError if earlier answers or the policies rule it out."""
    number = known.values.column
    values = exactly(number, value, source.columns[number])
    if is_empty(narrowed(known.values, values)):
        name, before = source.lexicon.names[number], values_words(known.values, source)
        raise DataError(
            f"{values_words(values, source)} contradicts an earlier answer, {name} is {before}:"
            f" answer {possible(source, question)}, or go back"
        )
    return values


def _refusal(source: Source, question: Question, known: Known, given: Any) -> str:
    name, told = source.lexicon.names[known.values.column], shown(given)
    if question.takes == "level":
        return f"{told} is not a level of {name}"
    if question.takes == "number":
        return f"{told} is not a number"
    scale = source.columns[known.values.column].time
    assert scale is not None
    zone = " with a time zone" if scale.zone else ""
    example = words.quantity(source.columns[known.values.column], 0.0)
    return f"{told} is not a {scale.sort}{zone} such as {example}"
