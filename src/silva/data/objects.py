"""Plain Python values, told apart by what they are."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from silva.data import refusals
from silva.data.moments import MOMENTS, times_of_objects
from silva.data.raw import (
    Booleans,
    Categories,
    Numbers,
    Raw,
    missing_numbers,
    nothing_known,
    with_missing,
)
from silva.data.schema import MISSING_CODE

_BOOLEAN = (bool, np.bool_)
_INTEGER = (int, np.integer)
_REAL = (int, float, np.integer, np.floating, np.bool_, Decimal, Fraction)
_TEXT = (str, bytes)
_NULLS = ("NoneType", "NAType", "NaTType", "MaskedConstant")


def read_objects(items: Sequence[Any], name: str) -> Raw:
    """All booleans, numbers, text or times, with missing values among them (None, NaN, NA, NaT).

    Numbers and booleans together are numbers. Anything else, and text or times together with
    others, is refused with the row where it stands.
    """
    types = set(map(type, items))
    if types <= {str, type(None)}:
        return _text(items)
    if types <= {float, type(None)}:
        return Numbers(np.array(items, np.float64))
    missing = np.fromiter(map(_is_missing, items), bool, len(items))
    known = [item for item, absent in zip(items, missing, strict=True) if not absent]
    if not known:
        is_float = any(isinstance(item, float | np.floating) for item in items)
        return missing_numbers(len(items)) if is_float else nothing_known(len(items))
    known_types = set(map(type, known))
    if all(issubclass(kind, MOMENTS) for kind in known_types):
        return times_of_objects(items, missing, name)
    _refuse_strangers(items, missing, known_types, name)
    return _read_known(items, missing, known_types, name)


def _read_known(items: Sequence[Any], missing: np.ndarray, types: set[type], name: str) -> Raw:
    if all(issubclass(kind, _TEXT) for kind in types):
        return _text([_decoded(v, name) for v in _replaced(items, missing, None)])
    if all(issubclass(kind, _BOOLEAN) for kind in types):
        values = np.array(_replaced(items, missing, False), bool)
        return with_missing(values, missing, name)
    if all(issubclass(kind, _INTEGER) for kind in types):
        values = _integers(_replaced(items, missing, 0), name)
        return with_missing(values, missing, name)
    return Numbers(_floats(_replaced(items, missing, np.nan), name))


def _replaced(items: Sequence[Any], missing: np.ndarray, stand_in: object) -> list[Any]:
    return [stand_in if absent else v for v, absent in zip(items, missing.tolist(), strict=True)]


def _text(items: Sequence[str | None]) -> Categories:
    levels = sorted({item for item in items if item is not None})
    code: dict[str | None, int] = {level: i for i, level in enumerate(levels)}
    code[None] = MISSING_CODE
    codes = np.fromiter(map(code.__getitem__, items), np.int32, len(items))
    return Categories(codes, tuple(str(level) for level in levels))


def _integers(items: list[Any], name: str) -> np.ndarray:
    for dtype in (np.int64, np.uint64):
        try:
            return np.array(items, dtype)
        except OverflowError:
            continue
    largest = max(range(len(items)), key=lambda row: abs(int(items[row])))
    raise refusals.inexact_integer(name, largest, items[largest])


def _floats(items: list[Any], name: str) -> np.ndarray:
    for row, item in enumerate(items):
        if isinstance(item, _INTEGER) and abs(int(item)) > refusals.LARGEST_EXACT_INTEGER:
            raise refusals.inexact_integer(name, row, item)
        if isinstance(item, np.longdouble) and item == item and float(item) != item:
            raise refusals.inexact_number(name, row, item)
    try:
        return np.array([float(item) for item in items])
    except OverflowError:
        largest = max(range(len(items)), key=lambda row: abs(items[row]))
        raise refusals.inexact_number(name, largest, items[largest]) from None


def numbers_of_levels(raw: Categories, name: str) -> Numbers | Booleans | None:
    """Categories whose levels are all numbers, as those numbers; None when some are text."""
    if any(isinstance(level, str) for level in raw.levels):
        return None
    if not raw.levels:
        return missing_numbers(len(raw.codes))
    levels = read_objects(raw.levels, name)
    assert isinstance(levels, Numbers | Booleans)
    return with_missing(levels.values[raw.codes], raw.codes < 0, name)


def _is_missing(item: Any) -> bool:
    if isinstance(item, float | np.floating):
        return bool(item != item)
    if isinstance(item, Decimal):
        return item.is_nan()
    if isinstance(item, np.datetime64 | np.timedelta64):
        return bool(np.isnat(item))
    return type(item).__name__ in _NULLS


def _decoded(item: Any, name: str) -> str | None:
    return item if item is None or isinstance(item, str) else decode(item, name)


def decode(item: bytes, name: str) -> str:
    try:
        return item.decode()
    except UnicodeDecodeError:
        raise refusals.nested_values(name, f"bytes such as {item[:20]!r}, not UTF-8") from None


def _refuse_strangers(
    items: Sequence[Any], missing: np.ndarray, types: set[type], name: str
) -> None:
    if all(issubclass(kind, _TEXT) for kind in types):
        return
    if all(issubclass(kind, _REAL) and not issubclass(kind, MOMENTS) for kind in types):
        return
    for row, item in enumerate(items):
        if not missing[row]:
            _refuse_stranger(item, row, name)
    _refuse_moments(items, missing, name)
    text_row = next(row for row, item in enumerate(items) if isinstance(item, _TEXT))
    other = next(v for v, absent in zip(items, missing, strict=True) if not _is_text(v, absent))
    raise refusals.mixed_values(name, text_row, items[text_row], other)


def _is_text(item: Any, absent: bool) -> bool:
    return absent or isinstance(item, _TEXT)


def _refuse_moments(items: Sequence[Any], missing: np.ndarray, name: str) -> None:
    """Raise for times among other values, with the first of both."""
    first: dict[bool, int] = {}
    for row in np.flatnonzero(~missing).tolist():
        first.setdefault(isinstance(items[row], MOMENTS), row)
    if True in first:
        rows = first[True], first[False]
        raise refusals.dates_among_others(name, rows, [items[row] for row in rows])


def _refuse_stranger(item: Any, row: int, name: str) -> None:
    if isinstance(item, complex | np.complexfloating):
        raise refusals.complex_numbers(name)
    if not isinstance(item, _REAL + _TEXT + MOMENTS):
        raise refusals.not_a_value(name, row, item)
