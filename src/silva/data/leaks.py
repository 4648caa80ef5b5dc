"""Columns that are the target under another name: copies, renamings, other units.

Nearly every column is ruled out by a few of its rows, so that the check costs microseconds.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from silva.data.matrix import MatrixColumns
from silva.data.schema import Column, Level
from silva.data.sparse import SparseColumns, densified
from silva.data.table import Table, Target
from silva.errors import is_news, warn
from silva.messages import first_of, shown

FEWEST_ROWS = 20
FEWEST_REPEATS = 10
"""Values that never repeat are one to one with any target that never repeats."""
FEWEST_OTHERS = 5
"""Where nearly all rows are of one class, the others can coincide with a rare value by chance."""
MOST_LISTED = 10
LEAK_ADVICE = "Drop the column if it is not known when predictions are made"
_PROBES = (8, 64)
_MANY_COLUMNS = 50
"""From here on, looking at columns side by side is faster than one after the other."""
_TOLERANCE, _LOOSE = 1e-9, 1e-6
_ROUNDING = 8.0 * float(np.finfo(np.float64).eps)


def warn_of_leaks(table: Table, target: Target) -> None:
    """One DataWarning that lists the columns which give the target away (see `leak`)."""
    rows = _rows_that_count(target)
    n_rows = table.n_rows if rows is None else len(rows)
    if n_rows < FEWEST_ROWS:
        return
    one, other = _two_alike(target.values, rows, n_rows // _PROBES[0])
    found = []
    for column, values in _candidates(table, target, rows, (one, other)):
        seen = leak(column, values, target, rows)
        if seen is not None and is_news("leak", column.name):
            found.append(f"{column.name!r} ({seen})")
    if found:
        _warn(found)


def _candidates(
    table: Table, target: Target, rows: Any, alike: tuple[int, int]
) -> Iterator[tuple[Column, np.ndarray]]:
    """The columns to look at: numbers that are the same in two rows of one target, or unknown."""
    columns, (one, other) = table.schema.columns, alike
    if isinstance(table.columns, MatrixColumns):
        matrix = table.columns.matrix
        may_tell = ~_differ(matrix[one], matrix[other])
        if target.classes is None and len(columns) > _MANY_COLUMNS:
            picked = _probed(len(matrix), rows, _PROBES[0])
            may_tell &= ~_break_lines(matrix[picked].astype(np.float64), target.values[picked])
        for i in np.flatnonzero(may_tell).tolist():
            yield columns[i], matrix[:, i]
        return
    values: Any = table.columns
    numbers: Iterable[int] = range(len(columns))
    if isinstance(values, SparseColumns):
        numbers = _not_always_zero(values, target, rows)
    for i in numbers:
        found = densified(values[i])
        if columns[i].levels is not None or not _differ(found.item(one), found.item(other)):
            yield columns[i], found


def _not_always_zero(columns: SparseColumns, target: Target, rows: Any) -> list[int]:
    """The columns that are not zero in all of some rows of two unlike targets."""
    code, counts = _unlike_rows(target, rows)
    hits = np.flatnonzero(code[columns.rows])
    of_hit = np.searchsorted(columns.starts, hits, "right") - 1
    may_be_zero = np.ones(len(columns), bool)
    for number, count in enumerate(counts, start=1):
        told = np.bincount(of_hit[code[columns.rows[hits]] == number], minlength=len(columns))
        may_be_zero &= told < count
    kept: list[int] = np.flatnonzero(~may_be_zero).tolist()
    return kept


def _unlike_rows(target: Target, rows: Any) -> tuple[np.ndarray, list[int]]:
    """A few rows of two targets that are far apart, marked 1 and 2, and how many they are."""
    told = target.values if rows is None else target.values[rows]
    if target.classes is not None:
        known = np.unique(told)
        groups = [told == known[0], told == known[-1]]
    else:
        low, high = told.min(), told.max()
        near = (high - low) / 4
        groups = [told <= low + near, told >= high - near]
    code = np.zeros(len(target.values), np.uint8)
    counts = []
    for number, group in enumerate(groups, start=1):
        places = np.flatnonzero(group)[: _PROBES[1]]
        code[places if rows is None else rows[places]] = number
        counts.append(len(places))
    return code, counts


def _warn(found: Sequence[str]) -> None:
    told = first_of(found[:MOST_LISTED], len(found))
    warn(f"columns that are a copy or a renaming of the target (a leak): {told}. {LEAK_ADVICE}")


def leak(column: Column, values: np.ndarray, target: Target, rows: Any = None) -> str | None:
    """How a column gives the target away, in words, or None if it does not.

    Each value stands for one class and each class for one value; or the target is the column of
    numbers itself, or that column times a number plus a number. Rows where the column is missing
    and all but the `rows` (None: all) are left aside.
    """
    if _is_ruled_out(column, values, target, rows):
        return None
    told = target.values
    if rows is not None:
        values, told = values[rows], told[rows]
    known = values >= 0 if column.levels is not None else values == values
    values, told = values[known], told[known]
    if len(values) < max(FEWEST_ROWS, len(known) / 2):
        return None
    if target.classes is not None:
        pairs = _one_to_one(told, values)
        return None if pairs is None else _renamed(column, target.classes, *pairs)
    if column.levels is None:
        return _affine(values.astype(np.float64), told)
    pairs = _one_to_one(values.astype(np.int64), told)
    return None if pairs is None else _renamed(column, None, pairs[1], pairs[0])


def _one_to_one(codes: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """The codes that occur and the one value of each; None unless they correspond both ways."""
    counts = np.bincount(codes)
    used = np.flatnonzero(counts)
    if len(used) < 2 or not _is_evidence(len(codes), len(used), int(counts.max())):
        return None
    value_of = np.empty(len(counts), values.dtype)
    value_of[codes] = values
    if not (value_of[codes] == values).all() or len(np.unique(value_of[used])) < len(used):
        return None
    return used, value_of[used]


def _is_evidence(n_rows: int, n_values: int, largest: int) -> bool:
    """Whether so many rows do not correspond by mere chance."""
    return n_rows - n_values >= FEWEST_REPEATS and n_rows - largest >= FEWEST_OTHERS


def _affine(values: np.ndarray, told: np.ndarray) -> str | None:
    """`told = slope * values + offset`, up to rounding."""
    if len(told) - int(np.unique(told, return_counts=True)[1].max()) < FEWEST_OTHERS:
        return None
    if np.array_equal(values, told):
        return "equal to the target"
    low, high = int(np.argmin(values)), int(np.argmax(values))
    with np.errstate(all="ignore"):
        slope = (told[high] - told[low]) / (values[high] - values[low])
        line = told[low] + slope * (values - values[low])
        near = _TOLERANCE * abs(told[high] - told[low]) + _ROUNDING * (np.abs(told) + np.abs(line))
        if not slope or not (np.abs(line - told) <= near).all():
            return None
        offset = told[low] - slope * values[low]
    times = f"the target is {slope:.6g} times the column"
    if abs(offset) <= _TOLERANCE * np.abs(told).max():
        return times
    return f"{times} {'-' if offset < 0 else '+'} {abs(offset):.6g}"


def _renamed(
    column: Column, classes: np.ndarray | None, targets: np.ndarray, values: np.ndarray
) -> str:
    """The first two pairs of a value and its target."""
    pairs = []
    for value, told in zip(values[:2].tolist(), targets[:2].tolist(), strict=True):
        level: Level = value if column.levels is None else column.levels[int(value)]
        label = told if classes is None else classes[told].item()
        pairs.append(f"{shown(level, 40)} where the target is {shown(label, 40)}")
    return f"one to one: {', '.join(pairs)}{' ...' if len(values) > 2 else ''}"


def _rows_that_count(target: Target) -> np.ndarray | None:
    """The rows of weight above zero; None if that is all of them."""
    if target.weights is None or target.weights.all():
        return None
    return np.flatnonzero(target.weights)


def _two_alike(told: np.ndarray, rows: np.ndarray | None, step: int) -> tuple[int, int]:
    """Two rows with the same target, which mostly rule a column of numbers out; else one twice."""
    for place in range(0, (_PROBES[0] - 1) * step, step):
        pair = (place, place + step) if rows is None else (rows[place], rows[place + step])
        if told.item(pair[0]) == told.item(pair[1]):
            return pair
    return 0, 0


def _differ(one: Any, other: Any) -> Any:
    """Whether two values, or those of two arrays, are known and not the same."""
    return (one < other) | (one > other)


def _is_ruled_out(column: Column, values: np.ndarray, target: Target, rows: Any) -> bool:
    """Whether a few rows from everywhere show that the column does not give the target away.

    They are from everywhere because tables are often sorted by class.
    """
    for size in _PROBES:
        picked = _probed(len(values), rows, size)
        some, told = values[picked].tolist(), target.values[picked].tolist()
        if target.classes is None and column.levels is None:
            if _breaks_line(some, told):
                return True
        elif _breaks_pairs(some, told, -math.inf if column.levels is None else 0):
            return True
    return False


def _probed(n_rows: int, rows: Any, size: int) -> Any:
    """About `size` of the rows, evenly spread: a slice, or numbers."""
    step = max(1, (n_rows if rows is None else len(rows)) // size)
    picked = slice(0, step * size, step)
    return picked if rows is None else rows[picked]


def _breaks_pairs(values: list[Any], told: list[Any], least: float) -> bool:
    """Whether a value stands for two targets, or a target for two values."""
    target_of: dict[Any, Any] = {}
    value_of: dict[Any, Any] = {}
    for value, label in zip(values, told, strict=True):
        if not value >= least:
            continue
        if target_of.setdefault(value, label) != label:
            return True
        if value_of.setdefault(label, value) != value:
            return True
    return False


def _breaks_line(values: list[Any], told: list[float]) -> bool:
    """Whether the points do not lie on a line that is neither level nor upright."""
    if values == told:
        return False
    known = [pair for pair in zip(values, told, strict=True) if pair[0] == pair[0]]
    (left, low), (right, high) = min(known, default=(0, 0.0)), max(known, default=(0, 0.0))
    if left == right:
        return low != high
    slope = (high - low) / (right - left)
    for value, number in known:
        line = low + slope * (value - left)
        near = _LOOSE * abs(high - low) + _ROUNDING * (abs(number) + abs(line))
        if not abs(line - number) <= near:
            return True
    return False


def _break_lines(values: np.ndarray, told: np.ndarray) -> np.ndarray:
    """The same as `_breaks_line` of each column of a matrix."""
    told = told[:, np.newaxis]
    with np.errstate(all="ignore"):
        left, right = np.fmin.reduce(values), np.fmax.reduce(values)
        low = np.where(values == left, told, math.inf).min(axis=0)
        high = np.where(values == right, told, -math.inf).max(axis=0)
        line = low + (high - low) / (right - left) * (values - left)
        near = _LOOSE * np.abs(high - low) + _ROUNDING * (np.abs(told) + np.abs(line))
        is_off = ~(np.abs(line - told) <= near) & (values == values)
    is_told = (values == told).all(axis=0)
    breaks: np.ndarray = np.where(left == right, low != high, is_off.any(axis=0)) & ~is_told
    return breaks
