"""Every choice that makes many trees out of one plan, checked once, when it is made."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from silva.checks import as_float, check_choice, is_real, is_whole, near, real, refuse, whole
from silva.data.table import Task
from silva.errors import PlanError
from silva.grow.plan import SEED_LIMIT
from silva.messages import shown

MOST_TREES = 2**31 - 1
VOTES = ("soft", "hard")
COMBINERS: dict[Task, tuple[str, ...]] = {"classification": VOTES, "regression": ("mean",)}
DISTINCT_SHARE = 1.0 - math.exp(-1.0)
MOST_DRAWS = 2**32 - 1
ROWS = "training rows of positive weight, and each is drawn once (bootstrap=True draws with copies)"

Metric = Callable[[np.ndarray, np.ndarray], Any]
"""A score of true and predicted targets, in this order: labels or numbers."""


@dataclass(frozen=True, slots=True)
class EarlyStop:
    """Stop when `patience` trees have raised the out-of-bag score by `tol` or less."""

    patience: int = 50
    tol: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "patience", whole("n_iter_no_change", self.patience, 1))
        object.__setattr__(self, "tol", real("tol", self.tol, 0.0))


@dataclass(frozen=True, slots=True)
class ForestPlan:
    """How many trees, what each of them sees, and how their answers become one.

    bootstrap: True draws rows with replacement, "subsample" without; False gives every tree all.
    max_samples: how many draws: a number, a fraction of the rows of positive weight, or None: as
        many draws as rows with replacement, 63.2% of the rows without (a bootstrap sample of many
        rows holds so many different ones). With replacement there may be more draws than rows.
    max_columns: how many columns each tree may ask about, or a fraction of them.
    bootstrap_columns: whether columns are drawn with replacement; repeated ones count once.
    balanced: whether the classes of each tree's own sample are weighted to equal totals.
    vote: "soft" averages class probabilities, "hard" counts each tree's likeliest class.
    oob: whether each row is answered by the trees that did not see it.
    metric: the out-of-bag score, a function of true and predicted targets (larger is better);
        None for accuracy or R².
    early_stop: when to stop before `n_estimators`; brings `oob` with it.
    keep_interrupted: whether Ctrl-C ends growth with the finished trees instead of an exception.
    """

    n_estimators: int = 100
    bootstrap: bool | str = True
    max_samples: int | float | None = None
    max_columns: int | float = 1.0
    bootstrap_columns: bool = False
    balanced: bool = False
    seed: int = 0
    vote: str = "soft"
    oob: bool = False
    metric: Metric | None = None
    early_stop: EarlyStop | None = None
    keep_interrupted: bool = False

    def __post_init__(self) -> None:
        keep = object.__setattr__
        keep(self, "n_estimators", n_trees(self.n_estimators))
        keep(self, "bootstrap", _bootstrap(self.bootstrap))
        keep(self, "max_samples", _max_samples(self.max_samples, self.bootstrap))
        keep(self, "max_columns", _amount("max_features", self.max_columns, "columns"))
        keep(self, "bootstrap_columns", bool(self.bootstrap_columns))
        keep(self, "seed", whole("seed", self.seed, 0, SEED_LIMIT - 1))
        check_choice("vote", self.vote, VOTES)
        _check_out_of_bag(self)
        keep(self, "oob", bool(self.oob) or self.early_stop is not None)

    @property
    def sampling(self) -> str:
        """The core's word for what a tree sees: `bootstrap`, `subsample` or `all`."""
        if self.bootstrap is False:
            return "all"
        return "bootstrap" if self.bootstrap is True else "subsample"

    @property
    def is_random(self) -> bool:
        """Whether trees differ in their rows or columns."""
        draws_columns = self.max_columns != 1.0 or self.bootstrap_columns
        return self.bootstrap is not False or draws_columns

    def combiner(self, task: Task) -> str:
        """How a forest of this plan answers."""
        return "mean" if task == "regression" else self.vote

    def draws(self, n_rows: int) -> int:
        """How many of `n_rows` rows of positive weight are drawn for each tree."""
        amount = self.max_samples
        if amount is None:
            amount = DISTINCT_SHARE if self.sampling == "subsample" else n_rows
        most = MOST_DRAWS if self.sampling == "bootstrap" else n_rows
        draws = min(amount * n_rows, most + 1.0) if isinstance(amount, float) else amount
        if draws > most:
            raise PlanError(f"max_samples={shown(amount)} {self._too_many(most)}, or None.")
        return max(1, round(draws))

    def _too_many(self, most: int) -> str:
        if self.sampling == "bootstrap":
            return f"asks for more draws than a tree can have: use at most {most}"
        return f"is more than the {most} {ROWS}: use at most {most}, a fraction (0 < fraction <= 1)"

    def columns_drawn(self, n_columns: int) -> int:
        """How many of `n_columns` columns each tree may ask about."""
        amount = self.max_columns
        if isinstance(amount, float):
            return max(1, int(amount * n_columns))
        if amount > n_columns:
            raise PlanError(
                f"max_features={shown(amount)} is more than the {n_columns} columns of the table:"
                f" use at most {n_columns}, or a fraction (0 < fraction <= 1)."
            )
        return amount


def n_trees(value: Any) -> int:
    """The number of trees that was asked for."""
    number = whole("n_estimators", value, 1)
    if number > MOST_TREES:
        refuse("n_estimators", value, f"use at most {MOST_TREES} trees")
    return number


def _bootstrap(value: Any) -> bool | str:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if not (isinstance(value, str) and value == "subsample"):
        allowed = "use True (with replacement), 'subsample' (without) or False (all rows)"
        refuse("bootstrap", value, allowed, near(value, ("subsample",)))
    return value


def _max_samples(value: Any, bootstrap: bool | str) -> int | float | None:
    if value is None:
        return None
    most = math.inf if bootstrap is True else 1.0
    amount = _amount("max_samples", value, "rows", " or None", most)
    if bootstrap is False:
        hint = "Set bootstrap=True or 'subsample', or leave max_samples out."
        refuse("max_samples", value, "bootstrap=False gives every tree all rows", hint)
    return amount


def _amount(name: str, value: Any, what: str, more: str = "", most: float = 1.0) -> int | float:
    if is_whole(value) and value >= 1:
        return int(value)
    fits = is_real(value) and 0.0 < as_float(value) <= most and math.isfinite(as_float(value))
    if is_whole(value) or not fits:
        limit = " <= 1" if most == 1.0 else ""
        allowed = (
            f"use a whole number of {what}, at least 1, or a fraction of them"
            f" (0 < fraction{limit}){more}"
        )
        refuse(name, value, allowed)
    return float(value)


def _check_out_of_bag(plan: ForestPlan) -> None:
    asked = {"oob_score": plan.metric or plan.oob, "early_stopping": plan.early_stop is not None}
    for name, value in asked.items():
        if value and plan.bootstrap is False:
            allowed = "bootstrap=False leaves no row out of any tree: there is none to measure on"
            refuse(name, value, allowed, "Set bootstrap=True or 'subsample'.")
