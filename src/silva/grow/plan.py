"""Every choice that training takes, checked once, when it is made."""

import math
from dataclasses import dataclass, replace
from typing import Any, NoReturn, Self, get_args

from silva.checks import (
    Settings,
    as_float,
    check_choice,
    either,
    is_real,
    is_whole,
    near,
    real,
    refuse,
    whole_or_none,
)
from silva.data.policies import MISSING_DEFAULT, UNSEEN_DEFAULT, checked_policies
from silva.data.schema import KINDS, Schema
from silva.data.table import Task
from silva.errors import PlanError
from silva.grow.splits import checked_splits, resolved_splits, supports_splitter
from silva.tree.tree import CRITERIA

ALIASES = {"log_loss": "entropy"}
SPLITTERS = ("best", "random")
THRESHOLDS = ("all", "breakpoints")
CATEGORY_GAINS = ("fair", "plain")
COLUMN_RULES = ("sqrt", "log2")
SEED_LIMIT = 2**64
NOT_HERE = ("absolute_error", "friedman_mse")


@dataclass(frozen=True, slots=True)
class Plan(Settings):
    """What to grow and when to stop. Names and meanings are scikit-learn's where it has them.

    criterion: `gini`, `entropy` (alias `log_loss`), `error`, `gain_ratio`; `squared_error`,
        `poisson`.
    splitter: `best` tries every threshold, `random` one random threshold a column.
    max_depth: longest path from the root, in splits; None for no limit.
    min_samples_split: a node with fewer rows stays a leaf; a fraction is of the training rows.
    min_samples_leaf: both children of a split have at least so many rows; or a fraction. Of a
        multiway split two children have; a branch of missing values need not.
    min_weight_fraction_leaf: the same for a share of the total weight.
    max_leaf_nodes: grow best-first and stop at so many leaves; None for no limit.
    min_impurity_decrease: least gain times the node's share of the weight.
    min_gain: least gain of a split, whatever the node's share.
    max_features: columns tried at a node: a number (more than there are: all), a fraction,
        `sqrt`, `log2`, or None for all.
    prune: the pruner that estimators use unless they are told another: its name, or itself.
    seed: the source of all random choices; a plan without random choices does not use it.
    splits: `subset`, `onevsrest` or `multiway` for categorical columns, `oblique`, `distance`,
        `ObliqueSplits`, `DistanceSplits`, a mapping from columns to forms, or a list of these, of
        which later ones override earlier ones. Kept as a tuple.
    missing, unseen: what becomes of such values: `learn`, `majority`, `own_branch`, `stop` or
        `error`, or a mapping from columns to these.
    thresholds: `all`, or `breakpoints`: none between neighbours of one and the same target.
    category_gain: `fair` charges sets of categories for their freedom where columns are compared,
        and treats levels of one training row as unseen; `plain` does neither.
    column_kinds: the kinds of columns that the plan takes; None for all.
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
    splits: Any = ()
    missing: Any = MISSING_DEFAULT
    unseen: Any = UNSEEN_DEFAULT
    thresholds: str = "all"
    category_gain: str = "fair"
    column_kinds: tuple[str, ...] | None = None
    prune: Any = None

    def __post_init__(self) -> None:
        _check_task(self.task)
        keep = object.__setattr__
        keep(self, "criterion", _criterion(self.task, self.criterion))
        check_choice("splitter", self.splitter, SPLITTERS)
        keep(self, "max_depth", whole_or_none("max_depth", self.max_depth, 1))
        keep(self, "min_samples_split", _min_samples_split(self.min_samples_split))
        keep(self, "min_samples_leaf", _min_samples_leaf(self.min_samples_leaf))
        share = real("min_weight_fraction_leaf", self.min_weight_fraction_leaf, 0.0, 0.5)
        keep(self, "min_weight_fraction_leaf", share)
        keep(self, "max_leaf_nodes", whole_or_none("max_leaf_nodes", self.max_leaf_nodes, 2))
        decrease = real("min_impurity_decrease", self.min_impurity_decrease, 0.0)
        keep(self, "min_impurity_decrease", decrease)
        keep(self, "min_gain", real("min_gain", self.min_gain, 0.0))
        keep(self, "max_features", _max_features(self.max_features))
        keep(self, "seed", _seed(self.seed))
        keep(self, "splits", checked_splits(self.splits))
        keep(self, "missing", checked_policies("missing", self.missing))
        keep(self, "unseen", checked_policies("unseen", self.unseen))
        check_choice("thresholds", self.thresholds, THRESHOLDS)
        check_choice("category_gain", self.category_gain, CATEGORY_GAINS)
        keep(self, "column_kinds", _column_kinds(self.column_kinds))
        self._check_splitter()

    def _check_splitter(self) -> None:
        needed = self.needs_best_splitter
        if needed is not None and self.splitter != "best":
            allowed = f"{needed} needs splitter='best'"
            refuse("splitter", self.splitter, allowed, "Leave one of the two out.")

    @property
    def needs_best_splitter(self) -> str | None:
        """The part that needs every threshold, which a random splitter does not try; or None."""
        for choice in self.splits:
            if not supports_splitter(choice, "random"):
                return type(choice).__name__
        return None if self.thresholds == "all" else f"thresholds={self.thresholds!r}"

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

    @property
    def is_random(self) -> bool:
        """Whether the tree needs a random seed; distance splits only use the one they are given."""
        return self.splitter == "random" or self.max_features is not None

    def with_larger_leaves(self, min_samples_leaf: int, n_rows: int) -> Self:
        """The plan whose leaves have at least so many of `n_rows` rows; never fewer than before."""
        if _rows(self.min_samples_leaf, n_rows) >= min_samples_leaf:
            return self
        return replace(self, min_samples_leaf=min_samples_leaf)

    def resolved(self, n_rows: int, schema: Schema) -> dict[str, Any]:
        """The core's keyword arguments for a table of `n_rows` rows (those with a weight).

        The policies are those of the schema. A column that the plan cannot use, and a choice for a
        column that does not exist or cannot have it, are refused by name.
        """
        _check_kinds(self.column_kinds, schema)
        return {
            "criterion": self.criterion,
            "splitter": self.splitter,
            "max_depth": self.max_depth or 0,
            "min_samples_split": max(2, _rows(self.min_samples_split, n_rows)),
            "min_samples_leaf": _rows(self.min_samples_leaf, n_rows),
            "min_weight_fraction_leaf": self.min_weight_fraction_leaf,
            "max_leaf_nodes": self.max_leaf_nodes or 0,
            "min_impurity_decrease": self.min_impurity_decrease,
            "min_gain": self.min_gain,
            "max_features": self.columns_tried(len(schema)),
            "seed": self.seed,
            "missing": schema.numbers.missing,
            "unseen": schema.numbers.unseen,
            "breakpoints": self.thresholds == "breakpoints",
            "fair_categories": self.category_gain == "fair",
            **resolved_splits(self.splits, schema),
        }


def _rows(amount: int | float, n_rows: int) -> int:
    """So many rows; more than there are is as good as one more than there are."""
    rows = amount if isinstance(amount, int) else math.ceil(amount * n_rows)
    return min(rows, n_rows + 1)


def _check_task(task: str) -> None:
    check_choice("task", task, get_args(Task))


def _column_kinds(kinds: Any) -> tuple[str, ...] | None:
    if kinds is None:
        return None
    chosen = tuple(kinds) if isinstance(kinds, list | tuple) else (kinds,)
    for kind in chosen:
        check_choice("column_kinds", kind, KINDS)
    return chosen


def _check_kinds(kinds: tuple[str, ...] | None, schema: Schema) -> None:
    if kinds is None:
        return
    for column in schema.columns:
        if column.kind not in kinds:
            raise PlanError(
                f"column {column.name!r} is {column.kind}, and the plan takes"
                f" {' and '.join(kinds)} columns only. {_way_out(kinds)}, or choose another plan"
            )


def _way_out(kinds: tuple[str, ...]) -> str:
    if kinds == ("binary",):
        return "Drop it, turn it into yes and no (data[name] >= 40, or astype(bool) for 0 and 1)"
    return "Drop it, convert it to such a kind"


def _criterion(task: Task, name: object) -> str:
    here = CRITERIA[task]
    known = ALIASES.get(name, name) if isinstance(name, str) else name
    if not isinstance(known, str) or known not in here:
        _refuse_criterion(task, known)
    return str(known)


def _refuse_criterion(task: Task, name: object) -> NoReturn:
    here = CRITERIA[task]
    if not isinstance(name, str):
        refuse("criterion", name, f"use {either(here)}")
    for other, criteria in CRITERIA.items():
        if other != task and name in criteria:
            hint = f"{name!r} measures {other} targets; this is a {task} tree."
            refuse("criterion", name, f"use {either(here)}", hint)
    hint = near(name, (*here, *ALIASES))
    if name in NOT_HERE:
        hint = f"This version does not have scikit-learn's {name!r}."
    refuse("criterion", name, f"use {either(here)}", hint)


def _min_samples_split(value: Any) -> int | float:
    if is_whole(value):
        if value >= 2:
            return int(value)
        hint = "A node of one row cannot be split." if value == 1 else ""
        refuse("min_samples_split", value, _rows_allowed(2, "0 < fraction <= 1"), hint)
    if not is_real(value) or not 0.0 < as_float(value) <= 1.0:
        refuse("min_samples_split", value, _rows_allowed(2, "0 < fraction <= 1"))
    return float(value)


def _min_samples_leaf(value: Any) -> int | float:
    if is_whole(value) and value >= 1:
        return int(value)
    if is_whole(value) or not is_real(value) or not 0.0 < as_float(value) < 1.0:
        refuse("min_samples_leaf", value, _rows_allowed(1, "0 < fraction <= 0.5"))
    if value > 0.5:
        hint = "Two children cannot both hold more than half of the rows."
        refuse("min_samples_leaf", value, _rows_allowed(1, "0 < fraction <= 0.5"), hint)
    return float(value)


def _rows_allowed(least: int, fraction: str) -> str:
    return f"use a whole number of rows, at least {least}, or a fraction of them ({fraction})"


def _max_features(value: Any) -> int | float | str | None:
    if value is None or (isinstance(value, str) and value in COLUMN_RULES):
        return value
    if is_whole(value) and value >= 1:
        return int(value)
    if not is_real(value) or is_whole(value) or not 0.0 < as_float(value) <= 1.0:
        allowed = (
            "use None for all columns, a whole number of at least 1, a fraction"
            f" (0 < fraction <= 1), {either(COLUMN_RULES)}"
        )
        refuse("max_features", value, allowed, near(value, COLUMN_RULES))
    return float(value)


def _seed(value: Any) -> int:
    if not is_whole(value) or not 0 <= value < SEED_LIMIT:
        refuse("seed", value, "use a whole number from 0 to 2**64 - 1")
    return int(value)
