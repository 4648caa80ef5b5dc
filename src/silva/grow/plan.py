"""Every choice that training takes, checked once, when it is made."""

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, NoReturn, get_args

from silva.data.names import nearest
from silva.data.table import Task
from silva.errors import PlanError
from silva.tree.tree import CRITERIA

ALIASES = {"log_loss": "entropy"}
SPLITTERS = ("best", "random")
COLUMN_RULES = ("sqrt", "log2")
SEED_LIMIT = 2**64
NO_LIMIT = 2**62
NOT_HERE = ("absolute_error", "friedman_mse")


@dataclass(frozen=True, slots=True)
class Plan:
    """What to grow and when to stop. Names and meanings are scikit-learn's where it has them.

    criterion: `gini`, `entropy` (alias `log_loss`), `error`; `squared_error`, `poisson`.
    splitter: `best` tries every threshold, `random` one random threshold a column.
    max_depth: longest path from the root, in splits; None for no limit.
    min_samples_split: a node with fewer rows stays a leaf; a fraction is of the training rows.
    min_samples_leaf: both children of a split have at least so many rows; or a fraction.
    min_weight_fraction_leaf: both children have at least this share of the total weight.
    max_leaf_nodes: grow best-first and stop at so many leaves; None for no limit.
    min_impurity_decrease: least gain times the node's share of the weight.
    min_gain: least gain of a split, whatever the node's share.
    max_features: columns tried at a node: a number (more than there are: all), a fraction,
        `sqrt`, `log2`, or None for all.
    seed: the source of all random choices; a plan without random choices does not use it.
    """

    task: Task
    criterion: str
    splitter: str = "best"
    max_depth: int | None = None
    min_samples_split: int | float = 2
    min_samples_leaf: int | float = 1
    min_weight_fraction_leaf: float = 0.0
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    min_gain: float = 0.0
    max_features: int | float | str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        _check_task(self.task)
        keep = object.__setattr__
        keep(self, "criterion", _criterion(self.task, self.criterion))
        _check_choice("splitter", self.splitter, SPLITTERS)
        keep(self, "max_depth", _whole_or_none("max_depth", self.max_depth, 1))
        keep(self, "min_samples_split", _min_samples_split(self.min_samples_split))
        keep(self, "min_samples_leaf", _min_samples_leaf(self.min_samples_leaf))
        share = _real("min_weight_fraction_leaf", self.min_weight_fraction_leaf, 0.0, 0.5)
        keep(self, "min_weight_fraction_leaf", share)
        keep(self, "max_leaf_nodes", _whole_or_none("max_leaf_nodes", self.max_leaf_nodes, 2))
        decrease = _real("min_impurity_decrease", self.min_impurity_decrease, 0.0)
        keep(self, "min_impurity_decrease", decrease)
        keep(self, "min_gain", _real("min_gain", self.min_gain, 0.0))
        keep(self, "max_features", _max_features(self.max_features))
        keep(self, "seed", _seed(self.seed))

    def columns_tried(self, n_columns: int) -> int:
        """How many columns a node tries, of a table with `n_columns`."""
        rule = self.max_features
        if rule is None:
            return n_columns
        if isinstance(rule, int):
            return min(rule, n_columns)
        if isinstance(rule, float):
            return max(1, int(rule * n_columns))
        return max(1, int(math.sqrt(n_columns) if rule == "sqrt" else math.log2(n_columns)))

    def resolved(self, n_rows: int, n_columns: int) -> dict[str, Any]:
        """The core's keyword arguments for a table of `n_rows` rows (those with a weight)."""
        return {
            "criterion": self.criterion,
            "splitter": self.splitter,
            "max_depth": min(self.max_depth or 0, NO_LIMIT),
            "min_samples_split": max(2, _rows(self.min_samples_split, n_rows)),
            "min_samples_leaf": _rows(self.min_samples_leaf, n_rows),
            "min_weight_fraction_leaf": self.min_weight_fraction_leaf,
            "max_leaf_nodes": min(self.max_leaf_nodes or 0, NO_LIMIT),
            "min_impurity_decrease": self.min_impurity_decrease,
            "min_gain": self.min_gain,
            "max_features": self.columns_tried(n_columns),
            "seed": self.seed,
        }


def is_whole(value: object) -> bool:
    """An integer of any kind, but not a bool."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_real(value: object) -> bool:
    """A real number of any kind, but not a bool."""
    return isinstance(value, Real) and not isinstance(value, bool)


def refuse(name: str, value: object, allowed: str, hint: str = "") -> NoReturn:
    """Raise the error that every bad choice gets: the parameter, what was seen, what is allowed."""
    note = f" {hint}" if hint else ""
    raise PlanError(f"{name}={value!r} ({type(value).__name__}) is not possible: {allowed}.{note}")


def _rows(amount: int | float, n_rows: int) -> int:
    """So many rows; more than there are is as good as one more than there are."""
    rows = amount if isinstance(amount, int) else math.ceil(amount * n_rows)
    return min(rows, n_rows + 1)


def _check_task(task: str) -> None:
    if task not in get_args(Task):
        refuse("task", task, "use 'classification' or 'regression'")


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if not (isinstance(value, str) and value in choices):
        refuse(name, value, f"use {_either(choices)}", _near(value, choices))


def _criterion(task: Task, name: object) -> str:
    here = CRITERIA[task]
    known = ALIASES.get(name, name) if isinstance(name, str) else name
    if known not in here:
        _refuse_criterion(task, known)
    return str(known)


def _refuse_criterion(task: Task, name: object) -> NoReturn:
    here = CRITERIA[task]
    for other, criteria in CRITERIA.items():
        if other != task and name in criteria:
            hint = f"{name!r} measures {other} targets; this is a {task} tree."
            refuse("criterion", name, f"use {_either(here)}", hint)
    hint = _near(name, (*here, *ALIASES))
    if name in NOT_HERE:
        hint = f"This version does not have scikit-learn's {name!r}."
    refuse("criterion", name, f"use {_either(here)}", hint)


def _whole_or_none(name: str, value: Any, least: int) -> int | None:
    if value is None:
        return None
    if not is_whole(value) or value < least:
        refuse(name, value, f"use a whole number of at least {least}, or None for no limit")
    return int(value)


def _min_samples_split(value: Any) -> int | float:
    if is_whole(value):
        if value >= 2:
            return int(value)
        hint = "A node of one row cannot be split." if value == 1 else ""
        refuse("min_samples_split", value, _rows_allowed(2, "0 < fraction <= 1"), hint)
    if not is_real(value) or not 0.0 < value <= 1.0:
        refuse("min_samples_split", value, _rows_allowed(2, "0 < fraction <= 1"))
    return float(value)


def _min_samples_leaf(value: Any) -> int | float:
    if is_whole(value) and value >= 1:
        return int(value)
    if is_whole(value) or not is_real(value) or not 0.0 < value < 1.0:
        refuse("min_samples_leaf", value, _rows_allowed(1, "0 < fraction <= 0.5"))
    if value > 0.5:
        hint = "Two children cannot both hold more than half of the rows."
        refuse("min_samples_leaf", value, _rows_allowed(1, "0 < fraction <= 0.5"), hint)
    return float(value)


def _rows_allowed(least: int, fraction: str) -> str:
    return f"use a whole number of rows, at least {least}, or a fraction of them ({fraction})"


def _real(name: str, value: Any, low: float, high: float = math.inf) -> float:
    if not is_real(value) or not (low <= value <= high and math.isfinite(value)):
        allowed = f"use a finite number of at least {low:g}"
        if high < math.inf:
            allowed = f"use a number from {low:g} to {high:g}"
        why = "Two children cannot both hold more than half of the weight."
        too_much = high == 0.5 and is_real(value) and value > high
        refuse(name, value, allowed, why if too_much else "")
    return float(value)


def _max_features(value: Any) -> int | float | str | None:
    if value is None or (isinstance(value, str) and value in COLUMN_RULES):
        return value
    if is_whole(value) and value >= 1:
        return int(value)
    if is_real(value) and not is_whole(value) and 0.0 < value <= 1.0:
        return float(value)
    allowed = (
        "use None for all columns, a whole number of at least 1, a fraction"
        f" (0 < fraction <= 1), {_either(COLUMN_RULES)}"
    )
    refuse("max_features", value, allowed, _near(value, COLUMN_RULES))


def _seed(value: Any) -> int:
    if not is_whole(value) or not 0 <= value < SEED_LIMIT:
        refuse("seed", value, "use a whole number from 0 to 2**64 - 1")
    return int(value)


def _either(choices: tuple[str, ...]) -> str:
    return " or ".join(", ".join(map(repr, choices)).rsplit(", ", 1))


def _near(value: object, choices: tuple[str, ...]) -> str:
    near = nearest(value, choices)
    return f"Did you mean {near!r}?" if near is not None else ""
