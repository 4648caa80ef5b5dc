"""Growing a forest: batches of trees, the out-of-bag curve beside them, and when to stop."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from silva.data.table import Table, Target
from silva.ensemble import oob as out_of_bag
from silva.ensemble.forest import Forest
from silva.ensemble.growers import Finish, Grower, Tick, Work, work_of
from silva.ensemble.oob import Curve, Oob
from silva.ensemble.packed import PackedTrees, Packer
from silva.ensemble.plan import EarlyStop, ForestPlan, Metric
from silva.ensemble.sampling import tree_seeds
from silva.errors import DataError
from silva.grow.plan import Plan

BATCH = 10
"""Trees between two points of the out-of-bag curve: the same points for any number of threads."""

MOST_AT_ONCE = 1000
"""Trees per call of the core where no such curve is computed."""

Watch = Callable[[int, float | None], None]
"""Told now and then: how many trees there are, and the last point of the out-of-bag curve."""


@dataclass(frozen=True, eq=False)
class Grown:
    """A forest and what was learned while it grew; `oob` and `curve` only where asked for.

    `metric` is what the curve shows; None for accuracy or R².
    """

    forest: Forest
    oob: Oob | None = None
    curve: Curve | None = None
    interrupted: bool = False
    metric: Metric | None = None


def unknown_metric(*_: object) -> float:
    """Stands for a metric that was not kept: a curve of it is never continued."""
    return math.nan


def grow_forest(
    table: Table,
    target: Target,
    plan: Plan,
    forest_plan: ForestPlan,
    threads: int = 1,
    *,
    finish: Finish | None = None,
    start: Grown | None = None,
    watch: Watch | None = None,
) -> Grown:
    """Grow `forest_plan.n_estimators` trees, the first of them taken from `start`.

    Tree i is the single tree of `plan` with the i-th seed and with the counts of its draws as
    weights, for any number of threads and of trees that follow. Fractions of rows in the plan are
    of all rows of positive weight. `start` must come from the same rows and plans, but for
    `n_estimators`; out-of-bag answers that it lacks are made again, the same bits as in one go.
    """
    work = work_of(table, target, plan, forest_plan, finish)
    if start is not None and forest_plan.oob and not _has_curve(start, forest_plan):
        start = recalled(start.forest.trees, work, threads)
    before = start.oob if start is not None and forest_plan.oob else None
    grower = Grower(work, before)
    growth = _Growth(target, forest_plan, start)
    try:
        while growth.to_do > 0 and not growth.has_converged():
            n_trees = growth.n_trees
            count = min(growth.to_do, _batch(forest_plan, n_trees))
            seeds = tree_seeds(forest_plan.seed, n_trees, count)
            packer = growth.packer()
            grower.grow(seeds, threads, packer.put, _tick(watch, growth, count))
            growth.add(packer.packed(), grower)
            if watch is not None:
                watch(growth.n_trees, growth.score)
            if grower.interrupted:
                raise KeyboardInterrupt
    except KeyboardInterrupt:
        if not (forest_plan.keep_interrupted and growth.n_trees):
            raise
        return growth.grown(interrupted=True)
    return growth.grown()


class _So(NamedTuple):
    """The trees so far and their out-of-bag curve, replaced at once: an interrupt tears nothing."""

    trees: PackedTrees
    oob: Oob | None
    points: tuple[tuple[int, float], ...]


class _Growth:
    def __init__(self, target: Target, plan: ForestPlan, start: Grown | None) -> None:
        self._target, self._plan = target, plan
        nothing = _So(PackedTrees((), ()), None, ())
        self._so = nothing if start is None else _started(start, plan.n_estimators)

    @property
    def n_trees(self) -> int:
        return len(self._so.trees)

    @property
    def to_do(self) -> int:
        return self._plan.n_estimators - self.n_trees

    @property
    def score(self) -> float | None:
        points = self._so.points
        return points[-1][1] if points else None

    def packer(self) -> Packer[PackedTrees]:
        return self._so.trees.packer()

    def add(self, grown: PackedTrees, grower: Grower) -> None:
        if len(grown) == self.n_trees:
            return
        if not self._plan.oob:
            self._so = _So(grown, None, ())
            return
        oob = grower.oob()
        point = (len(grown), out_of_bag.score(oob, self._target, self._plan.metric))
        self._so = _So(grown, oob, (*self._so.points, point))

    def has_converged(self) -> bool:
        """Whether the curve has been flat for long enough."""
        stop = self._plan.early_stop
        if stop is None or self.score is None:
            return False
        if math.isnan(self.score):
            raise DataError(
                f"early_stopping: after {self.n_trees} trees {self._why_nan()}, so there is"
                " no score to watch. Give more rows, draw fewer (max_samples), or leave it out."
            )
        return is_flat(_curve(self._so.points), stop)

    def _why_nan(self) -> str:
        oob = self._so.oob
        has_rows = oob is not None and oob.votes.any()
        return (
            "the function given as oob_score returned NaN" if has_rows else "no row was out of bag"
        )

    def grown(self, interrupted: bool = False) -> Grown:
        forest = Forest(self._so.trees, self._plan.combiner(self._target.task))
        curve = _curve(self._so.points) if self._plan.oob else None
        return Grown(forest, self._so.oob, curve, interrupted, self._plan.metric)


def recalled(trees: PackedTrees, work: Work, threads: int = 1) -> Grown:
    """These trees with the out-of-bag sums and curve that growth would have made of them."""
    plan, target = work.forest_plan, work.target
    combiner, sums = plan.combiner(target.task), out_of_bag.nothing(target)
    points = []
    for number, seed in enumerate(tree_seeds(plan.seed, 0, len(trees))):
        counts, tree = work.counts(seed), trees[number]
        sums += out_of_bag.of_tree(tree, work.table, counts, combiner, threads)
        n_trees = number + 1
        if n_trees % BATCH == 0 or n_trees == len(trees):
            points.append((n_trees, out_of_bag.score(sums, target, plan.metric)))
    return Grown(Forest(trees, combiner), sums, _curve(tuple(points)), metric=plan.metric)


def _has_curve(start: Grown, plan: ForestPlan) -> bool:
    """Whether the earlier fit has the sums of its trees, and the scores that are asked for."""
    return start.oob is not None and start.metric is plan.metric


def _started(start: Grown, n_estimators: int) -> _So:
    """What is there already; a point that one go would not have is left out."""
    curve = start.curve
    points: tuple[tuple[int, float], ...] = ()
    if curve is not None:
        points = tuple(zip(curve.trees.tolist(), curve.score.tolist(), strict=True))
    if points and points[-1][0] % BATCH and points[-1][0] < n_estimators:
        points = points[:-1]
    return _So(start.forest.trees, start.oob, points)


def _curve(points: tuple[tuple[int, float], ...]) -> Curve:
    trees = np.array([trees for trees, _ in points], dtype=np.int64)
    return Curve(trees, np.array([score for _, score in points], dtype=np.float64))


def is_flat(curve: Curve, stop: EarlyStop) -> bool:
    """Whether the last `patience` trees brought no better score than those before them."""
    before = curve.trees <= curve.trees[-1] - stop.patience
    if not before.any():
        return False
    return bool(curve.score[~before].max() <= curve.score[before].max() + stop.tol)


def _batch(plan: ForestPlan, n_trees: int) -> int:
    if plan.oob:
        return BATCH - n_trees % BATCH
    return MOST_AT_ONCE


def _tick(watch: Watch | None, growth: _Growth, count: int) -> Tick | None:
    """What is told inside a batch; its end is told when its trees are taken."""
    if watch is None:
        return None

    def tick(finished: int) -> None:
        if finished < count:
            watch(growth.n_trees + finished, growth.score)

    return tick
