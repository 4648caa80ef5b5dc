"""From raw columns to typed ones: by dtype in training, by the trained schema afterwards."""

from typing import Any

import numpy as np

from silva.data.objects import numbers_of_levels
from silva.data.raw import (
    Booleans,
    Categories,
    Numbers,
    Plain,
    Raw,
    Times,
    category_codes,
    refuse_inexact_integers,
)
from silva.data.refusals import LARGEST_EXACT_INTEGER, times_as_categories
from silva.data.schema import MISSING_CODE, UNSEEN_CODE, Column, Level
from silva.data.sparse import SparseColumn
from silva.data.time_refusals import times_for_others
from silva.data.times import known_times, new_scale, numbers_of
from silva.errors import DataError
from silva.messages import listed, nearest

_NO_AND_YES = {
    ("no", "yes"),
    ("n", "y"),
    ("false", "true"),
    ("f", "t"),
    ("off", "on"),
    ("0", "1"),
}
_BOOLEANS = (False, True)
_EXACT = LARGEST_EXACT_INTEGER

Encoded = tuple[Column, np.ndarray]


def encode_new(raw: Raw, name: str, as_categories: bool) -> Encoded:
    """A training column, its kind by what it holds; `as_categories`: the user says categorical."""
    if isinstance(raw, Times):
        return _new_times(raw, name, as_categories)
    if isinstance(raw, Booleans):
        return _new_booleans(raw, name, as_categories)
    if isinstance(raw, Categories):
        return _new_categories(raw, name, as_categories)
    if as_categories:
        return _new_categories(category_codes(raw), name, as_categories)
    refuse_inexact_integers(raw.values, name)
    return Column(name, "continuous", notation=raw.notation), raw.values


def encode_declared(raw: Raw, name: str, levels: tuple[Level, ...]) -> Encoded:
    """A training column as categories of these levels; a value that is not listed is refused."""
    if isinstance(raw, Times):
        raise times_as_categories(name)
    categories = _as_categories(raw)
    column = Column(name, "ordinal" if categories.ordered else "categorical", levels)
    codes = _recoded(categories, column)
    unlisted = codes == UNSEEN_CODE
    if unlisted.any():
        row = int(np.argmax(unlisted))
        raise _not_listed(name, row, categories.levels[categories.codes[row]], levels)
    return column, codes


def _not_listed(name: str, row: int, value: Level, levels: tuple[Level, ...]) -> DataError:
    near = nearest(value, (level for level in levels if isinstance(level, str)))
    hint = f" (did you mean {near!r}?)" if near is not None else ""
    return DataError(
        f"column {name!r} holds {value!r} in row {row}, which is not among the levels that"
        f" categorical_features lists for it: {listed(levels)}{hint}. Add the value to the list,"
        " or correct the cell"
    )


def _new_times(raw: Times, name: str, as_categories: bool) -> Encoded:
    if as_categories:
        raise times_as_categories(name)
    scale = new_scale(raw, name)
    return Column(name, "continuous", time=scale), numbers_of(raw, scale)


def _new_booleans(raw: Booleans, name: str, as_categories: bool) -> Encoded:
    if as_categories:
        return Column(name, "categorical", _BOOLEANS), _int32(_boolean_codes(raw))
    return Column(name, "binary", _BOOLEANS), _boolean_codes(raw)


def _new_categories(raw: Categories, name: str, as_categories: bool) -> Encoded:
    if raw.ordered:
        return Column(name, "ordinal", raw.levels), _int32(raw.codes)
    pair = None if as_categories else _no_then_yes(raw.levels)
    if pair is None:
        return Column(name, "categorical", raw.levels), _int32(raw.codes)
    column = Column(name, "binary", pair)
    return column, _recoded(raw, column)


def _no_then_yes(levels: tuple[Level, ...]) -> tuple[Level, ...] | None:
    """The two levels with "no" first when they are a yes/no pair, else None."""
    if len(levels) != 2:
        return None
    for pair in (levels, levels[::-1]):
        if tuple(map(_lowered, pair)) in _NO_AND_YES or (pair[0] is False and pair[1] is True):
            return pair
    return None


def _lowered(level: Level) -> str:
    return level.lower() if isinstance(level, str) else ""


def encode_known(raw: Raw, column: Column) -> Any:
    """A column in the coding that the model was trained with; categories are matched by value."""
    if column.time is not None:
        return known_times(raw, column.name, column.time)
    if isinstance(raw, Times):
        return _times_for_others(raw, column)
    if column.kind == "continuous":
        return _known_numbers(raw, column)
    if isinstance(raw, Booleans) and column.levels == _BOOLEANS:
        codes = _boolean_codes(raw)
        return codes if column.kind == "binary" else _int32(codes)
    _refuse_rounded(raw, column)
    categories = _as_categories(raw)
    _refuse_other_sort(categories.levels, column)
    return _recoded(categories, column)


def _times_for_others(raw: Times, column: Column) -> np.ndarray:
    """Dates in a column that held none: missing values, or unseen ones if it held nothing."""
    missing = np.zeros(len(raw.counts), bool) if raw.missing is None else raw.missing
    if not missing.all() and column.levels != ():
        raise times_for_others(raw, column.name, column.levels)
    if column.kind == "continuous":
        return np.full(len(missing), np.nan)
    return np.where(missing, np.int32(MISSING_CODE), np.int32(UNSEEN_CODE))


def _refuse_rounded(raw: Plain, column: Column) -> None:
    """Raise where a large float would pass for the integer level it may have been rounded from."""
    if not isinstance(raw, Numbers) or raw.values.dtype.kind != "f":
        return
    if not any(isinstance(level, int) and abs(level) > _EXACT for level in column.levels or ()):
        return
    large = np.abs(raw.values) >= _EXACT
    if large.any():
        row = int(np.argmax(large))
        raise DataError(
            f"column {column.name!r} holds the float {raw.values[row]} in row {row}, but its"
            " categories are integers beyond 2**53, which float64 rounds. Give integers as in"
            " training, for example with a nullable integer type"
        )


def _known_numbers(raw: Plain, column: Column) -> Any:
    if isinstance(raw, Categories):
        numbers = numbers_of_levels(raw, column.name)
        if numbers is None:
            raise _text_for_numbers(raw.levels, column)
        raw = numbers
    if isinstance(raw, Booleans):
        return _boolean_numbers(raw)
    refuse_inexact_integers(raw.values, column.name)
    return raw.values


def _boolean_numbers(raw: Booleans) -> Any:
    if raw.missing is None:
        if isinstance(raw.values, SparseColumn):
            return raw.values.astype(np.uint8)
        return raw.values.view(np.uint8)
    return np.where(raw.missing, np.nan, raw.values)


def _boolean_codes(raw: Booleans) -> Any:
    if raw.missing is None:
        return raw.values
    return np.where(raw.missing, np.int32(MISSING_CODE), raw.values.astype(np.int32))


def _as_categories(raw: Plain) -> Categories:
    if isinstance(raw, Numbers):
        return category_codes(raw)
    if isinstance(raw, Booleans):
        return Categories(_int32(_boolean_codes(raw)), _BOOLEANS)
    return raw


def _recoded(raw: Categories, column: Column) -> np.ndarray:
    """Codes into the column's levels: by value, unseen for a value that is not among them."""
    levels = column.levels or ()
    if raw.levels == levels:
        return _int32(raw.codes)
    position = {level: code for code, level in enumerate(levels)}
    table = [position.get(level, UNSEEN_CODE) for level in raw.levels]
    return np.array([*table, MISSING_CODE], np.int32).take(raw.codes, mode="wrap")


def _int32(codes: np.ndarray) -> np.ndarray:
    return codes.astype(np.int32, copy=False)


def _refuse_other_sort(given: tuple[Level, ...], column: Column) -> None:
    """Raise when text meets a column of numbers, or numbers a column of text."""
    trained = column.levels or ()
    if not given or not trained or _sorts(given) & _sorts(trained):
        return
    if "text" in _sorts(given):
        raise _text_for_numbers(given, column)
    raise DataError(
        f"column {column.name!r} held text in training (such as {trained[0]!r}) but holds numbers "
        f"now (such as {given[0]!r}). Give the same text as in training, for example with "
        "astype(str)"
    )


def _sorts(levels: tuple[Level, ...]) -> set[str]:
    return {"text" if isinstance(level, str) else "number" for level in levels}


def _text_for_numbers(given: tuple[Level, ...], column: Column) -> DataError:
    text = next(level for level in given if isinstance(level, str))
    fix = "numbers as in training, for example with astype(float)"
    if column.levels == _BOOLEANS:
        fix = f"booleans or 0 and 1 as in training, for example with column == {given[-1]!r}"
    return DataError(
        f"column {column.name!r} held numbers in training but holds text now (such as {text!r}). "
        f"Give {fix}"
    )
