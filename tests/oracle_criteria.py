"""The gains of the oracle: one documented float64 expression each, and the exact fractions."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

EPSILON = 2.0**-52


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


def gini_gain(left: Stats, right: Stats, node: Stats) -> float:
    total = 0.0
    for of_left, of_node in zip(left.sums, node.sums, strict=True):
        excess = float(of_left * node.weight - of_node * left.weight)
        total += excess * excess
    return divide_by_weights(total, left, right, node)


def squared_error_gain(left: Stats, right: Stats, node: Stats) -> float:
    excess = float(left.sums[0] * node.weight - node.sums[0] * left.weight)
    return divide_by_weights(excess * excess, left, right, node)


def divide_by_weights(total: float, left: Stats, right: Stats, node: Stats) -> float:
    whole = float(node.weight)
    return total / (float(left.weight) * float(right.weight)) / (whole * whole)


def gini_gain_of_many(children: Sequence[Stats], node: Stats) -> float:
    total = 0.0
    for child in children:
        of_child = 0.0
        for part, of_node in zip(child.sums, node.sums, strict=True):
            excess = float(part * node.weight - of_node * child.weight)
            of_child += excess * excess
        total += of_child / float(child.weight)
    whole = float(node.weight)
    return total / whole / (whole * whole)


def entropy_gain_of(children: Sequence[Stats], node: Stats) -> float:
    whole = float(node.weight)
    total = 0.0
    for child in children:
        for part, of_node in zip(child.sums, node.sums, strict=True):
            if part > 0:
                lift = (float(part) * whole) / (float(child.weight) * float(of_node))
                total += float(part) * math.log2(lift)
    return max(0.0, total / whole)


def error_gain_of(children: Sequence[Stats], node: Stats) -> float:
    return float(sum(max(c.sums) for c in children) - max(node.sums)) / float(node.weight)


def poisson_gain_of(children: Sequence[Stats], node: Stats) -> float:
    whole, all_sum = float(node.weight), float(node.sums[0])
    total = 0.0
    for child in children:
        part = float(child.sums[0])
        total += part * math.log((part * whole) / (float(child.weight) * all_sum))
    return max(0.0, total / whole)


def split_information(children: Sequence[Stats]) -> float:
    """The entropy of the children's shares of the weight, in bits."""
    whole = float(sum(child.weight for child in children))
    shares = [float(child.weight) / whole for child in children]
    return -sum(share * math.log2(share) for share in shares)


def gain_of(criterion: str, children: Sequence[Stats]) -> float:
    """The documented gain of a split into two or more children, before the target's unit."""
    node = children[0]
    for child in children[1:]:
        node += child
    if len(children) == 2 and criterion in GAINS_OF_TWO:
        return GAINS_OF_TWO[criterion](*children, node)
    return GAINS_OF_MANY[criterion](children, node)


def noise_of(criterion: str, node: Stats) -> float:
    """What rounding can add to or take from a gain: sums of logarithms cancel, squares do not."""
    if criterion in ("entropy", "gain_ratio"):
        return 16 * EPSILON
    return 16 * EPSILON * node.sums[0] / node.weight if criterion == "poisson" else 0.0


GAINS_OF_TWO: dict[str, Callable[[Stats, Stats, Stats], float]] = {
    "gini": gini_gain,
    "squared_error": squared_error_gain,
}
GAINS_OF_MANY: dict[str, Callable[[Sequence[Stats], Stats], float]] = {
    "gini": gini_gain_of_many,
    "entropy": entropy_gain_of,
    "gain_ratio": entropy_gain_of,
    "error": error_gain_of,
    "squared_error": gini_gain_of_many,
    "poisson": poisson_gain_of,
}


def exact_gain(criterion: str, *children: Stats) -> Fraction:
    """Impurity of the node less the weighted impurity of its children, as the textbooks write it.

    For `squared_error` the sums must be (first moment, second moment).
    """
    impurity, node = EXACT_IMPURITIES[criterion], children[0]
    for child in children[1:]:
        node += child
    below = sum(child.weight * impurity(child) for child in children)
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
