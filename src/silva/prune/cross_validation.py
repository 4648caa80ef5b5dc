"""Cross-validation along a pruning path: one tree a fold, its whole path judged in one pass."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from silva.data.large import too_large_to_square
from silva.data.table import Target
from silva.errors import DataError
from silva.progress import report_progress
from silva.prune.costs import PairCosts, routed_costs
from silva.prune.evidence import Grow, Rows
from silva.tree import moments, stats
from silva.tree.tree import Tree


class Path(NamedTuple):
    """Cut i, made at alphas[i], makes nodes[i] a leaf, which saves leaves[i] leaves.

    Alphas ascend from 0 on; a node comes before those above it. rises[i] is what the cut costs, by
    what the path is made by.
    """

    alphas: np.ndarray
    nodes: np.ndarray
    leaves: np.ndarray
    rises: np.ndarray

    @property
    def starts(self) -> np.ndarray:
        """The alpha from which on each tree of the path is the answer: 0 and those of cuts."""
        return np.unique(np.append(0.0, self.alphas))

    @property
    def between(self) -> np.ndarray:
        """Where other trees' paths stand for each tree: the geometric mean of start and end."""
        starts = self.starts
        return np.append(np.sqrt(starts[:-1]) * np.sqrt(starts[1:]), np.inf)

    def cuts_until(self, alphas: np.ndarray | float) -> np.ndarray:
        """How many cuts are made at each of the alphas."""
        counts: np.ndarray = np.searchsorted(self.alphas, alphas, side="right")
        return counts

    def sizes(self, n_leaves: int) -> np.ndarray:
        """The leaves of each tree of the path of a tree with this many."""
        saved = np.concatenate(([0], np.cumsum(self.leaves)))
        left: np.ndarray = n_leaves - saved[self.cuts_until(self.starts)]
        return left


PathsOf = Callable[[Tree], Mapping[str, Path]]


@dataclass(frozen=True, slots=True)
class Curve:
    """Errors on rows held out, one for each tree of a path, from one tree a fold.

    `alphas` are where the trees start. `errors` is the error of all rows together (wrong share, or
    mean squared error by weight), each judged by the tree that was grown without it; `deviations`
    the standard error of that mean: the deviation of the folds' errors over the root of their
    number. Dealing out the rows again adds folds to judge by, but not to that number.
    """

    alphas: np.ndarray
    errors: np.ndarray
    deviations: np.ndarray
    fold_errors: np.ndarray


def path_costs(tree: Tree, nodes: np.ndarray, costs: PairCosts) -> np.ndarray:
    """The cost of the whole tree before the first cut and after each, on the rows of `costs`.

    As pairs (see `tree.moments`). A cut adds the difference of its branch as a leaf and as it was;
    what cuts inside the branch added is taken off again (`taken_over`).
    """
    rise = moments.minus(costs.leaf, costs.subtree)[nodes]
    order, until = taken_over(tree, nodes)
    added = moments.running(np.concatenate((costs.subtree[:1], rise)))[1:]
    return moments.minus(added, moments.running(rise[order])[until])


def taken_over(tree: Tree, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The cuts in the order in which the next cut above each is made; how many after 0, 1, ...

    Nodes are cut after those below them. The next cut above is found by jumps of doubled length.
    """
    n_nodes, n_cuts = tree.n_nodes, len(nodes)
    place = np.full(n_nodes + 1, n_cuts)
    place[nodes] = np.arange(n_cuts)
    above = np.append(stats.parent(tree), n_nodes)
    above[0] = n_nodes
    near = np.where(place < n_cuts, np.arange(n_nodes + 1), above)
    while not np.array_equal(further := near[near], near):
        near = further
    taken = place[near[above[nodes]]]
    order = np.argsort(taken, kind="stable")
    return order, np.searchsorted(taken[order], np.arange(n_cuts + 1))


def dealt(target: Target, n_folds: int, repeats: int, seed: int) -> list[np.ndarray]:
    """The rows dealt out to folds, again and again."""
    seeds: list[int | tuple[int, int]] = [seed, *((seed, i) for i in range(1, repeats))]
    return [folds(target, n_folds, one) for one in seeds]


def shuffled(target: Target, seed: int | tuple[int, int]) -> np.ndarray:
    """The rows with a weight in random order (int64), classes one after the other."""
    rows = np.arange(len(target.values))
    rows = rows if target.weights is None else rows[target.weights > 0]
    rows = np.random.default_rng(seed).permutation(rows)
    if target.task == "classification":
        rows = rows[np.argsort(target.values[rows], kind="stable")]
    return rows


def folds(target: Target, n_folds: int, seed: int | tuple[int, int]) -> np.ndarray:
    """The fold of each row, -1 for rows without weight (int64).

    Classes are dealt out evenly: the rows of each in random order, one class after the other.
    With fewer rows than folds, each row is a fold of its own.
    """
    rows = shuffled(target, seed)
    fold = np.full(len(target.values), -1, dtype=np.int64)
    fold[rows] = np.arange(len(rows)) % min(n_folds, max(1, len(rows)))
    return fold


def cross_validated(
    rows: Rows,
    grow: Grow,
    paths_of: PathsOf,
    whole: Mapping[str, Path],
    deals: Sequence[np.ndarray],
    threads: int,
) -> dict[str, Curve]:
    """The errors of the trees of some paths of the whole tree, by the same paths of fold trees."""
    if not all(np.isfinite(path.alphas).all() for path in whole.values()):
        raise too_large_to_square(rows.target.values)
    lost: dict[str, list[np.ndarray]] = {name: [] for name in whole}
    between = {name: path.between for name, path in whole.items()}
    weight = []
    judged = [(fold, number) for fold in deals for number in range(int(fold.max()) + 1)]
    for place, (fold, number) in enumerate(judged):
        report_progress("pruning", place / len(judged))
        tree = _grown(rows, grow, fold, number)
        held_out = take(rows, np.flatnonzero(fold == number))
        costs = routed_costs(tree, held_out, threads)
        for name, path in paths_of(tree).items():
            lost[name].append(errors_at(tree, path, between[name], costs))
        weight.append(_weight(held_out.target))
    n_folds = len(weight) // len(deals)
    return {
        name: _curve(whole[name].starts, np.array(found), np.array(weight), n_folds)
        for name, found in lost.items()
    }


def errors_at(tree: Tree, path: Path, alphas: np.ndarray, costs: PairCosts) -> np.ndarray:
    """The error of the tree pruned at each of the alphas, on the rows of `costs`."""
    errors = costs.errors(path_costs(tree, path.nodes, costs))
    return np.asarray(errors[path.cuts_until(alphas)])


def _curve(alphas: np.ndarray, lost: np.ndarray, weight: np.ndarray, n_folds: int) -> Curve:
    with np.errstate(over="ignore", invalid="ignore"):
        errors = np.average(lost, axis=0, weights=weight)
        spread = lost.std(axis=0, ddof=1) / np.sqrt(n_folds)
    return Curve(alphas, errors, np.nan_to_num(spread, nan=0.0, posinf=0.0), lost)


def take(rows: Rows, chosen: np.ndarray) -> Rows:
    """Some of the rows."""
    return Rows(rows.table.take(chosen), rows.target.take(chosen))


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
