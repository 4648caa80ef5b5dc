"""Numbers and dates that probably stand for missing values, such as -999 or 1900-01-01.

Evidence is needed besides the value: it is the smallest or the largest of its column, occurs again
and again, and is far from all others.
"""

from typing import NamedTuple

import numpy as np

from silva.data.schema import Column
from silva.data.time_words import written

FEWEST_ROWS = 20
FEWEST_OTHERS = 3
MANY_OTHERS = 10
"""Fewer different values are codes, among which a far one may be as good as the others."""
LEAST_SHARE_OF_ZERO = 0.005
MOST_MARKS = 3
_NEAR = 2.0
_DAYS = (
    *("0001-01-01", "1600-01-01", "1601-01-01", "1753-01-01", "1800-01-01", "1899-12-30"),
    *("1899-12-31", "1900-01-01", "1900-01-02", "1901-01-01", "1904-01-01", "1970-01-01"),
    *("2099-12-31", "2100-01-01", "2199-12-31", "2999-12-31", "3000-01-01", "9999-12-31"),
)


class Mark(NamedTuple):
    """A value that probably means missing, its rows, and the range of the other values."""

    value: float
    rows: int
    low: float
    high: float


class _End(NamedTuple):
    """The smallest or largest value of a column beside the others, in ascending order."""

    value: float
    rows: int
    neighbor_rows: int
    others: np.ndarray
    other_rows: np.ndarray
    share: float

    @property
    def gap(self) -> float:
        return float(min(abs(self.others[0] - self.value), abs(self.others[-1] - self.value)))

    @property
    def spread(self) -> float:
        return float(self.others[-1] - self.others[0])

    @property
    def is_isolated(self) -> bool:
        """Whether no gap between the other values is nearly as wide."""
        return self.gap > _NEAR * float(np.diff(self.others).max())

    @property
    def middle_half(self) -> float:
        """The range of the middle half of the other rows."""
        return float(np.subtract(*self._quantiles(0.75, 0.25)))

    def _quantiles(self, *shares: float) -> np.ndarray:
        places = np.cumsum(self.other_rows)
        found: np.ndarray = self.others[np.searchsorted(places, np.array(shares) * places[-1])]
        return found


def marks(column: Column, values: np.ndarray) -> list[Mark]:
    """The values of a column of numbers or dates that probably stand for missing ones."""
    known = values[np.isfinite(values)].astype(np.float64)
    if column.levels is not None or len(known) < FEWEST_ROWS:
        return []
    distinct, rows = np.unique(known, return_counts=True)
    found: list[Mark] = []
    while len(found) < MOST_MARKS and len(distinct) > FEWEST_OTHERS:
        place = next((at for at in (0, -1) if _is_mark(column, _end(distinct, rows, at))), None)
        if place is None:
            break
        rest = slice(1, None) if place == 0 else slice(None, -1)
        mark = float(distinct[place]), int(rows[place])
        distinct, rows = distinct[rest], rows[rest]
        found.append(Mark(*mark, 0.0, 0.0))
    return [one._replace(low=float(distinct[0]), high=float(distinct[-1])) for one in found]


def _end(distinct: np.ndarray, rows: np.ndarray, place: int) -> _End:
    rest = slice(1, None) if place == 0 else slice(None, -1)
    count = int(rows[place])
    share = count / int(rows.sum())
    others, other_rows = distinct[rest], rows[rest]
    return _End(float(distinct[place]), count, int(other_rows[place]), others, other_rows, share)


def _is_mark(column: Column, end: _End) -> bool:
    if end.rows < 2:
        return False
    if column.time is not None:
        is_day = written(column.time, end.value)[:10] in _DAYS
        return is_day and end.is_isolated and len(end.others) >= MANY_OTHERS
    return any(test(end) for test in _TESTS) and end.value.is_integer()


def _is_minus_one(end: _End) -> bool:
    """-1 beside numbers that are never negative; frequent, or zero does not occur."""
    is_odd = end.rows > end.neighbor_rows or end.others[0] >= 1.0
    return end.value == -1.0 and bool(end.others[0] >= 0.0) and is_odd


def _is_negative_nines(end: _End) -> bool:
    """-9, -99, -999 and so on, also of eights and sevens, below all numbers or far from them."""
    is_far = bool(end.others[0] >= 0.0) or end.gap >= end.spread
    return end.value < -1.0 and _repeats_a_digit(end.value, "987") and is_far


def _is_nines(end: _End) -> bool:
    """99, 999 and so on above all others, and not near to them."""
    if not (end.value >= 99.0 and _repeats_a_digit(end.value, "9")):
        return False
    return end.is_isolated and end.gap >= end.middle_half / 2.0


def _is_odd_zero(end: _End) -> bool:
    """Zero far below many positive numbers, as a blood pressure of 0."""
    is_below = end.value == 0.0 and bool(end.others[0] > 0.0) and end.share >= LEAST_SHARE_OF_ZERO
    if not is_below or len(end.others) < 2 * MANY_OTHERS:
        return False
    return end.is_isolated and end.gap >= end.middle_half


def _is_far(end: _End) -> bool:
    """Any whole number that is farther from the others than twice their range, repeatedly."""
    return end.rows > 2 and len(end.others) >= MANY_OTHERS and end.gap >= 2.0 * end.spread


_TESTS = (_is_minus_one, _is_negative_nines, _is_nines, _is_odd_zero, _is_far)


def _repeats_a_digit(value: float, digits: str) -> bool:
    text = f"{abs(value):.0f}"
    return len(set(text)) == 1 and text[0] in digits
