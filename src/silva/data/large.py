"""Means of numbers as large as float64 holds, whose sums it does not hold."""

import numpy as np

from silva.errors import DataError

LARGE = 2.0**960
UNIT = 2.0**64
"""Numbers beyond LARGE are added up in multiples of UNIT: no sum of any rows or trees overflows."""


def unit_of(values: np.ndarray) -> float:
    """What sums of such numbers are multiples of: 1.0 unless they are very large, and finite."""
    return UNIT if np.abs(values).max(where=np.isfinite(values), initial=0.0) > LARGE else 1.0


def times(numbers: np.ndarray, unit: float) -> np.ndarray:
    """The multiples of `unit`; what rounding took beyond float64 is its largest number."""
    if unit == 1.0:
        return numbers
    largest = np.finfo(np.float64).max
    with np.errstate(over="ignore"):
        return np.asarray(np.clip(numbers * unit, -largest, largest))


def mean_of(values: np.ndarray, weights: np.ndarray | None) -> float:
    """The weighted mean; rounding does not take it beyond the values."""
    unit = unit_of(values)
    mean = float(np.average(values / unit, weights=weights)) * unit
    return min(max(mean, float(values.min())), float(values.max()))


def too_large_to_square(target: np.ndarray) -> DataError:
    """What to tell about a target whose squared errors no float64 holds."""
    return DataError(
        f"y has values up to {np.abs(target).max():.3g}, whose squared errors are beyond the range"
        " of float64: divide y by a power of ten and fit again."
    )
