"""What the search minimises, as integers: weights, costs and the price of a split.

The objective of a tree is its cost per unit of weight plus `leaf_penalty` for each leaf. Decimal
numbers are taken as they are written (0.01 is 1/100), so that most objectives are exact.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from silva import _core
from silva.checks import NO_LIMIT, refuse
from silva.data.table import Target
from silva.errors import PlanError
from silva.messages import shown
from silva.tree.prices import MOST, as_written, whole_prices

COST_BITS = 40
MOST_CLASSES = 2048
"""The search holds a cost for each pair of classes."""


@dataclass(frozen=True, eq=False)
class Objective:
    """Classes, weights and costs of the rows with a weight.

    A row of class k that is told class c costs `weights` * `costs[k, c]`. The value of a tree is
    `unit` * its cost + `penalty` * its splits. `scale` is the value of a tree that costs 1 for each
    unit of weight. `tolerance` bounds what rounding changes in the objective of a tree, and
    `split_tolerance` what each split adds; both are 0 where the integers are exact.
    """

    rows: np.ndarray
    classes: np.ndarray
    n_classes: int
    weights: np.ndarray
    costs: np.ndarray
    unit: int
    penalty: int
    scale: Fraction
    leaf_penalty: float
    tolerance: float
    split_tolerance: float

    def rate(self, value: int) -> float:
        """The objective of a tree of this value, or the bound that this value is."""
        leaf, scale = as_written(self.leaf_penalty), self.scale
        # one division of integers, which Python rounds once, as it does with a fraction
        whole = value * scale.denominator * leaf.denominator + leaf.numerator * scale.numerator
        return whole / (scale.numerator * leaf.denominator)

    def node_costs(self, class_weights: np.ndarray) -> np.ndarray:
        """The cost of nodes by the class of least cost: int64; weights are (nodes, classes)."""
        return np.asarray((class_weights @ self.costs).min(axis=1))

    def class_weights(self, group: np.ndarray, n_groups: int) -> np.ndarray:
        """The weight of each class in groups of rows: int64 (groups, classes)."""
        cell = group * self.n_classes + self.classes
        # float64 sums of these integers are exact: all weights together stay below 2^53
        found = np.bincount(cell, self.weights, minlength=n_groups * self.n_classes)
        return found.astype(np.int64).reshape(n_groups, self.n_classes)


def objective_of(
    target: Target,
    row_weights: np.ndarray | None,
    costs: np.ndarray | None,
    leaf_penalty: float,
    balanced: bool,
) -> Objective:
    """The objective of a bound target; `row_weights` are its weights without class weights.

    Class weights become part of the costs, so that rows of weight 1 stay rows of weight 1, unless
    that needs rounding. With `balanced` they are computed again, without that of float64.
    """
    assert target.classes is not None
    n_classes = len(target.classes)
    _check_classes(n_classes)
    rows = np.arange(len(target.values))
    if target.weights is not None:
        rows = np.flatnonzero(target.weights > 0)
    classes = np.ascontiguousarray(target.values[rows], dtype=np.int32)
    given = None if row_weights is None else row_weights[rows]
    totals = _class_totals(classes, row_units(given, len(rows)), n_classes)
    factors = _class_factors(target.class_weights, totals, balanced)
    priced = _priced_rows(classes, given, factors, costs)
    if priced.rounding and target.weights is not None:
        other = _priced_rows(classes, target.weights[rows], [Fraction(1)] * n_classes, costs)
        priced = min(priced, other, key=lambda one: one.rounding)
    worst = _worst_cost(priced.costs, classes, priced.weights)
    unit, penalty, rounding = _split_price(leaf_penalty, priced.scale, worst, len(rows))
    return Objective(
        rows=rows,
        classes=classes,
        n_classes=n_classes,
        weights=priced.weights,
        costs=priced.costs,
        unit=unit,
        penalty=penalty,
        scale=unit * priced.scale,
        leaf_penalty=leaf_penalty,
        tolerance=priced.rounding,
        split_tolerance=rounding,
    )


def _check_classes(n_classes: int) -> None:
    if n_classes > MOST_CLASSES:
        raise PlanError(
            f"the target has {n_classes:,} classes, and the exact search takes at most"
            f" {MOST_CLASSES:,}: put the labels into groups, or use silva.TreeClassifier."
        )


class _Priced(NamedTuple):
    """Weights and costs as integers, the cost of 1 for all rows, and what rounding has changed."""

    weights: np.ndarray
    costs: np.ndarray
    scale: Fraction
    rounding: float


def _priced_rows(
    classes: np.ndarray,
    row_weights: np.ndarray | None,
    factors: Sequence[Fraction],
    costs: np.ndarray | None,
) -> _Priced:
    """Rows by their weights, and the costs of classes times their factors."""
    weights = row_units(row_weights, len(classes))
    totals = _class_totals(classes, weights, len(factors)).tolist()
    room = min(2**COST_BITS, MOST // sum(totals))
    whole, factor, rounded = _whole_costs(costs, factors, room)
    scale = factor * sum(f * total for f, total in zip(factors, totals, strict=True))
    return _Priced(weights, whole, scale, float(sum(totals) / (2 * scale)) if rounded else 0.0)


def _class_totals(classes: np.ndarray, weights: np.ndarray, n_classes: int) -> np.ndarray:
    return np.bincount(classes, weights, minlength=n_classes).astype(np.int64)


def _worst_cost(costs: np.ndarray, classes: np.ndarray, weights: np.ndarray) -> int:
    totals = _class_totals(classes, weights, len(costs)).astype(object)
    return int((costs.max(axis=1).astype(object) * totals).sum())


def row_units(weights: np.ndarray | None, n_rows: int) -> np.ndarray:
    """The weight of each row as growth counts it, in its unit (int64), without a common divisor."""
    if weights is None:
        return np.ones(n_rows, dtype=np.int64)
    same = np.zeros(n_rows, dtype=np.int32)
    each = np.arange(n_rows, dtype=np.int64)
    units = _core.leaf_statistics(each, n_rows, same, weights, 1, True, 1)["class_weight"]
    return np.asarray(units // np.gcd.reduce(units), dtype=np.int64)


def checked_costs(costs: Any, n_classes: int | None = None) -> np.ndarray | None:
    """The cost matrix as float64, or None; PlanError for anything else."""
    if costs is None:
        return None
    try:
        matrix = np.array(costs, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        refuse("costs", costs, "give a square matrix of numbers, a row for each true class")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        allowed = "give a square matrix, a row for each true class, a column for each prediction"
        refuse("costs", costs, allowed, f"Its shape is {matrix.shape}.")
    _check_entries(matrix)
    if n_classes is not None and len(matrix) != n_classes:
        raise PlanError(
            f"costs has {len(matrix)} rows and columns, and the target has {n_classes} classes:"
            " give one row and one column for each class, in the order of classes_."
        )
    return matrix


def _check_entries(matrix: np.ndarray) -> None:
    wrong = ~(np.isfinite(matrix) & (matrix >= 0))
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        allowed = "costs must be finite and at least 0"
        refuse(f"costs[{row}][{column}]", float(matrix[row, column]), allowed)
    for place, cost in enumerate(np.diag(matrix).tolist()):
        if cost != 0.0:
            refuse(f"costs[{place}][{place}]", cost, "the right class costs 0")
    if not matrix.any() and len(matrix) > 1:
        refuse("costs", matrix.tolist(), "one cost must be above 0")


def _class_factors(
    class_weights: np.ndarray | None, totals: np.ndarray, balanced: bool
) -> list[Fraction]:
    """What the weight of a class is multiplied by; `totals` are the weights of the classes."""
    if balanced:
        return [Fraction(1, total) if total else Fraction(0) for total in totals.tolist()]
    if class_weights is None:
        return [Fraction(1)] * len(totals)
    return [Fraction(weight) for weight in class_weights.tolist()]


def _whole_costs(
    prices: np.ndarray | None, factors: Sequence[Fraction], room: int
) -> tuple[np.ndarray, Fraction, bool]:
    """Costs times class weights as integers, what made them so, and whether they are rounded."""
    if prices is not None:
        return whole_prices(prices, factors, room)
    if all(factor == 1 for factor in factors):
        return 1 - np.eye(len(factors), dtype=np.int64), Fraction(1), False
    rows, scale, rounded = whole_prices(np.ones((len(factors), 1)), factors, room)
    whole = np.repeat(rows, len(factors), axis=1)
    np.fill_diagonal(whole, 0)
    return whole, scale, rounded


def _split_price(
    leaf_penalty: float, scale: Fraction, worst: int, n_rows: int
) -> tuple[int, int, float]:
    """The unit of costs, the price of a split in it, and the rounding error for each split."""
    if leaf_penalty == 0.0:
        return 1, 0, 0.0
    price = as_written(leaf_penalty) * scale
    room = MOST // (worst + n_rows * math.ceil(price) + n_rows)
    if room < 1:
        # no tree with a split is worth such a price: any price above all costs is the same
        return 1, min(worst + 1, math.ceil(price)), 0.0
    unit = price.denominator if price.denominator <= room else 1 << (room.bit_length() - 1)
    penalty = round(price * unit)
    return unit, penalty, float(abs(Fraction(penalty) - price * unit) / (unit * scale))


def memory_bytes(limit: Any) -> int:
    """A number of bytes, also from text such as "1GB" (decimal) or "512MiB" (binary)."""
    if isinstance(limit, str):
        return _parsed_bytes(limit)
    if isinstance(limit, bool) or not isinstance(limit, int | np.integer) or limit < 1:
        refuse("memory_limit", limit, 'use a number of bytes, or text such as "1GB" or "512MiB"')
    return min(int(limit), NO_LIMIT)


_SIZES = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_SIZES |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


def _parsed_bytes(text: str) -> int:
    plain = text.strip()
    number = plain.rstrip("BKMGTIbkmgti ").strip()
    unit = plain[len(number) :].strip().upper()
    try:
        is_immense = float(number) == math.inf
        amount = Fraction(NO_LIMIT) if is_immense else Fraction(number)
    except (ValueError, ZeroDivisionError):
        amount = Fraction(0)
    if amount <= 0 or unit not in _SIZES:
        refuse("memory_limit", text, f'use text such as "1GB" or "512MiB", not {shown(text)}')
    return min(int(amount * _SIZES[unit]), NO_LIMIT)
