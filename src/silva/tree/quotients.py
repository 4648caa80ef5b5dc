"""Means of exact sums, rounded once to float64, for many nodes at a time.

Quotients are computed to about 100 bits as unevaluated sums of two float64 (Dekker, "A
floating-point technique for extending the available precision", 1971). Where the error that is left
could decide the rounding (a rare case), or numbers are too large or too small for this, the
quotient is computed in Python's integers instead.
"""

import numpy as np

from silva.tree import moments

SPLITTER = float(2**27 + 1)
QUOTIENT_ERROR = 2.0**-98
SUM_ERROR = 2.0**-51
LARGEST, SMALLEST = 2.0**400, 2.0**-400


def means(totals: np.ndarray, weights: np.ndarray, center: float, unit: float) -> np.ndarray:
    """center + total * unit / weight for pairs of totals and int64 weights, each rounded once.

    `unit` is a power of two.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        found, is_sure = _rounded(totals, weights, center, unit)
    in_doubt = np.flatnonzero(~is_sure)
    pairs = zip(moments.to_integers(totals[in_doubt]), weights[in_doubt].tolist(), strict=True)
    found[in_doubt] = [moments.mean(total, weight, center, unit) for total, weight in pairs]
    return found


def _rounded(
    totals: np.ndarray, weights: np.ndarray, center: float, unit: float
) -> tuple[np.ndarray, np.ndarray]:
    """The means, and whether each is the same wherever in its error's range the true one lies."""
    high, low = _divided(*_doubles(totals), weights.astype(np.float64))
    high, low = high * unit, low * unit
    upper, rest = _sum(np.full(len(high), center), high)
    lower = rest + low
    error = np.abs(lower) * SUM_ERROR + np.abs(high) * QUOTIENT_ERROR
    found = upper + (lower - error)
    return found, (found == upper + (lower + error)) & _is_safe(totals, high, center)


def _is_safe(totals: np.ndarray, quotient: np.ndarray, center: float) -> np.ndarray:
    """Whether nothing was near the ends of float64, and no bits were lost on the way in."""
    size = np.abs(quotient)
    safe: np.ndarray = (size == 0.0) | ((size > SMALLEST) & (size < LARGEST))
    safe &= np.abs(totals[:, 0]) < 2**36
    return safe & (center == 0.0 or SMALLEST < abs(center) < LARGEST)


def _doubles(pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of 64 bits, of which 100 are in use, as sums of two float64."""
    low = moments.low_bits(pairs)
    top = pairs[:, 0] * 2.0**64
    middle, rest = (low >> np.uint64(32)) * 2.0**32, (low & np.uint64(2**32 - 1)) * 1.0
    high, below = _sum(top, middle)
    return _sum(high, below + rest)


def _divided(high: np.ndarray, low: np.ndarray, by: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    first = high / by
    product, error = _product(first, by)
    return first, (((high - product) - error) + low) / by


def _sum(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a + b and the error of it: exact (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _product(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a * b and the error of it: exact (Dekker)."""
    product = a * b
    a_high, a_low = _halves(a)
    b_high, b_low = _halves(b)
    error = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)
    return product, error


def _halves(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a as a sum of two numbers of 26 bits."""
    scaled = SPLITTER * a
    high = scaled - (scaled - a)
    return high, a - high
