"""One axis of a plane: a stretch of numbers, or a band for each level, and a band for missing."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from silva.data.schema import MISSING_CODE, UNSEEN_CODE, Column
from silva.inspect.rules.conditions import Condition, Interval, Levels
from silva.tree import words

Span = tuple[float, float]

MARGIN = 0.04
"""What an axis shows beyond the numbers of the rows, as a part of their range."""
BAND, GAP = 0.09, 0.03
"""Width of the band of missing values beside numbers, and its distance, as parts of the range."""
FEWEST_FLOATS = 1000
"""How many floats an axis of numbers has on each side of its middle, so that bands lie apart."""


@dataclass(frozen=True, slots=True)
class Band:
    """A stretch of the axis that stands for one level, for missing or for unseen values."""

    name: str
    code: int
    low: float
    high: float

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2


@dataclass(frozen=True, eq=False)
class PlaneAxis:
    """A column as an axis of a plane.

    Numbers lie where they are, between `low` and `high`; `bands` then has one entry at most, for
    missing values. Level i of a column with levels is the band from i - 0.5 to i + 0.5.
    """

    number: int
    column: Column
    low: float
    high: float
    bands: tuple[Band, ...]

    @property
    def has_numbers(self) -> bool:
        return self.column.levels is None

    @property
    def limits(self) -> Span:
        """All that the axis shows, bands included."""
        lows = [band.low for band in self.bands]
        highs = [band.high for band in self.bands]
        if self.has_numbers:
            lows, highs = [*lows, self.low], [*highs, self.high]
        return min(lows), max(highs)

    def spans(self, condition: Condition | None, join: bool = True) -> list[Span]:
        """The stretches of the axis on which the condition holds; None holds everywhere.

        Bands side by side are one stretch, unless `join` is False.
        """
        found = [(band.low, band.high) for band in self.bands if _takes(condition, band.code)]
        found = list(_joined(found)) if join else found
        if self.has_numbers:
            low, high = self._numbers(condition)
            found += [(low, high)] if low < high else []
        return found

    def _numbers(self, condition: Condition | None) -> Span:
        if not isinstance(condition, Interval):
            return self.low, self.high
        if not condition.known:
            return self.high, self.low
        low = self.low if condition.low is None else max(self.low, condition.low)
        return low, self.high if condition.high is None else min(self.high, condition.high)

    def places(self, values: np.ndarray) -> np.ndarray:
        """Where values of the column lie (float64); NaN where the axis does not show them."""
        bands = {band.code: band.middle for band in self.bands}
        if not self.has_numbers:
            codes = values.astype(np.int64)
            return np.array([bands.get(code, np.nan) for code in codes.tolist()], dtype=np.float64)
        numbers = values.astype(np.float64)
        shown = np.where((numbers >= self.low) & (numbers <= self.high), numbers, np.nan)
        return np.where(np.isnan(numbers), bands.get(MISSING_CODE, np.nan), shown)

    def cells(self, count: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """The axis in cells, as groups of neighbours: the edges, and a value inside each cell.

        A stretch of numbers has `count` cells of equal width.
        """
        values = np.array([band.code for band in self.bands])
        if not self.has_numbers:
            return [(np.array([self.bands[0].low, *(band.high for band in self.bands)]), values)]
        edges = np.linspace(self.low, self.high, count + 1)
        groups = [(edges, (edges[:-1] + edges[1:]) / 2)]
        return groups + [(np.array([one.low, one.high]), np.array([np.nan])) for one in self.bands]


def number_axis(number: int, column: Column, low: float, high: float, missing: bool) -> PlaneAxis:
    """The axis of a column of numbers that shows at least those between `low` and `high`."""
    middle, half = low / 2 + high / 2, high / 2 - low / 2
    half = half * (1 + 2 * MARGIN) if half > 0 else max(1.0, abs(middle) * MARGIN)
    half = max(half, FEWEST_FLOATS * float(np.spacing(abs(middle))))
    low, high = middle - half, middle + half
    end = low - 2 * half * GAP
    bands = (Band("missing", MISSING_CODE, end - 2 * half * BAND, end),) if missing else ()
    return PlaneAxis(number, column, low, high, bands)


def level_axis(number: int, column: Column, missing: bool, unseen: bool) -> PlaneAxis:
    """The axis of a column with levels: a band each, then those of missing and unseen values."""
    named = [(words.value(level), code) for code, level in enumerate(column.levels or ())]
    named += [("missing", MISSING_CODE)] if missing or not named else []
    named += [("unseen", UNSEEN_CODE)] if unseen else []
    bands = [Band(name, code, at - 0.5, at + 0.5) for at, (name, code) in enumerate(named)]
    return PlaneAxis(number, column, -0.5, len(bands) - 0.5, tuple(bands))


def _takes(condition: Condition | None, code: int) -> bool:
    if condition is None:
        return True
    if code == MISSING_CODE:
        return condition.missing
    assert isinstance(condition, Levels)
    return condition.unseen if code == UNSEEN_CODE else code in condition.codes


def _joined(spans: list[Span]) -> Iterator[Span]:
    """The spans, those that touch made one."""
    start, end = None, None
    for low, high in spans:
        if end is not None and start is not None and low > end:
            yield start, end
            start = None
        start, end = (low if start is None else start), high
    if start is not None and end is not None:
        yield start, end
