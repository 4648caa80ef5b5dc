"""What every container is read into: raw columns of four sorts, not yet bound to a schema."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np

from silva.data import refusals
from silva.data.notation import Notation
from silva.data.schema import MISSING_CODE, Level
from silva.data.sparse import SparseColumn, densified, stored
from silva.data.time_words import as_text
from silva.data.timescale import Sort


@dataclass(frozen=True, slots=True)
class Numbers:
    """Real numbers of a native NumPy dtype and any stride, or a SparseColumn; NaN is missing.

    `notation` says how the texts that they were read from write numbers (None: plainly).
    """

    values: Any
    notation: Notation | None = None


@dataclass(frozen=True, slots=True)
class Booleans:
    """NumPy booleans; `missing`, when there is one, marks the rows that are not known."""

    values: Any
    missing: np.ndarray | None = None


@dataclass(frozen=True, slots=True)
class Categories:
    """Integer codes into distinct levels, -1 for missing. `ordered`: their order has meaning."""

    codes: np.ndarray
    levels: tuple[Level, ...]
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Times:
    """Dates, durations or times of day: counts of ticks of so many attoseconds.

    Counts are int64, or Python integers where int64 is too narrow, from 1970-01-01 00:00 (in UTC
    where `zone` says so) or midnight. `missing`, when there is one, marks rows that are not known;
    their counts mean nothing.
    """

    counts: np.ndarray
    tick: int
    sort: Sort
    zone: str | None = None
    missing: np.ndarray | None = None

    @property
    def known(self) -> np.ndarray:
        """The counts that are known."""
        return self.counts if self.missing is None else self.counts[~self.missing]


Plain = Numbers | Booleans | Categories
Raw = Plain | Times


@dataclass(frozen=True, slots=True)
class Frame:
    """A container at the door. `read(i, name)` reads column i; `name` is for its errors only.

    Columns are read one by one, so those that nobody asks for are never touched.
    """

    names: tuple[str, ...] | None
    n_rows: int
    n_columns: int
    read: Callable[[int, str], Raw]


def value_at(raw: Raw, row: int) -> Level:
    """The known value of a row; a date as text."""
    if isinstance(raw, Times):
        return as_text(int(raw.counts[row]) * raw.tick, raw.sort, raw.zone)
    value: Level = (
        raw.levels[raw.codes[row]] if isinstance(raw, Categories) else raw.values[row].item()
    )
    return value


def dense_raw(raw: Raw) -> Raw:
    """The same column with all of its values where only some are stored."""
    if isinstance(raw, Numbers | Booleans) and isinstance(raw.values, SparseColumn):
        return replace(raw, values=densified(raw.values))
    return raw


def missing_numbers(n_rows: int) -> Numbers:
    return Numbers(np.full(n_rows, np.nan))


def nothing_known(n_rows: int) -> Categories:
    """A column without a value and without a type: it fits numbers and text at predict."""
    return Categories(np.full(n_rows, MISSING_CODE, np.int32), ())


def times_with_missing(raw: Times, missing: np.ndarray) -> Times:
    """The same times where the rows of `missing` are not known either."""
    absent = missing if raw.missing is None else raw.missing | missing
    return replace(raw, missing=absent if absent.any() else None)


def with_missing(values: np.ndarray, missing: np.ndarray, name: str) -> Numbers | Booleans:
    """Numbers or booleans where the rows of `missing` are not known, whatever stands there."""
    if values.dtype.kind == "b":
        return Booleans(values, missing if missing.any() else None)
    return Numbers(values if not missing.any() else _floats_with_nan(values, missing, name))


def _floats_with_nan(values: np.ndarray, missing: np.ndarray, name: str) -> np.ndarray:
    known = np.where(missing, values.dtype.type(0), values)
    refuse_inexact_integers(known, name)
    floats = known.astype(values.dtype if values.dtype.kind == "f" else np.float64)
    floats[missing] = np.nan
    return floats


def refuse_inexact_integers(values: Any, name: str) -> None:
    """Raise when an integer is beyond 2**53, where float64 no longer tells neighbours apart."""
    given = stored(values)
    if given.dtype.kind not in "iu" or given.dtype.itemsize < 8 or not given.size:
        return
    limit = refusals.LARGEST_EXACT_INTEGER
    if given.max() > limit or given.min() < -limit:
        values = densified(values)
        row = int(np.argmax((values > limit) | (values < -limit)))
        raise refusals.inexact_integer(name, row, values[row])


def without_negative_zeros(values: np.ndarray) -> np.ndarray:
    """The same floats with 0.0 for -0.0, which is equal but has other bytes; a copy only if needed.

    Otherwise a model would depend on which of the two zeros comes first.
    """
    if not (np.signbit(values) & (values == 0.0)).any():
        return values
    return np.asarray(values + values.dtype.type(0))


def category_codes(raw: Numbers) -> Categories:
    """Numbers as categories: the distinct known values in ascending order."""
    if raw.values.dtype.kind != "f":
        levels, codes = np.unique(raw.values, return_inverse=True)
        return Categories(codes, tuple(levels.tolist()))
    values = without_negative_zeros(raw.values)
    missing = np.isnan(values)
    levels, known_codes = np.unique(values[~missing], return_inverse=True)
    codes = np.full(len(values), MISSING_CODE, np.int32)
    codes[~missing] = known_codes
    return Categories(codes, tuple(levels.tolist()))


def sorted_categories(codes: np.ndarray, values: Sequence[Level]) -> Categories:
    """Codes into distinct levels in any order, rewritten for the sorted ones, numbers before text.

    Levels that no row has are left out, so that text and its categories give the same column.
    """
    occurs = np.zeros(len(values) + 1, bool)
    occurs[codes] = True
    used = np.flatnonzero(occurs[:-1]).tolist()
    used.sort(key=lambda code: (isinstance(values[code], str), values[code]))
    rank = np.full(len(values) + 1, MISSING_CODE, np.int32)
    rank[used] = np.arange(len(used), dtype=np.int32)
    return Categories(rank[codes], tuple(values[code] for code in used))


def declared_categories(codes: np.ndarray, values: Iterable[object], ordered: bool) -> Categories:
    """Codes into levels as a container declares them; missing and repeated levels are folded.

    Where the order of the levels has no meaning, those that occur are sorted.
    """
    folded = _folded(codes, [plain_level(value) for value in values], ordered)
    return folded if ordered else sorted_categories(folded.codes, folded.levels)


def _folded(codes: np.ndarray, levels: Sequence[Level | None], ordered: bool) -> Categories:
    position: dict[Level, int] = {}
    for level in levels:
        if level is not None:
            position.setdefault(level, len(position))
    if len(position) == len(levels):
        return Categories(codes, tuple(position), ordered)
    fold = [MISSING_CODE if level is None else position[level] for level in levels]
    return Categories(np.array([*fold, MISSING_CODE])[codes], tuple(position), ordered)


def plain_level(value: object) -> Level | None:
    """A plain Python value that can be stored and compared; others stand as their text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float):
        return None if value != value else value + 0.0
    if value is None or isinstance(value, str | int):
        return str(value) if isinstance(value, str) else value
    return str(value)
