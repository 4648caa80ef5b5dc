"""A table in the oracle's form: cells, and targets and weights as integers of their units."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from tests.oracle_criteria import Stats
from tests.oracle_fair import CHARGED_FORMS, lone_levels, squares
from tests.oracle_policies import Ask

CONTINUOUS, ORDINAL, CATEGORICAL, BINARY = range(4)
WEIGHT_BITS = 42


@dataclass(frozen=True)
class Rules:
    """The choices of a fit. Zero means "no limit" for `max_depth` and `max_leaf_nodes`."""

    criterion: str = "gini"
    max_depth: int = 0
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    max_leaf_nodes: int = 0
    min_impurity_decrease: float = 0.0
    min_gain: float = 0.0
    breakpoints: bool = False
    category_gain: str = "plain"


@dataclass
class Problem:
    """None is missing, targets (`code_of`) and weights (`weight_of`) are integers."""

    columns: list[list[float | int | None]]
    kinds: list[int]
    asks: list[Ask]
    target: list
    weights: list[Fraction]
    n_classes: int
    rules: Rules
    weight_unit: float = 1.0
    target_unit: float = 1.0
    center: float = 0.0
    weight_of: list[int] = field(default_factory=list)
    code_of: list[int] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)

    @cached_property
    def total_weight(self) -> int:
        return sum(self.weight_of[row] for row in self.kept)

    @cached_property
    def lone(self) -> list[frozenset[int]]:
        """The levels of each column that decide nothing."""
        columns = zip(self.columns, self.asks, strict=True)
        return [
            lone_levels(values, self.kept) if self.is_charged(ask.form) else frozenset()
            for values, ask in columns
        ]

    def is_charged(self, form: str) -> bool:
        return self.rules.category_gain == "fair" and form in CHARGED_FORMS

    @property
    def has_leaf_limits(self) -> bool:
        return self.rules.min_samples_leaf > 1 or self.rules.min_weight_fraction_leaf > 0


def bind(
    columns: Sequence,
    kinds: Sequence[int],
    target: Sequence,
    weights: Sequence[float] | None,
    n_classes: int,
    rules: Rules,
    asks: Sequence[Ask] | None = None,
) -> Problem:
    """Drop rows of weight zero and express weights and targets as integers."""
    target = [value.item() if hasattr(value, "item") else value for value in target]
    given = [1.0] * len(target) if weights is None else weights
    exact = [Fraction(float(weight)) for weight in given]
    known = [known_values(c, k) for c, k in zip(columns, kinds, strict=True)]
    asks = [usual_ask(kind) for kind in kinds] if asks is None else list(asks)
    problem = Problem(known, list(kinds), asks, target, exact, n_classes, rules)
    problem.kept = [row for row, weight in enumerate(exact) if weight > 0]
    problem.weight_of, problem.weight_unit = weight_units(exact, weights is None)
    if n_classes:
        problem.code_of = target
    else:
        problem.code_of, problem.center, problem.target_unit = target_units(problem)
    return problem


def usual_ask(kind: int) -> Ask:
    return Ask("onevsrest" if kind == CATEGORICAL else "threshold")


def known_values(column: Sequence, kind: int) -> list[float | int | None]:
    if kind == CONTINUOUS:
        values = [float(value) + 0.0 for value in column]  # -0.0 becomes 0.0
        return [None if math.isnan(value) else value for value in values]
    return [None if int(code) < 0 else int(code) for code in column]


def weight_units(weights: list[Fraction], unweighted: bool) -> tuple[list[int], float]:
    """Each weight as an integer count of a power of two, exact while the sum fits in 42 bits."""
    if unweighted:
        return [1] * len(weights), 1.0
    positive = [weight for weight in weights if weight > 0]
    unit = min(Fraction(w.numerator & -w.numerator, w.denominator) for w in positive)
    if sum(positive) / unit <= 2**WEIGHT_BITS:
        return [int(weight / unit) for weight in weights], float(unit)
    mantissa, exponent = math.frexp(math.fsum(positive))
    unit = Fraction(2) ** (exponent - WEIGHT_BITS - (mantissa == 0.5))
    return [max(1, round(weight / unit)) if weight else 0 for weight in weights], float(unit)


def target_units(problem: Problem) -> tuple[list[int], float, float]:
    """Each target as an integer count of a power of two above or below the center."""
    kept = [problem.target[row] for row in problem.kept]
    is_count = problem.rules.criterion == "poisson"
    center = 0.0 if is_count else min(kept) / 2 + max(kept) / 2
    reach = max(abs(min(kept) - center), abs(max(kept) - center))
    bits = problem.total_weight.bit_length()
    exponent = max(math.frexp(reach)[1] - (62 - bits if bits <= 22 else 40), -1074)
    units = [
        round(math.ldexp(value - center, -exponent)) if weight > 0 else 0
        for value, weight in zip(problem.target, problem.weights, strict=True)
    ]
    return units, center, math.ldexp(1.0, exponent)


def leaf_value(problem: Problem, rows: list[int]) -> float:
    """The weighted mean of the original targets, exact, rounded once."""
    exact = [(problem.weights[row], Fraction(problem.target[row])) for row in rows]
    total = sum(weight * target for weight, target in exact)
    return float(total / sum(weight for weight, _ in exact))


def stats_of(problem: Problem, rows: Sequence[int]) -> Stats:
    weight_of, code_of = problem.weight_of, problem.code_of
    if problem.n_classes == 0:
        total = sum(weight_of[row] * code_of[row] for row in rows)
        return Stats(len(rows), sum(weight_of[row] for row in rows), (total,))
    by_class = [0] * problem.n_classes
    for row in rows:
        by_class[code_of[row]] += weight_of[row]
    return Stats(len(rows), sum(by_class), tuple(by_class))


def stats_of_nothing(problem: Problem) -> Stats:
    return Stats(0, 0, (0,) * max(1, problem.n_classes))


def spread_of(problem: Problem, rows: Sequence[int]) -> Fraction:
    """Impurity times weight: Gini for classes, squared deviations of the units for numbers."""
    stats = stats_of(problem, rows)
    if problem.n_classes:
        return stats.weight - squares(stats)
    return sum(problem.weight_of[row] * problem.code_of[row] ** 2 for row in rows) - squares(stats)
