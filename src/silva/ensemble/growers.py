"""From seeds to trees: what each tree sees, its growth in the core, and its out-of-bag answers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from silva import _core
from silva.data.table import Table, Target
from silva.ensemble import oob as out_of_bag
from silva.ensemble import sampling
from silva.ensemble.oob import Oob, Told
from silva.ensemble.packed import Facts, Packed
from silva.ensemble.packing import NAMES
from silva.ensemble.plan import ForestPlan
from silva.grow.grow import core_data, judged, rows_with_weight
from silva.grow.plan import Plan
from silva.tree.tree import Tree, from_arrays

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
    n_columns: int
    finish: Finish | None


def work_of(
    table: Table, target: Target, plan: Plan, forest_plan: ForestPlan, finish: Finish | None
) -> Work:
    """The work, with every choice that needs the table judged and turned into numbers."""
    table = judged(table, target, plan)
    n_samples = forest_plan.draws(rows_with_weight(target))
    n_columns = forest_plan.columns_drawn(len(table.schema))
    return Work(table, target, plan, forest_plan, n_samples, n_columns, finish)


class Grower:
    """Grows trees by their seeds; `oob` sums up what they say about rows that they did not see.

    Where the core's sums do not tell (other leaves, pruned trees, very large targets), the trees
    are asked one by one. The sums go on from those of `before`: the same bits as if its trees
    were grown here.
    """

    def __init__(self, work: Work, before: Oob | None = None) -> None:
        self._work = work
        self._sums = out_of_bag.nothing(work.target) if before is None else before
        self._core_tells = work.finish is None and self._sums.unit == 1.0
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
        grown = [self._tree(arrays) for arrays in self._core.grow(seeds, threads, keep, tick)]
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
        counts = sampling.row_counts(seed, work.target, work.n_samples, work.forest_plan.sampling)
        if work.finish is not None:
            tree = work.finish(tree, self._shown(seed), weighted(work.target, counts), seed)
        if not work.forest_plan.oob:
            return tree, None
        combiner = work.forest_plan.combiner(tree.task)
        return tree, out_of_bag.of_tree(tree, work.table, counts, self._sums, combiner, threads)

    def _shown(self, seed: int) -> Table:
        """The table as the tree of this seed sees it: other columns than its own are constant."""
        work = self._work
        if work.n_columns == len(work.table.schema):
            return work.table
        columns = sampling.draw_columns(seed, len(work.table.schema), work.n_columns)
        return masked(work.table, columns)

    def _made(self, grown: bytes | dict[str, object]) -> Tree | Packed:
        return Packed(self._facts, grown) if isinstance(grown, bytes) else self._tree(grown)

    def _tree(self, arrays: dict[str, object]) -> Tree:
        schema, task, classes, criterion, *_ = self._facts
        return from_arrays(schema, task, classes, criterion, arrays)

    def _core_grower(self) -> _core.ForestGrower:
        work = self._work
        plan, settings = work.plan, work.plan.resolved(work.table.n_rows, work.table.schema)
        del settings["seed"]
        for name in ("min_samples_split", "min_samples_leaf"):
            if isinstance(getattr(plan, name), float):
                settings[name] = getattr(plan, name)
        return _core.ForestGrower(
            *core_data(work.table, work.target),
            bootstrap=work.forest_plan.sampling,
            n_samples=work.n_samples,
            n_columns=work.n_columns,
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
