"""Thresholds and predictions in few digits, for reading, that still mean the same."""

import math
from typing import Any

import numpy as np

from silva.tree.numerals import SHORT, Digits, Short
from silva.tree.tree import Tree
from silva.tree.view import TreeView, mean_digits

NEAR = 1e-9
"""How far a threshold may move, as a share of its size and of the range of its column."""
NEAR_ALONE = 1e-12
"""The same where the range is unknown."""
FEWEST_DIGITS = 8
"""The nearest decimal of so many digits is also the nearest shorter one, if that is so near."""
NOISE_ULPS = 4
"""A decimal so near is what a binary fraction was rounded from, or as good."""
LARGEST_MOVE = 1e-7
"""Less than a cent or a millisecond, so that thresholds still separate such values."""


def digits_of(digits: int | str | None, tree: Tree, facts: Any = None) -> Digits:
    """The digits that users ask for, about one tree and its training columns."""
    return short_numbers(tree, facts) if digits == SHORT else digits  # type: ignore[return-value]


def short_numbers(tree: Tree, facts: Any = None) -> Short:
    """Predictions and thresholds in few digits; `facts` are those of the training columns.

    A threshold becomes the shortest decimal within a billionth of its size and of the range of its
    column (of its thresholds, where no facts are known), and at most 1e-7 away. Thresholds of a
    column stay different, in order, and between the least and the largest training value; whole
    numbers stay as they are.
    """
    found: dict[tuple[str, float], float] = {}
    table = tree.thresholds
    for number in np.unique(table.column).tolist():
        column = tree.schema.columns[number]
        if column.levels is None and column.time is None:
            own = np.unique(table.threshold[table.column == number])
            exact = own[np.isfinite(own)].tolist()
            limits = (math.nan, math.nan)
            if facts is not None:
                limits = float(facts.low[number]), float(facts.high[number])
            pairs = zip(exact, _shortened(exact, *limits), strict=True)
            found |= {(column.name, one): shown for one, shown in pairs if shown != one}
    return Short(found, mean_digits(TreeView(tree)[0]))


def _shortened(exact: list[float], low: float, high: float) -> list[float]:
    """Ascending thresholds of a column in few digits, still ascending."""
    is_known = low < high
    span = high - low if is_known else exact[-1] - exact[0] if exact else 0.0
    shown = [_shortest(one, span) for one in exact]
    if is_known:
        pairs = zip(exact, shown, strict=True)
        shown = [short if low < short <= high else one for one, short in pairs]
    while meet := [at for at in range(len(shown) - 1) if shown[at] >= shown[at + 1]]:
        for at in meet:
            shown[at : at + 2] = exact[at : at + 2]
    return shown


def _shortest(value: float, span: float) -> float:
    if value.is_integer():
        return value
    size = abs(value)
    near = min(LARGEST_MOVE, NEAR * min(size, span) if span > 0.0 else NEAR_ALONE * size)
    near = max(near, NOISE_ULPS * math.ulp(value))
    forms = (float(f"{value:.{digits}g}") for digits in range(FEWEST_DIGITS, 17))
    return next((form for form in forms if abs(form - value) <= near), value)
