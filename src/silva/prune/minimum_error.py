"""Minimum error pruning (Niblett and Bratko; with Cestnik's m-estimate)."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from silva.checks import Settings, real
from silva.prune.costs import GRID_BITS, Costs, answers, ratio, training_costs
from silva.prune.evidence import Evidence, LooksAtValidation
from silva.prune.record import Pruned, StepLog
from silva.prune.walk import additive_walk
from silva.tree import stats
from silva.tree.tree import MomentStats, Tree


@dataclass(frozen=True, slots=True)
class MinimumError(Settings):
    """Make a node a leaf if its expected error is not above that of its subtree.

    The expected error of a leaf of weight n is (n * own + m * prior) / (n + m): `own` is the error
    of its answer on its own training rows, `prior` that of the same answer on all of them. A
    subtree's is the mean of its children's by weight. For classes this is 1 - (n_c + m p_c) /
    (n + m) with the answer c, for numbers the same with squared errors.
    """

    m: float = 2.0

    looks_at_validation: ClassVar[LooksAtValidation] = "never"

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", real("m", self.m, 0.0))

    def __call__(self, tree: Tree, evidence: Evidence) -> Pruned:
        costs = training_costs(tree)
        expected = expected_costs(tree, costs, self.m)
        scale = costs.exponent - GRID_BITS

        def error(cost: int) -> float:
            return ratio(cost, costs.weight[0], scale)

        value = sum(expected[leaf] for leaf in np.flatnonzero(tree.is_leaf).tolist())
        log = StepLog(self, tree, "m-estimate of the error", error(value))
        for node, fewer, rise in additive_walk(tree, expected, rounded=True):
            value += rise
            log.add(node, "collapse", fewer, error(value), "expects no more errors as a leaf")
        return log.collapsed()


def expected_costs(tree: Tree, costs: Costs, m: float) -> list[int]:
    """The expected cost of each node as a leaf, n * (own + m prior) / (n + m), times 2^32.

    Rounded down once to an integer, so that subtrees of equal expectation are equal.
    """
    own, weight = costs.leaf, costs.weight
    whole = weight[0]
    up, down = (Fraction(m) / Fraction(tree.weight_unit)).as_integer_ratio()
    facts = zip(own, _costs_of_answers(tree, own[0], weight), weight, strict=True)
    return [
        (n * (cost * whole * down + up * prior) << GRID_BITS) // ((n * down + up) * whole)
        for cost, prior, n in facts
    ]


def _costs_of_answers(tree: Tree, root: int, weight: list[int]) -> list[int]:
    """What each node's answer would cost on all training rows."""
    if isinstance(tree.leaf_stats, MomentStats):
        total = stats.node_sums(tree)[0]
        s, w = total[0], weight[0]
        pairs = zip(total, weight, strict=True)
        return [root + ((((s * n - t * w) ** 2) << GRID_BITS) // (w * n * n)) for t, n in pairs]
    shares = stats.node_class_units(tree, np.array([0]))[0]
    prior: list[int] = (weight[0] - shares[answers(tree)[0]]).tolist()
    return prior
