"""Which trees a page shows: that of the model, or some of many and one that stands for them all."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from silva.data.names import counted, shown
from silva.data.schema import UNSEEN_CODE
from silva.data.table import Table
from silva.data.weights import bind_weights
from silva.errors import PlanError
from silva.grow.checks import is_whole
from silva.grow.plan import Plan
from silva.inspect.distil import CRITERION, Lesson, taught
from silva.inspect.fresh_rows import Source
from silva.inspect.subject import Subject, unwrapped
from silva.tree.tree import Tree

MOST_MEMBERS = 10
MOST_NODES = 20_000
"""Unless asked for otherwise, a page holds so many trees of a forest, of so many nodes together."""
FRESH_ROWS, REGION, MAX_LEAVES = 20_000, 5, 16
"""As in `silva.distil`."""


@dataclass(frozen=True, eq=False)
class ShownTree:
    """A tree of the page: `role` is "model", "member" or "distilled"; members have a number."""

    tree: Tree
    role: str = "model"
    title: str = ""
    number: int | None = None
    note: str = ""


@dataclass(frozen=True, eq=False)
class ShownTrees:
    """The trees of a page, that which is shown first in front; `note` says why others are not.

    `lesson` is how the tree that stands for a forest was made, None without one.
    """

    trees: tuple[ShownTree, ...]
    lesson: Lesson | None = None
    note: str = ""

    @property
    def first(self) -> Tree:
        return self.trees[0].tree

    @property
    def members(self) -> list[int]:
        return [one.number for one in self.trees if one.number is not None]


def shown_trees(
    model: Any, subject: Subject, chosen: Any, X: Any, sample_weight: Any = None
) -> ShownTrees:
    """The only tree; or the chosen members, behind a distilled tree where X is given.

    `chosen` is None, a number of trees, or the numbers of trees.
    """
    if subject.combiner == "tree":
        if chosen is not None:
            raise PlanError(f"trees={shown(chosen)} is not possible: this model has one tree.")
        return ShownTrees((ShownTree(subject.tree()),))
    total = len(subject)
    numbers = _numbers(subject, chosen)
    members = [
        ShownTree(subject.tree(number), "member", f"tree {number} of {total:,}", number)
        for number in numbers
    ]
    lesson, why = _distilled(unwrapped(model)[0], subject, X, sample_weight)
    left_out = f"The page holds {len(numbers)} of {counted(total, 'tree')}."
    note = " ".join(filter(None, [left_out if len(numbers) < total else "", why]))
    first = [] if lesson is None else [_standing_for_all(lesson, subject)]
    return ShownTrees((*first, *members), lesson, note)


def _numbers(subject: Subject, chosen: Any) -> list[int]:
    total = len(subject)
    if chosen is None:
        return _that_fit(subject)
    if is_whole(chosen):
        found = list(range(min(int(chosen), total))) if chosen >= 1 else []
    elif isinstance(chosen, Sequence | np.ndarray) and not isinstance(chosen, str):
        found = [int(one) for one in chosen if is_whole(one) and 0 <= one < total]
        found = list(dict.fromkeys(found)) if len(found) == len(chosen) else []
    else:
        found = []
    if not found:
        raise PlanError(
            f"trees={shown(chosen)} is not possible: give how many trees to show, at least 1, or"
            f" a list of their numbers, from 0 to {total - 1}."
        )
    return found


def _that_fit(subject: Subject) -> list[int]:
    """The first trees, at least one, so that the page stays small."""
    found, n_nodes = [0], subject.tree(0).n_nodes
    for number in range(1, min(MOST_MEMBERS, len(subject))):
        n_nodes += subject.tree(number).n_nodes
        if n_nodes > MOST_NODES:
            break
        found.append(number)
    return found


def _distilled(
    model: Any, subject: Subject, X: Any, sample_weight: Any
) -> tuple[Lesson | None, str]:
    """The tree that learned from the forest, or why there is none."""
    forest = getattr(model, "forest_", None)
    if forest is None:
        return None, "Boosted trees are not distilled into one."
    if X is None:
        return None, "One tree that stands for all needs rows: give X."
    table = subject.table(X)
    weights = bind_weights(sample_weight, table.n_rows)
    known = _known(table)
    if not known.any():
        return None, "There is no tree that stands for all: every row of X has an unseen value."
    table = replace(table.take(np.flatnonzero(known)), schema=forest.schema)
    weights = None if weights is None else weights[known]
    plan = Plan(forest.task, CRITERION[forest.task], max_leaf_nodes=MAX_LEAVES)
    return taught(Source(forest, table, weights, REGION), FRESH_ROWS, plan, "hard", 0), ""


def _known(table: Table) -> np.ndarray:
    """The rows without unseen levels: fresh rows are mixed of these."""
    found = np.ones(table.n_rows, dtype=bool)
    for column, values in zip(table.schema.columns, table.columns, strict=True):
        if column.kind != "continuous":
            found &= np.asarray(values != UNSEEN_CODE)
    return found


def _standing_for_all(lesson: Lesson, subject: Subject) -> ShownTree:
    tree = replace(lesson.tree, schema=subject.schema)
    note = (
        f"This tree learned from the predictions of all {counted(len(subject), 'tree')} for"
        f" {counted(lesson.fitted_rows, 'fresh row')} that look like the given ones: its counts are"
        " of those."
    )
    return ShownTree(tree, "distilled", f"one tree that stands for all {len(subject):,}", note=note)
