"""One readable tree that answers as a forest does, and how faithful it is."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from silva.data.table import Table, Target, Task
from silva.ensemble import combine
from silva.ensemble.forest import Forest
from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.inspect.fresh_rows import Source
from silva.inspect.importance import columns_used
from silva.inspect.permutation import told_by_forest
from silva.inspect.subsamples import told_by
from silva.messages import counted
from silva.notebook import ShownAsText
from silva.tree import route
from silva.tree.tree import Tree

LABELS = ("hard", "soft")
CRITERION: dict[Task, str] = {"classification": "gini", "regression": "squared_error"}
SHARE_KEPT_BACK = 0.25
SAYS: dict[Task, str] = {
    "classification": "rows that get the forest's class",
    "regression": "R² against the forest's answers",
}


@dataclass(frozen=True, slots=True)
class Fidelity:
    """How far a tree answers as the forest: the share of rows that get the forest's class, or R².

    `rows` counts the rows; none of the fresh ones was used to fit the tree.
    """

    figure: float
    rows: int


@dataclass(frozen=True, eq=False)
class Distilled(ShownAsText):
    """A fitted single tree (`model`), and its fidelity on fresh and on real rows.

    `held_out` is the accuracy or mean squared error of forest and tree on held-out rows, if such
    were given.
    """

    model: Any
    task: Task
    trees: int
    leaves: int
    fitted_rows: int
    labels: str
    fresh: Fidelity
    real: Fidelity
    held_out: tuple[float, float] | None = None

    @property
    def tree(self) -> Tree:
        tree: Tree = self.model.grown_tree_
        return tree

    def __str__(self) -> str:
        told = f" ({self.labels} labels)" if self.task == "classification" else ""
        lines = [
            f"{counted(self.leaves, 'leaf', 'leaves')} in place of"
            f" {counted(self.trees, 'tree')}, fitted to {counted(self.fitted_rows, 'fresh row')}"
            f"{told}; {SAYS[self.task]}:",
            f"  {'fresh rows, not fitted':<24}{self.fresh.rows:>10,}{self.fresh.figure:>10.4f}",
            f"  {'real rows':<24}{self.real.rows:>10,}{self.real.figure:>10.4f}",
        ]
        if self.held_out is not None:
            measure = "accuracy" if self.task == "classification" else "mean squared error"
            forest, tree = self.held_out
            lines.append(f"{measure} on held-out rows: forest {forest:.4g}, tree {tree:.4g}")
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Lesson:
    """A tree that learned from a forest, what it learned from, and its fidelity."""

    tree: Tree
    table: Table
    target: Target
    fitted_rows: int
    fresh: Fidelity
    real: Fidelity


def taught(source: Source, n_rows: int, plan: Plan, labels: str, seed: int) -> Lesson:
    """Grow a tree from the forest's predictions for fresh rows, and measure it on others.

    The tree asks only about columns that the forest asks about: others could do no more than stand
    for rows, as names do.
    """
    forest, threads = source.forest, source.threads
    fresh = source.fresh(n_rows, (seed, 0))
    table, target = told_rows(forest, fresh, labels, threads)
    tree = grow(_asked_columns(forest, table), target, plan, threads)
    kept_back = source.fresh(max(1, round(SHARE_KEPT_BACK * n_rows)), (seed, 1))
    measured = (fidelity(forest, tree, rows, threads) for rows in (kept_back, source.table))
    return Lesson(tree, table, target, n_rows, *measured)


def _asked_columns(forest: Forest, table: Table) -> Table:
    """The table with columns that no tree of the forest asks about made constant."""
    used = {int(column) for tree in forest.trees for column in columns_used(tree)}
    columns = (
        column if number in used else np.zeros_like(column)
        for number, column in enumerate(table.columns)
    )
    return replace(table, columns=tuple(columns))


def told_rows(forest: Forest, table: Table, labels: str, threads: int) -> tuple[Table, Target]:
    """Rows with the forest's answers as their target.

    Soft labels take each row once for every class that the forest gives it a probability for, with
    that as its weight: what the impurity of a node then sums up are the forest's probabilities.
    """
    if forest.classes is None:
        values = combine.values(forest, table, threads)
        return table, Target("regression", values, None, None)
    shares = combine.shares(forest, table, threads)
    if labels == "hard":
        codes = shares.argmax(axis=1).astype(np.int32)
        return table, Target("classification", codes, forest.classes, None)
    row, code = np.nonzero(shares)
    target = Target("classification", code.astype(np.int32), forest.classes, shares[row, code])
    return table.take(row), target


def fidelity(forest: Forest, tree: Tree, table: Table, threads: int = 1) -> Fidelity:
    """How far the tree answers as the forest on these rows."""
    table = replace(table, schema=tree.schema)
    wanted = told_by_forest(forest, table, threads)
    told = told_by(tree, route.leaves(tree, table, threads), table)
    if forest.classes is not None:
        return Fidelity(float(np.mean(wanted == told)), table.n_rows)
    scale = float(np.abs(wanted).max()) or 1.0
    wanted, told = wanted / scale, told / scale
    left = float(np.square(wanted - told).sum())
    whole = float(np.square(wanted - wanted.mean()).sum())
    if whole == 0.0:
        return Fidelity(1.0 if left == 0.0 else 0.0, table.n_rows)
    return Fidelity(1.0 - left / whole, table.n_rows)
