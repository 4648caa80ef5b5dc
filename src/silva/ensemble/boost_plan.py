"""Every choice that makes a boosted composition out of one plan, checked once, when it is made."""

from dataclasses import dataclass
from typing import Any

from silva.checks import as_float, is_real, refuse, whole
from silva.ensemble.plan import n_trees
from silva.grow.plan import SEED_LIMIT

LEAST_RATE = 1e-100
"""Beyond it, and beyond one over it, sums of votes could vanish or overflow."""


@dataclass(frozen=True, slots=True)
class BoostPlan:
    """How many trees at most, and how much each of them counts.

    learning_rate: what the votes of every tree are multiplied by; below 1, rows change their
        weights more slowly, and more trees are needed.
    seed: that of the trees' own random choices, if they make any.
    """

    n_estimators: int = 50
    learning_rate: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        keep = object.__setattr__
        keep(self, "n_estimators", n_trees(self.n_estimators))
        keep(self, "learning_rate", _rate(self.learning_rate))
        keep(self, "seed", whole("seed", self.seed, 0, SEED_LIMIT - 1))


def _rate(value: Any) -> float:
    if not is_real(value) or not LEAST_RATE <= as_float(value) <= 1.0 / LEAST_RATE:
        allowed = f"use a number above 0, from {LEAST_RATE:g} to {1.0 / LEAST_RATE:g}"
        refuse("learning_rate", value, allowed, "1.0 is the textbook's AdaBoost.")
    return float(value)
