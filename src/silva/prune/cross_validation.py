"""Cross-validation along a pruning path: one tree a fold, its whole path judged in one pass."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from silva.data.table import Table, Target
from silva.errors import DataError
from silva.prune.costs import Costs, validation_costs
from silva.prune.evidence import Grow, Rows
from silva.tree import stats
from silva.tree.tree import Tree


class Steps(NamedTuple):
    """A path: after cut i, made at alphas[i], nodes[i] is a leaf. Alphas ascend."""

    alphas: np.ndarray
    nodes: np.ndarray


StepsOf = Callable[[Tree], Steps]


@dataclass(frozen=True, slots=True)
class Curve:
    """Errors on rows held out against alpha, from one tree a fold.

    `errors` is the error of all rows together (wrong share, or mean squared error by weight), each
    judged by the tree that was grown without it; `deviations` the standard error of that mean: the
    deviation of the folds' errors over the root of their number.
    """

    alphas: np.ndarray
    errors: np.ndarray
    deviations: np.ndarray
    fold_errors: np.ndarray


def path_costs(tree: Tree, nodes: np.ndarray, costs: Costs) -> list[int]:
    """The cost of the whole tree before the first cut and after each, on the rows of `costs`.

    A cut replaces what is left of its branch. What all cuts inside a branch change adds up to the
    difference of the branch as it was and as a leaf, so each cut's own part is what the cuts below
    it leave over.
    """
    current, above = costs.of_tree(tree), stats.parent(tree).tolist()
    rise_below = [0] * tree.n_nodes
    is_cut = np.zeros(tree.n_nodes, dtype=bool)
    is_cut[nodes] = True
    own = {}
    for node in range(tree.n_nodes - 1, -1, -1):
        if is_cut[node]:
            rise = costs.leaf[node] - current[node]
            own[node] = rise - rise_below[node]
            rise_below[node] = rise
        if node:
            rise_below[above[node]] += rise_below[node]
    total = [current[0]]
    for node in nodes.tolist():
        total.append(total[-1] + own[node])
    return total


def folds(target: Target, n_folds: int, seed: int) -> np.ndarray:
    """The fold of each row, -1 for rows without weight (int64).

    Classes are dealt out evenly: the rows of each in random order, one class after the other.
    With fewer rows than folds, each row is a fold of its own.
    """
    rows = np.arange(len(target.values))
    rows = rows if target.weights is None else rows[target.weights > 0]
    rows = np.random.default_rng(seed).permutation(rows)
    if target.task == "classification":
        rows = rows[np.argsort(target.values[rows], kind="stable")]
    fold = np.full(len(target.values), -1, dtype=np.int64)
    fold[rows] = np.arange(len(rows)) % n_folds
    return fold


def cross_validated(
    rows: Rows, grow: Grow, steps_of: StepsOf, alphas: np.ndarray, fold: np.ndarray, threads: int
) -> Curve:
    """The errors of pruning at each of the alphas (ascending)."""
    n_folds = int(fold.max()) + 1
    lost, weight = np.zeros((n_folds, len(alphas))), np.zeros(n_folds)
    for number in range(n_folds):
        tree = _grown(rows, grow, fold, number)
        held_out = take(rows, np.flatnonzero(fold == number))
        costs = validation_costs(tree, held_out, threads)
        steps = steps_of(tree)
        path = [costs.error(cost) for cost in path_costs(tree, steps.nodes, costs)]
        lost[number] = np.array(path)[np.searchsorted(steps.alphas, alphas, side="right")]
        weight[number] = _weight(held_out.target)
    with np.errstate(over="ignore", invalid="ignore"):
        errors = np.average(lost, axis=0, weights=weight)
        spread = lost.std(axis=0, ddof=1) / np.sqrt(n_folds)
    return Curve(alphas, errors, np.nan_to_num(spread, nan=0.0, posinf=0.0), lost)


def take(rows: Rows, chosen: np.ndarray) -> Rows:
    """Some of the rows."""
    table, target = rows.table, rows.target
    columns = tuple(column[chosen] for column in table.columns)
    weights = None if target.weights is None else target.weights[chosen]
    return Rows(
        Table(table.schema, columns, len(chosen)),
        replace(target, values=target.values[chosen], weights=weights),
    )


def _grown(rows: Rows, grow: Grow, fold: np.ndarray, number: int) -> Tree:
    """The tree that is grown without one fold; it must know the same columns and classes."""
    tree = grow(np.flatnonzero((fold >= 0) & (fold != number)))
    classes = rows.target.classes
    if tree.schema != rows.table.schema or (
        classes is not None and not np.array_equal(np.asarray(tree.classes), classes)
    ):
        raise DataError(
            "Evidence.grow returned a tree of other columns or classes than the table's; grow it"
            " from rows of the bound table and target, not from data bound anew."
        )
    return tree


def _weight(target: Target) -> float:
    return float(len(target.values)) if target.weights is None else float(target.weights.sum())
