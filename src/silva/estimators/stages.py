"""What follows growth: pruning, and what leaves answer."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from silva.data.table import Table, Target, Task
from silva.ensemble.growers import Finish
from silva.estimators.params import Pruning, leaf_of, pruning_of
from silva.grow.grow import grow, rows_with_weight
from silva.grow.plan import Plan
from silva.leaf.choice import Leaf
from silva.prune import cost_complexity
from silva.prune.evidence import Rows
from silva.prune.fitting import Growth, grow_and_prune
from silva.prune.names import looks_at_validation
from silva.prune.record import Record
from silva.tree.tree import Tree

_ONLY_TESTED = ContextVar("_ONLY_TESTED", default=False)


@contextmanager
def held_out_rows_only_test() -> Iterator[None]:
    """In fits inside, the held-out rows choose nothing; pruners take rows of training instead."""
    before = _ONLY_TESTED.set(True)
    try:
        yield
    finally:
        _ONLY_TESTED.reset(before)


def pruned(
    pruning: Pruning, rows: Rows, growth: Growth, held_out: Rows | None, n_threads: int
) -> tuple[Tree, Record | None, bool]:
    """The tree of these rows, pruned; what was done; whether held-out rows chose."""
    if pruning.pruner is None:
        tree = growth(rows)
        if pruning.ccp_alpha:
            tree = cost_complexity.prune(tree, pruning.ccp_alpha)
        return tree, None, False
    if _ONLY_TESTED.get():
        held_out = None
    result = grow_and_prune(rows, growth, pruning.pruner, held_out, pruning.split, n_threads)
    chose = held_out is not None and looks_at_validation(pruning.pruner) != "never"
    return result.tree, result.record, chose


def growth_of(plan: Plan, n_threads: int) -> Growth:
    """How trees grow from rows by a plan."""

    def growth(rows: Rows, min_samples_leaf: int = 1) -> Tree:
        larger = plan.with_larger_leaves(min_samples_leaf, rows_with_weight(rows.target))
        return grow(rows.table, rows.target, larger, n_threads)

    return growth


def with_leaves(tree: Tree, table: Table, target: Target, leaf: Leaf, n_threads: int) -> Tree:
    """The tree with the answers that `leaf` asks for."""
    from silva.leaf.fit import fit_leaves

    return fit_leaves(tree, table, target, leaf, n_threads)


def finish_of(estimator: Any, plan: Plan, task: Task, n_threads: int) -> Finish | None:
    """The stages of each tree of a forest; None if growth is all.

    A bad choice of leaves is refused here; `plan_of` judges the other parameters.
    """
    leaf = leaf_of(estimator.leaf, task)
    asked = pruning_of(estimator, plan, drawing=0)
    if leaf is None and asked.pruner is None and not asked.ccp_alpha:
        return None

    def finish(tree: Tree, table: Table, target: Target, seed: int) -> Tree:
        rows = Rows(table, target)
        other_growth = growth_of(replace(plan, seed=seed), n_threads)

        def growth(chosen: Rows, min_samples_leaf: int = 1) -> Tree:
            if chosen is rows:
                return tree
            return other_growth(chosen, min_samples_leaf)

        pruning = pruning_of(estimator, plan, drawing=seed)
        done, _, _ = pruned(pruning, rows, growth, None, n_threads)
        return done if leaf is None else with_leaves(done, table, target, leaf, n_threads)

    return finish
