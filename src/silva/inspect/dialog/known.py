"""What has been answered about a column, as the set of values that are still possible."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from silva.data.schema import MISSING_CODE, Column
from silva.inspect.record import plain
from silva.inspect.rules.conditions import Interval, Levels

Values = Interval | Levels


@dataclass(frozen=True, slots=True)
class Known:
    """The values of a column that are possible after the answers so far.

    `vague`: no more can be said. Where these values do not decide a question, the row takes the
    way of missing values.
    """

    values: Values
    vague: bool = False


Knowledge = Mapping[int, Known]
"""By the number of the column; a column that nobody asked about is not in it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer: what is known about a column since then.

    `value` is the number or level, None where the answer is a range or set, "I do not know" or
    "another value".
    """

    column: int
    values: Values
    vague: bool = False
    name: str = field(default="", compare=False)
    words: str = field(default="", compare=False)
    value: Any = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.name} is {self.words}"

    def to_dict(self) -> dict[str, Any]:
        """The column's name, the answer in words, and the value if there is one."""
        return {"column": self.name, "words": self.words, "value": plain(self.value)}


def anything(number: int, column: Column) -> Values:
    """Every value that the model takes: a policy of `error` rules out missing or unseen ones."""
    missing = column.missing != "error"
    if column.levels is None:
        return Interval(number, missing=missing)
    return Levels(number, frozenset(range(column.n_levels)), missing, column.unseen != "error")


def nothing_known(values: Values) -> Values:
    """The set of the missing value alone."""
    if isinstance(values, Interval):
        return Interval(values.column, known=False)
    return Levels(values.column, frozenset(), missing=True, unseen=False)


def exactly(number: int, value: float | int, column: Column) -> Values:
    """The set of one number, or of one level by its code."""
    if column.levels is not None:
        return Levels(number, frozenset((int(value),)), missing=False, unseen=False)
    low = None if value == -math.inf else float(value)
    high = None if value == math.inf else math.nextafter(value, math.inf)
    return Interval(number, low, high, missing=False)


def known_part(values: Values) -> Values:
    """The known values of the set."""
    if isinstance(values, Interval):
        return replace(values, missing=False)
    return replace(values, missing=False, unseen=False)


def exact_value(values: Values) -> float | int | None:
    """The number or the code, if it is the only value of the set."""
    if values.missing:
        return None
    if isinstance(values, Levels):
        return None if values.unseen or len(values.codes) != 1 else next(iter(values.codes))
    low = -math.inf if values.low is None else values.low
    high = math.inf if values.high is None else values.high
    one = low == math.inf or (values.high is not None and math.nextafter(low, math.inf) == high)
    return low if values.known and one else None


def lacks_value(known: Known) -> bool:
    """Whether a split of several columns, or a linear model, has to do without the value."""
    values = known.values
    if not (values.known if isinstance(values, Interval) else values.codes):
        return True
    return known.vague and exact_value(values) is None


def cell(known: Known, column: Column) -> float | int:
    """The value in a row of these columns: missing unless it is known exactly."""
    value = exact_value(known.values)
    if value is not None:
        return value
    return math.nan if column.levels is None else MISSING_CODE
