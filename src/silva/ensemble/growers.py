"""From seeds to trees: what each tree sees, its growth in the core, and its out-of-bag answers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from silva import _core
from silva.data.table import Table, Target
from silva.data.weights import check_drawn, times_class, weights_of_classes
from silva.ensemble import oob as out_of_bag
from silva.ensemble import sampling
from silva.ensemble.draws import ColumnDraws, column_draws
from silva.ensemble.oob import Oob, Told
from silva.ensemble.packed import Facts, Packed
from silva.ensemble.packing import NAMES
from silva.ensemble.plan import ForestPlan
from silva.grow.grow import core_data, judged, rows_with_weight
from silva.grow.memory import tells_what_growth_takes
from silva.grow.plan import Plan
from silva.grow.splits import DistanceSplits
from silva.tree.columns import measured_by
from silva.tree.tree import Tree, from_core

Finish = Callable[[Tree, Table, Target, int], Tree]
"""What follows growth (pruning, models of leaves): a tree, its table, weighted target and seed."""

Take = Callable[[int, Tree | Packed], object]
"""Takes a tree and its number among those of a call; the last one may come again."""

Tick = Callable[[int], object]
"""Told now and then how many trees of a batch are finished."""


@dataclass(frozen=True)
class Work:
    """What all trees of a forest have in common."""

    table: Table
    target: Target
    plan: Plan
    forest_plan: ForestPlan
    n_samples: int
    columns: ColumnDraws
    finish: Finish | None

    @property
    def is_apart(self) -> bool:
        """Whether trees have weights or columns of a kind that the core's forests do not draw."""
        return self.forest_plan.balanced or self.columns.with_copies

    @property
    def measures_some(self) -> bool:
        """Whether trees measure distances, each over columns of its own."""
        measures = any(isinstance(choice, DistanceSplits) for choice in self.plan.splits)
        return measures and not self.columns.is_all

    def counts(self, seed: int) -> np.ndarray:
        """How often the tree of this seed sees each row."""
        sampled = self.forest_plan.sampling
        return sampling.row_counts(seed, self.target, self.n_samples, sampled)

    def seen_target(self, counts: np.ndarray) -> Target:
        """The target with rows weighted as a tree of these counts weights them."""
        target = weighted(self.target, counts)
        return balanced(target) if self.forest_plan.balanced else target

    def shown(self, seed: int) -> Table:
        """The table as the tree of this seed sees it: other columns than its own are constant."""
        if self.columns.is_all:
            return self.table
        return masked(self.table, self.columns.columns(seed))


def work_of(
    table: Table, target: Target, plan: Plan, forest_plan: ForestPlan, finish: Finish | None
) -> Work:
    """The work, with every choice that needs the table judged and turned into numbers."""
    table = judged(table, target, plan)
    n_samples = forest_plan.draws(rows_with_weight(target))
    if forest_plan.sampling == "bootstrap":
        check_drawn(target.weights, n_samples)
    columns = column_draws(len(table.schema), forest_plan)
    return Work(table, target, plan, forest_plan, n_samples, columns, finish)


class TreeByTree:
    """Takes the place of the core's forest grower where `Work.is_apart`: one call a tree."""

    interrupted = False

    def __init__(self, work: Work) -> None:
        self._work = work

    def grow(
        self, seeds: Sequence[int], threads: int, keep_finished: bool, tick: Tick | None
    ) -> Iterator[dict[str, Any]]:
        """The trees in their order, each grown when it is asked for."""
        for number, seed in enumerate(seeds, 1):
            yield self._arrays(seed, threads)
            if tick is not None:
                tick(number)

    def _arrays(self, seed: int, threads: int) -> dict[str, Any]:
        work, plan = self._work, replace(self._work.plan, seed=seed)
        target = work.seen_target(work.counts(seed))
        settings = plan.resolved(rows_with_weight(target), work.table.schema)
        return _core.grow(*core_data(work.shown(seed), target), threads=threads, **settings)


class Grower:
    """Grows trees by their seeds; `oob` sums up what they say about rows that they did not see.

    Where the core's sums do not tell (other leaves, pruned trees), the trees are asked one by one.
    The sums go on from those of `before`: the same bits as if its trees were grown here.
    """

    def __init__(self, work: Work, before: Oob | None = None) -> None:
        self._work = work
        summed = work.forest_plan.oob
        self._sums = out_of_bag.nothing(work.target, summed) if before is None else before
        is_changed = work.finish is not None or work.is_apart
        self._core_tells = not (is_changed or work.measures_some)
        target, schema = work.target, work.table.schema
        self._facts = Facts(schema, target.task, target.classes, work.plan.criterion)
        self._core = self._core_grower()
        self._interrupted = False
        if before is not None and self._core_tells:
            name = self._name_of_sums()
            total = before.total.astype(np.int64 if name == "hard" else np.float64, copy=False)
            lost = np.ascontiguousarray(np.broadcast_to(before.lost, total.shape))
            self._core.start_oob({"votes": before.votes, name: total, f"{name}_lost": lost})

    def grow(
        self, seeds: Sequence[int], threads: int, take: Take, tick: Tick | None = None
    ) -> None:
        """Give `take` one tree a seed; can be called again for more.

        Where Ctrl-C came and the plan keeps what there is, only the first ones, and `interrupted`.
        """
        work = self._work
        is_weighted = work.target.weights is not None or bool(work.forest_plan.bootstrap)
        weighted_numbers = work.target.task == "regression" and is_weighted
        with tells_what_growth_takes(work.table, threads, weighted_numbers):
            self._grow(seeds, threads, take, tick)

    def _grow(self, seeds: Sequence[int], threads: int, take: Take, tick: Tick | None) -> None:
        keep = self._work.forest_plan.keep_interrupted
        if self._core_tells:
            self._core.grow(
                seeds,
                threads,
                keep,
                tick,
                lambda number, grown: take(number, self._made(grown)),
                NAMES,
            )
            return
        grown = map(self._tree, self._core.grow(seeds, threads, keep, tick))
        pairs = zip(seeds, grown, strict=False)
        self._give(take, (self._finished(tree, seed, threads) for seed, tree in pairs))

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C came and was not raised, for the sake of the trees there are."""
        return self._interrupted or self._core.interrupted

    def oob(self) -> Oob:
        """The sums over all trees so far."""
        if not self._core_tells:
            return self._sums
        sums, name = self._core.oob_sums(), self._name_of_sums()
        total = sums[name].astype(np.float64, copy=False)
        return Oob(sums["votes"], total, lost=sums.get(f"{name}_lost", 0.0))

    def _give(self, take: Take, made: Iterator[tuple[Tree, Told | None]]) -> None:
        """These trees, or those that were made before Ctrl-C came."""
        try:
            for number, (tree, told) in enumerate(made):
                take(number, tree)
                if told is not None:
                    self._sums += told
        except KeyboardInterrupt:
            if not self._work.forest_plan.keep_interrupted:
                raise
            self._interrupted = True

    def _finished(self, tree: Tree, seed: int, threads: int) -> tuple[Tree, Told | None]:
        """The tree after the stages that follow growth."""
        work = self._work
        counts = work.counts(seed)
        if work.finish is not None:
            tree = work.finish(tree, work.shown(seed), work.seen_target(counts), seed)
        if work.measures_some:
            tree = measured_by(tree, work.columns.columns(seed))
        if not work.forest_plan.oob:
            return tree, None
        combiner = work.forest_plan.combiner(tree.task)
        return tree, out_of_bag.of_tree(tree, work.table, counts, combiner, threads)

    def _made(self, grown: bytes | dict[str, object]) -> Tree | Packed:
        return Packed(self._facts, grown) if isinstance(grown, bytes) else self._tree(grown)

    def _tree(self, arrays: dict[str, object]) -> Tree:
        schema, task, classes, criterion, *_ = self._facts
        return from_core(schema, task, classes, criterion, arrays)

    def _core_grower(self) -> Any:
        work = self._work
        if work.is_apart:
            return TreeByTree(work)
        plan, settings = work.plan, work.plan.resolved(work.table.n_rows, work.table.schema)
        del settings["seed"]
        for name in ("min_samples_split", "min_samples_leaf"):
            if isinstance(getattr(plan, name), float):
                settings[name] = getattr(plan, name)
        return _core.ForestGrower(
            *core_data(work.table, work.target),
            bootstrap=work.forest_plan.sampling,
            n_samples=work.n_samples,
            n_columns=work.columns.n_drawn,
            oob=work.forest_plan.oob and self._core_tells,
            **settings,
        )

    def _name_of_sums(self) -> str:
        combiner = self._work.forest_plan.combiner(self._work.target.task)
        return {"soft": "shares", "hard": "hard", "mean": "values"}[combiner]


def weighted(target: Target, counts: np.ndarray) -> Target:
    """The target with rows weighted by their counts, and by their own weights."""
    weights = counts.astype(np.float64)
    if target.weights is not None:
        weights *= target.weights
    return replace(target, weights=weights)


def balanced(target: Target) -> Target:
    """The target with every class that has weight weighted to the same total."""
    assert target.classes is not None
    by_class = weights_of_classes("balanced", target.values, target.classes, target.weights)
    weights = times_class(target.weights, by_class, target.values)
    return replace(target, weights=weights, class_weights=by_class)


def masked(table: Table, columns: np.ndarray) -> Table:
    """The table with all other columns constant: no split can ask about them."""
    shown = set(columns.tolist())
    number, code = np.zeros(table.n_rows), np.zeros(table.n_rows, np.int32)
    kinds = [column.kind for column in table.schema.columns]
    kept = (
        column if i in shown else (number if kinds[i] == "continuous" else code)
        for i, column in enumerate(table.columns)
    )
    return replace(table, columns=tuple(kept))
