"""Every choice that makes a boosted composition out of one plan, checked once, when it is made."""

from dataclasses import dataclass

from silva.grow.checks import is_real, real, refuse, whole
from silva.grow.plan import SEED_LIMIT


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
        keep(self, "n_estimators", whole("n_estimators", self.n_estimators, 1))
        rate = self.learning_rate
        if is_real(rate) and not rate > 0.0:
            allowed = "use a finite number above 0"
            refuse("learning_rate", rate, allowed, "1.0 is the textbook's AdaBoost.")
        keep(self, "learning_rate", real("learning_rate", rate, 0.0))
        keep(self, "seed", whole("seed", self.seed, 0, SEED_LIMIT - 1))
