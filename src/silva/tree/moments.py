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


def to_floats(pairs: np.ndarray) -> np.ndarray:
    """The moments in float64, to about its last bit."""
    negative = pairs[:, 0] < 0
    size = np.where(negative[:, None], minus(np.zeros_like(pairs), pairs), pairs)
    floats = size[:, 0] * 2.0**64 + low_bits(size)
    return np.asarray(np.where(negative, -floats, floats))


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


def squared_errors(total: np.ndarray, squares: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Sums of squares around the mean, squares - total^2 / weight, in float64.

    Deviations are taken from a whole number q near the mean, in integers of 128 bits:
    squares - total^2 / weight = (squares - q (total + d)) - d^2 / weight with d = total - q weight.
    So nothing is lost where targets are far from 0 and close to each other.
    """
    near = _near_means(total, weight)
    rest = total[:, 1] - near * weight
    around = minus(squares, _times(_plus(total, rest), near))
    found = to_floats(around) - np.square(rest * 1.0) / weight
    return np.asarray(np.maximum(found, 0.0))


def _near_means(total: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Whole numbers (int64) near total / weight."""
    near: np.ndarray = np.rint(to_floats(total) / weight).astype(np.int64)
    rest = total[:, 1] - near * weight
    near += np.rint(rest / weight).astype(np.int64)
    return near


def _plus(pairs: np.ndarray, small: np.ndarray) -> np.ndarray:
    return minus(pairs, of_small(-small))


def _times(pairs: np.ndarray, small: np.ndarray) -> np.ndarray:
    """The products of moments and int64 numbers, as pairs: modulo 2^128."""
    low, other = low_bits(pairs), small.view(np.uint64)
    mask, half = np.uint64(2**32 - 1), np.uint64(32)
    a, b, c, d = low >> half, low & mask, other >> half, other & mask
    middle = a * d + (b * d >> half)
    cross = b * c + (middle & mask)
    high = a * c + (middle >> half) + (cross >> half)
    high += pairs[:, 0].view(np.uint64) * other
    high -= np.where(small < 0, low, np.uint64(0))
    return np.stack((high.view(np.int64), (low * other).view(np.int64)), axis=1)


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
