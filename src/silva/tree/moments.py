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
    if (pairs[:, 0] == pairs[:, 1] >> 63).all():
        small: list[int] = pairs[:, 1].tolist()
        return small
    high, low = pairs[:, 0].tolist(), low_bits(pairs).tolist()
    return [(top << 64) | rest for top, rest in zip(high, low, strict=True)]


def of_small(integers: np.ndarray) -> np.ndarray:
    """The pairs of int64 numbers."""
    return np.stack((integers >> 63, integers), axis=1)


def low_bits(pairs: np.ndarray) -> np.ndarray:
    """The low 64 bits of each moment (uint64)."""
    return np.ascontiguousarray(pairs[:, 1]).view(np.uint64)


def running(pairs: np.ndarray) -> np.ndarray:
    """The sums of the first 0, 1, ... moments, as pairs: int64 (n + 1, 2)."""
    sums = np.zeros((len(pairs) + 1, 2), dtype=np.int64)
    low = np.cumsum(low_bits(pairs))
    carries = np.cumsum(low < low_bits(pairs))
    sums[1:, 0] = np.cumsum(pairs[:, 0]) + carries
    sums[1:, 1] = low.view(np.int64)
    return sums


def minus(pairs: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The differences of moments, as pairs: int64 (n, 2)."""
    low, other_low = low_bits(pairs), low_bits(others)
    borrow = low < other_low
    found = np.empty((len(pairs), 2), dtype=np.int64)
    found[:, 0] = pairs[:, 0] - others[:, 0] - borrow
    found[:, 1] = (low - other_low).view(np.int64)
    return found


def to_pairs(integers: Iterable[int]) -> np.ndarray:
    """The pairs of these integers: int64 (n, 2)."""
    pairs = [(value >> 64, _signed(value & LOW_BITS)) for value in integers]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def between(pairs: np.ndarray, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """The sums of the moments from `first` to before `last`, as pairs: int64 (n, 2)."""
    sums = running(pairs)
    return minus(sums[last], sums[first])


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
