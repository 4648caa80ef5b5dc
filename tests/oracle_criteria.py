"""The gains of the oracle: one documented float64 expression each, and the exact fractions."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple


class Stats(NamedTuple):
    """Additive facts of a set of rows: `sums` are the class weights, or the one target sum."""

    rows: int
    weight: int
    sums: tuple[int, ...]

    def __add__(self, other: "Stats") -> "Stats":
        sums = tuple(a + b for a, b in zip(self.sums, other.sums, strict=True))
        return Stats(self.rows + other.rows, self.weight + other.weight, sums)

    def __sub__(self, other: "Stats") -> "Stats":
        sums = tuple(a - b for a, b in zip(self.sums, other.sums, strict=True))
        return Stats(self.rows - other.rows, self.weight - other.weight, sums)


def gini_gain(left: Stats, right: Stats) -> float:
    node = left + right
    total = 0.0
    for of_left, of_node in zip(left.sums, node.sums, strict=True):
        excess = float(of_left * node.weight - of_node * left.weight)
        total += excess * excess
    return divide_by_weights(total, left, right, node)


def squared_error_gain(left: Stats, right: Stats) -> float:
    node = left + right
    excess = float(left.sums[0] * node.weight - node.sums[0] * left.weight)
    return divide_by_weights(excess * excess, left, right, node)


def divide_by_weights(total: float, left: Stats, right: Stats, node: Stats) -> float:
    whole = float(node.weight)
    return total / (float(left.weight) * float(right.weight)) / (whole * whole)


def entropy_gain(left: Stats, right: Stats) -> float:
    node = left + right
    whole = float(node.weight)
    total = 0.0
    for child in (left, right):
        for part, of_node in zip(child.sums, node.sums, strict=True):
            if part > 0:
                lift = (float(part) * whole) / (float(child.weight) * float(of_node))
                total += float(part) * math.log2(lift)
    return max(0.0, total / whole)


def error_gain(left: Stats, right: Stats) -> float:
    node = left + right
    return float(max(left.sums) + max(right.sums) - max(node.sums)) / float(node.weight)


def poisson_gain(left: Stats, right: Stats) -> float:
    node = left + right
    whole, all_sum = float(node.weight), float(node.sums[0])
    total = 0.0
    for child in (left, right):
        part = float(child.sums[0])
        total += part * math.log((part * whole) / (float(child.weight) * all_sum))
    return max(0.0, total / whole)


GAINS: dict[str, Callable[[Stats, Stats], float]] = {
    "gini": gini_gain,
    "entropy": entropy_gain,
    "error": error_gain,
    "squared_error": squared_error_gain,
    "poisson": poisson_gain,
}


def exact_gain(criterion: str, left: Stats, right: Stats) -> Fraction:
    """Impurity of the node less the weighted impurity of its children, as the textbooks write it.

    For `squared_error` the sums must be (first moment, second moment).
    """
    impurity, node = EXACT_IMPURITIES[criterion], left + right
    below = left.weight * impurity(left) + right.weight * impurity(right)
    return impurity(node) - below / node.weight


def exact_gini(stats: Stats) -> Fraction:
    return 1 - sum(Fraction(part, stats.weight) ** 2 for part in stats.sums)


def exact_error(stats: Stats) -> Fraction:
    return 1 - Fraction(max(stats.sums), stats.weight)


def exact_variance(stats: Stats) -> Fraction:
    first, second = stats.sums
    return Fraction(second) / stats.weight - (Fraction(first) / stats.weight) ** 2


EXACT_IMPURITIES: dict[str, Callable[[Stats], Fraction]] = {
    "gini": exact_gini,
    "error": exact_error,
    "squared_error": exact_variance,
}
