"""What a pruner may look at beside the tree."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from silva.data.table import Table, Target
from silva.errors import DataError, PlanError, warn
from silva.messages import counted
from silva.tree.tree import Tree

Grow = Callable[[np.ndarray], Tree]
Regrow = Callable[[np.ndarray, int], Tree]
LooksAtValidation = Literal["never", "if given", "always"]
"""What a pruner says about rows that were held out."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The rows that the tree was grown from, rows held out, and a way to grow more trees.

    Tables are bound to the tree's schema, targets hold the codes of the tree's classes (-1 for a
    class that training did not see). `grow` takes row numbers of `table` and returns the tree that
    is grown from these rows in the way the tree was; `regrow` also takes how many rows each leaf
    must have, beside what the tree was asked for.
    """

    table: Table | None = None
    target: Target | None = None
    validation_table: Table | None = None
    validation_target: Target | None = None
    threads: int = 1
    grow: Grow | None = None
    regrow: Regrow | None = None


@dataclass(frozen=True, slots=True)
class Rows:
    """A table with its target."""

    table: Table
    target: Target


def training_rows(tree: Tree, evidence: Evidence, pruner: str, instead: str = "") -> Rows:
    """The rows that the tree was grown from; PlanError if they were not given."""
    if evidence.table is None or evidence.target is None:
        raise PlanError(
            f"{pruner} looks at the training rows: give Evidence(table=..., target=...){instead}."
        )
    rows = Rows(evidence.table, evidence.target)
    _check_rows(tree, rows, "training")
    return rows


def validation_rows(tree: Tree, evidence: Evidence, pruner: str) -> Rows:
    """The rows held out; PlanError if they were not given."""
    if evidence.validation_table is None or evidence.validation_target is None:
        raise PlanError(
            f"{pruner} looks at rows that were held out: give Evidence(validation_table=...,"
            " validation_target=...), from an estimator X_val and y_val."
        )
    rows = Rows(evidence.validation_table, evidence.validation_target)
    _check_rows(tree, rows, "validation")
    _check_seen(tree, rows.target)
    return rows


def _check_rows(tree: Tree, rows: Rows, which: str) -> None:
    """The rows fit the tree: its task, its columns, its classes, and there are some."""
    table, target = rows.table, rows.target
    if table.n_rows == 0:
        raise DataError(f"there are no {which} rows; give at least one.")
    if len(target.values) != table.n_rows:
        counts = f"{table.n_rows} rows, but {len(target.values)} targets"
        raise DataError(f"the {which} rows do not fit together: {counts}.")
    if target.task != tree.task:
        raise DataError(f"the {which} target is for {target.task}, the tree for {tree.task}.")
    if table.schema is not tree.schema and table.schema != tree.schema:
        raise DataError(
            f"the {which} table has other columns than the tree;"
            " bind it with data.bind.bind_prediction(data, tree.schema)."
        )
    if tree.classes is not None and not _same_classes(tree, target):
        raise DataError(
            f"the {which} target is coded by other classes than the tree's;"
            " code it with data.bind.bind_codes(labels, tree.classes)."
        )


def _same_classes(tree: Tree, target: Target) -> bool:
    return target.classes is not None and np.array_equal(target.classes, np.asarray(tree.classes))


def _check_seen(tree: Tree, target: Target) -> None:
    """Warn of rows whose class training did not see; refuse if there are no others."""
    if tree.classes is None:
        return
    unseen = np.count_nonzero(target.values < 0)
    if unseen == len(target.values):
        raise DataError(
            "no validation row has a class that the tree knows; are these the labels of another"
            f" target? The tree knows {tree.classes.tolist()[:10]}."
        )
    if unseen:
        warn(
            f"{counted(int(unseen), 'validation row')} of {len(target.values)} have a class that"
            " training did not see: every tree answers them wrongly, so they choose nothing"
        )
