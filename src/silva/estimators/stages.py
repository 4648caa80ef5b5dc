"""What follows growth: pruning, and what leaves answer."""

from collections.abc import Callable
from typing import Any, NamedTuple

from silva.data.table import Table, Target
from silva.estimators.params import leaf_of, pruning_of
from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.leaf.choice import Leaf
from silva.prune import cost_complexity
from silva.prune.evidence import Rows
from silva.prune.fitting import Growth, evidence_of, grow_and_prune
from silva.prune.names import checked_result, looks_at_validation
from silva.prune.record import Record
from silva.tree.tree import Tree

Finish = Callable[[Tree, Table, Target], Tree]


class GrownTree(NamedTuple):
    """A finished tree, what a pruner did to it, and whether held-out rows had a part in that."""

    tree: Tree
    record: Record | None
    chose: bool


def grown_tree(
    estimator: Any, rows: Rows, held_out: Rows | None, plan: Plan, leaf: Leaf, n_threads: int
) -> GrownTree:
    """The tree of these rows, pruned as the parameters of an estimator ask, with such leaves."""
    pruner, split = pruning_of(estimator, plan)
    grow_from = _growth(plan, n_threads)
    if pruner is None:
        tree, record, chose = _at_alpha(grow_from(rows), estimator.ccp_alpha), None, False
    else:
        pruned = grow_and_prune(rows, grow_from, pruner, held_out, split, n_threads)
        tree, record = pruned.tree, pruned.record
        chose = held_out is not None and looks_at_validation(pruner) != "never"
    return GrownTree(_with_leaves(tree, rows, leaf, n_threads), record, chose)


def finish_of(estimator: Any, plan: Plan, n_threads: int) -> Finish | None:
    """What follows the growth of each tree of a forest; None if growth is all.

    A pruner that needs validation rows grows its tree anew, from a part of the tree's own rows: the
    rows that a tree does not see stay new to it.
    """
    leaf, alpha = leaf_of(estimator.leaf, plan.task), estimator.ccp_alpha
    pruner, split = pruning_of(estimator, plan)
    if leaf is None and pruner is None and not alpha:
        return None
    grow_from = _growth(plan, n_threads)

    def finish(tree: Tree, table: Table, target: Target) -> Tree:
        rows = Rows(table, target)
        if pruner is None:
            tree = _at_alpha(tree, alpha)
        elif looks_at_validation(pruner) == "always":
            tree = grow_and_prune(rows, grow_from, pruner, None, split, n_threads).tree
        else:
            evidence = evidence_of(rows, None, grow_from, n_threads)
            tree = checked_result(pruner, pruner(tree, evidence)).tree
        return _with_leaves(tree, rows, leaf, n_threads)

    return finish


def _growth(plan: Plan, n_threads: int) -> Growth:
    return lambda rows: grow(rows.table, rows.target, plan, n_threads)


def _at_alpha(tree: Tree, alpha: float) -> Tree:
    return cost_complexity.prune(tree, alpha) if alpha > 0.0 else tree


def _with_leaves(tree: Tree, rows: Rows, leaf: Leaf, n_threads: int) -> Tree:
    if leaf is None:
        return tree
    from silva.leaf.fit import fit_leaves

    return fit_leaves(tree, rows.table, rows.target, leaf, n_threads)
