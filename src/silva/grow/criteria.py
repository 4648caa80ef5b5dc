"""The impurities of the textbooks as plain functions, and how two splits compare by them.

The core grows trees with exact integer forms of the same formulas; these functions say what the
formulas mean, and the tests and the documentation compute their figures with them.
`counts` are class counts, weights or probabilities: only their shares matter. 0 log 0 is 0.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

Impurity = Callable[[ArrayLike], float]


def gini(counts: ArrayLike) -> float:
    """1 - sum p^2: how often two rows drawn with replacement differ in class."""
    shares = _shares(counts)
    return float(1.0 - np.sum(shares * shares))


def entropy(counts: ArrayLike, base: float = 2.0) -> float:
    """-sum p log p: in bits, or in nats with `base=math.e`."""
    shares = _shares(counts)
    shares = shares[shares > 0]
    return float(abs(np.sum(shares * np.log(shares)))) / math.log(base)


def error(counts: ArrayLike) -> float:
    """1 - max p: the share of rows that the majority vote gets wrong."""
    return float(1.0 - np.max(_shares(counts)))


def variance(values: ArrayLike, weights: ArrayLike | None = None) -> float:
    """The weighted mean squared distance from the weighted mean."""
    numbers, mass = _values_and_weights(values, weights)
    centred = numbers - np.average(numbers, weights=mass)
    return float(np.average(centred * centred, weights=mass))


def poisson(values: ArrayLike, weights: ArrayLike | None = None) -> float:
    """The weighted mean of y log(y / mean): half the mean Poisson deviance of the mean."""
    numbers, mass = _values_and_weights(values, weights)
    if np.any(numbers < 0):
        raise ValueError(f"poisson needs values of at least 0, saw {float(numbers.min())}")
    largest = float(numbers.max())
    if largest == 0:
        return 0.0
    relative = numbers / largest
    mean = np.average(relative, weights=mass)
    known = relative > 0
    terms = np.zeros_like(relative)
    terms[known] = relative[known] * np.log(relative[known] / mean)
    return max(0.0, float(np.average(terms, weights=mass))) * largest


def weighted_impurity(impurities: ArrayLike, weights: ArrayLike) -> float:
    """The children's impurities averaged by their weights: what a split leaves behind."""
    return float(np.average(np.asarray(impurities, float), weights=np.asarray(weights, float)))


def split_quality(
    parent_impurity: float, child_impurities: ArrayLike, child_weights: ArrayLike
) -> float:
    """How much impurity a split takes away (its gain): parent minus weighted children."""
    return parent_impurity - weighted_impurity(child_impurities, child_weights)


def gain(children: Sequence[ArrayLike], impurity: Impurity = gini) -> float:
    """The gain of splitting a node into `children`, each given by its class counts."""
    counts = np.asarray(children, float)
    parts = [impurity(child) for child in counts]
    return split_quality(impurity(counts.sum(axis=0)), parts, counts.sum(axis=1))


def information_gain(children: Sequence[ArrayLike], base: float = 2.0) -> float:
    """The gain in entropy of splitting a node into `children`, given by their class counts."""
    return gain(children, lambda counts: entropy(counts, base))


def _shares(counts: ArrayLike) -> np.ndarray:
    numbers = np.asarray(counts, float)
    total = numbers.sum()
    if numbers.ndim != 1 or not total > 0 or not np.all(numbers >= 0):
        raise ValueError(f"class counts must be a list of at least one positive number: {counts!r}")
    shares: np.ndarray = numbers / total
    return shares


def _values_and_weights(
    values: ArrayLike, weights: ArrayLike | None
) -> tuple[np.ndarray, np.ndarray]:
    numbers = np.asarray(values, float)
    mass = np.ones(numbers.shape) if weights is None else np.asarray(weights, float)
    return numbers, mass
