"""Means over trees, the same bits as the core's (cpp/core/base/mean_sum.hpp).

A sum is two float64 arrays, the sum and what rounding took from it, so that the mean of equal
numbers is that number and no mean leaves the range of its numbers.
"""

from typing import NamedTuple, Self

import numpy as np

from silva import _core

GRID = 1.5 * 2.0**16
"""A share plus this is rounded to a multiple of 2^-36."""


class Sums(NamedTuple):
    """A sum of arrays; `lost` is what its rounding took."""

    sum: np.ndarray
    lost: np.ndarray

    @classmethod
    def none(cls, shape: tuple[int, ...]) -> Self:
        """The sum of no terms."""
        return cls(np.zeros(shape), np.zeros(shape))

    def plus_numbers(self, term: np.ndarray) -> Self:
        """With one more array of numbers, without error (Knuth's TwoSum)."""
        total = self.sum + term
        with np.errstate(invalid="ignore"):
            added = total - self.sum
            lost = self.lost + ((self.sum - (total - added)) + (term - added))
        return type(self)(total, lost)

    def plus_shares(self, term: np.ndarray) -> Self:
        """With one more array of class shares, by multiples of 2^-36 and the rest."""
        coarse = (term + GRID) - GRID
        return type(self)(self.sum + coarse, self.lost + (term - coarse))

    def mean(self, counts: np.ndarray) -> np.ndarray:
        """The sum divided by the counts, which broadcast to it; NaN where they are 0."""
        flat = (np.broadcast_to(part, self.sum.shape).ravel() for part in (*self, counts))
        parts = (np.ascontiguousarray(part, dtype=np.float64) for part in flat)
        return _core.means(*parts).reshape(self.sum.shape)
