"""What follows growth: pruning, and what leaves answer."""

from collections.abc import Callable
from typing import Any

from silva.data.table import Table, Target, Task
from silva.estimators.params import leaf_of
from silva.leaf.choice import Leaf
from silva.prune import cost_complexity
from silva.tree.tree import Tree

Finish = Callable[[Tree, Table, Target], Tree]


def finish_of(estimator: Any, task: Task, n_threads: int) -> Finish | None:
    """The stages that the parameters of an estimator ask for; None if growth is all.

    A bad choice of leaves is refused here; `plan_of` judges the other parameters.
    """
    leaf, alpha = leaf_of(estimator.leaf, task), estimator.ccp_alpha
    if leaf is None and not alpha > 0.0:
        return None

    def finish(tree: Tree, table: Table, target: Target) -> Tree:
        if alpha > 0.0:
            tree = cost_complexity.prune(tree, alpha)
        return tree if leaf is None else _with_leaves(tree, table, target, leaf, n_threads)

    return finish


def _with_leaves(tree: Tree, table: Table, target: Target, leaf: Leaf, n_threads: int) -> Tree:
    from silva.leaf.fit import fit_leaves

    return fit_leaves(tree, table, target, leaf, n_threads)
