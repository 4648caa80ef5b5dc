"""How numbers are written: exactly, with so many digits, or in the short form of a tree."""

from dataclasses import dataclass
from typing import Any

from silva.checks import refuse, whole

SHORT = "short"
SHOWN_DIGITS = 6
"""Minimum significant digits of predictions in the short form."""
ROUNDED = "Some numbers are rounded; digits=None (silva show --digits exact) shows them exactly."
"""The note below a text with rounded thresholds or predictions."""


@dataclass(frozen=True, slots=True)
class Short:
    """The numbers of a tree in few digits.

    `thresholds` has those that have a shorter decimal, by the name of their column; predictions
    have `digits` significant ones.
    """

    thresholds: dict[tuple[str, float], float]
    digits: int = SHOWN_DIGITS

    def threshold(self, column: str, value: float) -> float:
        """The number that is shown for a threshold."""
        return self.thresholds.get((column, value), value)


Digits = int | Short | None
"""Significant digits of numbers in words, the short form of a tree's numbers, or None: exact."""


def checked_digits(digits: Any) -> int | str | None:
    """The parameter `digits` of what users call: a number, "short", or None for exact numbers."""
    if digits is None or (isinstance(digits, str) and digits == SHORT):
        return digits
    if isinstance(digits, str):
        refuse("digits", digits, 'use a whole number, "short", or None for exact numbers')
    return whole("digits", digits, 1)


def plain_digits(digits: Digits) -> int | None:
    """Of numbers without a short form: sums, distances and linear models stay exact."""
    return None if isinstance(digits, Short) else digits
