"""From seeds to trees: what each tree sees, its growth, and its out-of-bag answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from silva.data.table import Table, Target
from silva.ensemble import oob, sampling
from silva.ensemble.oob import Oob
from silva.ensemble.plan import ForestPlan
from silva.grow.grow import grow, judged, rows_with_weight
from silva.grow.plan import Plan
from silva.tree.tree import Tree

Finish = Callable[[Tree, Table, Target], Tree]
"""What follows growth (pruning, models of leaves): a tree, its table and its weighted target."""


class Grower(Protocol):
    """Grows trees by their seeds, and answers the rows that they did not see."""

    def grow(self, seeds: Sequence[int], threads: int) -> list[Tree]:
        """One tree a seed; can be called again for more."""

    def oob(self) -> Oob:
        """The sums over all trees so far."""


@dataclass(frozen=True)
class Work:
    """What all trees of a forest have in common."""

    table: Table
    target: Target
    plan: Plan
    forest_plan: ForestPlan
    n_samples: int
    finish: Finish | None


def work_of(
    table: Table, target: Target, plan: Plan, forest_plan: ForestPlan, finish: Finish | None
) -> Work:
    """The work, with every choice that needs the table judged and turned into numbers."""
    n_rows = rows_with_weight(target)
    plan = plan.with_rows(n_rows)
    table = judged(table, target, plan)
    return Work(table, target, plan, forest_plan, forest_plan.draws(n_rows), finish)


def grower_of(work: Work) -> Grower:
    return TreeByTree(work)


class TreeByTree:
    """Each tree by itself, from its counts as weights."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._oob = oob.nothing(work.target)

    def grow(self, seeds: Sequence[int], threads: int) -> list[Tree]:
        return [self._grown(seed, threads) for seed in seeds]

    def oob(self) -> Oob:
        return self._oob

    def _grown(self, seed: int, threads: int) -> Tree:
        work = self._work
        counts = sampling.row_counts(
            seed, work.target.weights, work.table.n_rows, work.n_samples, work.forest_plan.sampling
        )
        target = weighted(work.target, counts)
        table = masked(work.table, columns_of(work, seed))
        tree = grow(table, target, replace(work.plan, seed=seed), threads)
        if work.finish is not None:
            tree = work.finish(tree, table, target)
        if work.forest_plan.oob:
            combiner = work.forest_plan.combiner(target.task)
            self._oob += oob.of_tree(tree, work.table, counts, combiner, threads)
        return tree


def weighted(target: Target, counts: np.ndarray) -> Target:
    """The target with rows weighted by their counts, and by their own weights."""
    weights = counts.astype(np.float64)
    if target.weights is not None:
        weights *= target.weights
    return replace(target, weights=weights)


def columns_of(work: Work, seed: int) -> np.ndarray:
    """The columns that the tree of this seed may ask about."""
    n_columns = len(work.table.schema)
    return sampling.draw_columns(seed, n_columns, work.forest_plan.columns_drawn(n_columns))


def masked(table: Table, columns: np.ndarray) -> Table:
    """The table with all other columns constant: no split can ask about them."""
    if len(columns) == len(table.columns):
        return table
    shown = set(columns.tolist())
    constants = {kind: np.zeros(table.n_rows, kind) for kind in (np.float64, np.int32)}
    hidden = [
        constants[np.float64 if column.kind == "continuous" else np.int32]
        for column in table.schema.columns
    ]
    kept = (
        column if number in shown else hidden[number] for number, column in enumerate(table.columns)
    )
    return replace(table, columns=tuple(kept))
