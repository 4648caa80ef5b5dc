"""Exact arithmetic on the moments of regression leaves, as Python integers.

A moment is stored as a pair (high int64, low 64 bits). Everything here is exact until the one
division at the end, which Python rounds correctly.
"""

import math
import sys
from collections.abc import Iterable

import numpy as np

LOW_BITS = (1 << 64) - 1


def to_integers(pairs: np.ndarray) -> list[int]:
    """The moments as integers."""
    high, low = pairs[:, 0].tolist(), pairs[:, 1].tolist()
    return [(top << 64) | (rest & LOW_BITS) for top, rest in zip(high, low, strict=True)]


def to_pairs(integers: Iterable[int]) -> np.ndarray:
    """The pairs of these integers: int64 (n, 2)."""
    pairs = [(value >> 64, _signed(value & LOW_BITS)) for value in integers]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def mean(total: int, weight: int, center: float, unit: float) -> float:
    """center + total * unit / weight, rounded once; at most the largest finite number."""
    numerator, denominator = center.as_integer_ratio()
    up, down = unit.as_integer_ratio()
    numerator = numerator * down * weight + total * up * denominator
    return _quotient(numerator, denominator * down * weight)


def variance(total: int, squares: int, weight: int, unit: float) -> float:
    """The mean squared deviation from the mean: infinite where float64 ends."""
    spread = _relative_variance(total, squares, weight)
    exponent = 2 * (math.frexp(unit)[1] - 1)
    try:
        return math.ldexp(spread, exponent)
    except OverflowError:
        return math.inf


def deviation(total: int, squares: int, weight: int, unit: float) -> float:
    """The square root of the variance, without its overflow and underflow."""
    return math.sqrt(_relative_variance(total, squares, weight)) * unit


def _relative_variance(total: int, squares: int, weight: int) -> float:
    return max(0, squares * weight - total * total) / (weight * weight)


def _quotient(numerator: int, denominator: int) -> float:
    try:
        return numerator / denominator
    except OverflowError:
        return sys.float_info.max if numerator > 0 else -sys.float_info.max


def _signed(low: int) -> int:
    return low - (1 << 64) if low >> 63 else low
