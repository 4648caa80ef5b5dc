"""Pessimistic pruning as C4.5 does it: leaves expect more errors than they made in training."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import gammaincinv

from silva.checks import Settings, as_float, check_flag, is_real, refuse
from silva.prune.bottom_up import rows_for_raising
from silva.prune.costs import ratio, training_costs
from silva.prune.evidence import Evidence, LooksAtValidation
from silva.prune.generic import Figures, Walk, least, walked
from silva.prune.record import Pruned
from silva.tree.tree import Tree

SHARES = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
DEVIATES = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)
"""C4.5's table of the normal distribution: the deviate that a share of it exceeds."""

FEWER_ROWS = 0.1
"""C4.5 takes the smaller tree unless the larger expects a tenth of a row fewer errors."""

PARTS = 30
"""Estimates are whole multiples of 2^-30 of a row, or of the root's squared error."""

HOPELESS = 1e6


@dataclass(frozen=True, slots=True)
class Pessimistic(Settings):
    """Make a node a leaf, or raise a child's subtree, if the estimated errors say so.

    Classes: a leaf of weight n with e errors is expected to make n times the upper limit of a
    binomial share at `confidence`, as C4.5 computes it: 1 - confidence^(1/n) for no errors, the
    normal approximation with a correction for continuity from one error on, and a straight line
    between the two; deviates by C4.5's table. A leaf replaces its subtree, and a child's subtree
    its parent, unless the larger tree is expected to make a tenth of a row fewer errors. C4.5
    raises only the heaviest child's subtree; here every child's is tried.

    Numbers: the squared error of a leaf is expected at the upper limit of the variance at
    `confidence` for normal targets, and its mean is not exact: (n + 1) * errors / chi2, chi2 being
    that share's quantile at n - 1 degrees of freedom. A leaf of one row has no limit and counts
    as a million times the root's error.
    """

    confidence: float = 0.25
    raising: bool = True

    looks_at_validation: ClassVar[LooksAtValidation] = "never"

    def __post_init__(self) -> None:
        check_flag("raising", self.raising)
        if not is_real(self.confidence) or not 0.0 < as_float(self.confidence) < 1.0:
            refuse("confidence", self.confidence, "use a number above 0 and below 1")
        object.__setattr__(self, "confidence", float(self.confidence))

    def __call__(self, tree: Tree, evidence: Evidence) -> Pruned:
        rows = rows_for_raising(tree, evidence, "Pessimistic", self.raising)
        costs = training_costs(tree)
        is_classes = tree.task == "classification"

        def leaf_cost(cost: list[int], weight: list[int]) -> list[int]:
            return estimates(tree, costs.leaf[0], cost, weight, self.confidence)

        def judge(trials: list[Figures], _: object) -> list[float]:
            return [one.cost / 2**PARTS for one in trials]

        walk = Walk(tree, costs, rows, leaf_cost, threads=evidence.threads)
        measure = "estimated errors" if is_classes else "estimated share of the root's error"
        return walked(self, tree, walk, judge, measure, as_c45 if is_classes else least)


def estimates(
    tree: Tree, root: int, cost: list[int], weight: list[int], confidence: float
) -> list[int]:
    """What leaves of these costs and weights are expected to cost, in parts of 2^-30.

    Parts of a row for classes; for numbers, of the root's cost.
    """
    n = np.array(weight) * tree.weight_unit
    if tree.task == "classification":
        return _in_parts(expected_errors(n, np.array(cost) * tree.weight_unit, confidence))
    shares = np.array([ratio(one, root, 0) for one in cost])
    return _in_parts(expected_squares(n, shares, confidence))


def expected_errors(n: np.ndarray, errors: np.ndarray, confidence: float) -> np.ndarray:
    """The errors that C4.5 expects of leaves of weight n (float64)."""
    return np.asarray(errors + added_errors(n, errors, confidence))


def added_errors(n: np.ndarray, errors: np.ndarray, confidence: float) -> np.ndarray:
    """The errors that C4.5 expects of leaves of weight n beyond those they made (float64)."""
    squared = float(np.interp(confidence, SHARES, DEVIATES)) ** 2
    none = -n * np.expm1(math.log(confidence) / n)
    one = _beyond_one_error(n, np.ones_like(n), squared)
    between = none + errors * (one - none)
    many = _beyond_one_error(n, errors, squared)
    some = np.where(errors < 0.9999, between, many)
    return np.asarray(np.where(errors < 1e-6, none, some))


def expected_squares(n: np.ndarray, errors: np.ndarray, confidence: float) -> np.ndarray:
    """The squared error expected of leaves of weight n, at most what is hopeless (float64)."""
    freedom = np.maximum(n - 1.0, 0.0)
    different, place = np.unique(freedom, return_inverse=True)
    chi2 = 2.0 * gammaincinv(np.maximum(different, 1e-300) / 2.0, confidence)[place]
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        limit = (n + 1.0) * errors / chi2
    known = (freedom > 0.0) & (limit < HOPELESS)
    return np.asarray(np.where(known, limit, HOPELESS))


def as_c45(values: list[float]) -> int:
    """C4.5's choice among a leaf, the children's subtrees and the tree as it is."""
    leaf, *raised, kept = values
    best = min(raised, default=math.inf)
    if leaf <= best + FEWER_ROWS and leaf <= kept + FEWER_ROWS:
        return 0
    return 1 + raised.index(best) if best <= kept + FEWER_ROWS else len(values) - 1


def _beyond_one_error(n: np.ndarray, errors: np.ndarray, squared: float) -> np.ndarray:
    """The upper limit of a share by the normal approximation, times n, less the errors."""
    half = errors + 0.5
    spread = np.maximum(half * (1.0 - half / n) + squared / 4.0, 0.0)
    limit = (half + squared / 2.0 + np.sqrt(squared * spread)) / (n + squared)
    return np.asarray(np.where(half >= n, 0.67 * (n - errors), n * limit - errors))


def _in_parts(estimates: np.ndarray) -> list[int]:
    parts: list[int] = np.rint(np.ldexp(estimates, PARTS)).astype(np.int64).tolist()
    return parts
