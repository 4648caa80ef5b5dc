"""Prices as integers, so that sums of them are exact and rounding decides no prediction.

Decimal numbers are taken as they are written: 0.01 is 1/100.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

MOST = 2**60
"""No sum of prices may be larger."""


class Whole(NamedTuple):
    """Prices as integers, what 1 is in them, and whether that needed rounding."""

    prices: np.ndarray
    scale: Fraction
    is_rounded: bool


def whole_prices(prices: np.ndarray, factors: Sequence[Fraction], room: int) -> Whole:
    """Rows of prices, each times its factor, as integers of which none is larger than `room`."""
    different, place = np.unique(prices, return_inverse=True)
    exact = list(map(as_written, different.tolist()))
    products = {factor: [price * factor for price in exact] for factor in set(factors)}
    every = [product for some in products.values() for product in some]
    if not max(every):
        return Whole(np.zeros(prices.shape, dtype=np.int64), Fraction(1), False)
    scale = _common_scale(every, room / max(every))
    whole = {
        factor: np.array([round(product * scale) for product in some], dtype=np.int64)
        for factor, some in products.items()
    }
    rows = zip(place.reshape(prices.shape), factors, strict=True)
    is_rounded = any((product * scale).denominator > 1 for product in every)
    return Whole(np.array([whole[factor][row] for row, factor in rows]), scale, is_rounded)


def as_written(number: float) -> Fraction:
    """The number as it is written in decimals."""
    if number.is_integer():
        return Fraction(int(number))
    return Fraction(repr(float(number)))


def _common_scale(numbers: Sequence[Fraction], most: Fraction) -> Fraction:
    """What makes all numbers integers without a common divisor; at most `most`, then rounded."""
    denominator = math.lcm(*(number.denominator for number in numbers))
    divisor = math.gcd(*(int(number * denominator) for number in numbers))
    exact = Fraction(denominator, divisor)
    return exact if exact <= most else most
