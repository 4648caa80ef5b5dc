"""Targets whose sums or squares no float64 holds."""

import numpy as np

from silva.errors import DataError

LARGEST_TARGET = 2.0**960
"""Sums over any rows or trees of numbers up to this one stay within float64."""


def mean_of(values: np.ndarray, weights: np.ndarray | None) -> float:
    """The weighted mean; rounding does not take it beyond the values."""
    mean = float(np.average(values, weights=weights))
    return min(max(mean, float(values.min())), float(values.max()))


def too_large_to_sum(target: np.ndarray) -> DataError:
    """The error for a target with numbers beyond LARGEST_TARGET."""
    return _too_large(target, "sums")


def too_large_to_square(target: np.ndarray) -> DataError:
    """The error for a target whose squared errors no float64 holds."""
    return _too_large(target, "squared errors")


def _too_large(target: np.ndarray, what: str) -> DataError:
    return DataError(
        f"y has values up to {np.abs(target).max():.3g}, whose {what} are beyond the range"
        " of float64: divide y by a power of ten and fit again."
    )
