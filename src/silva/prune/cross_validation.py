"""Cross-validation along a pruning path: one tree a fold, its whole path judged in one pass."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from silva.data.large import too_large_to_square
from silva.data.table import Target
from silva.errors import DataError
from silva.prune.costs import Costs, validation_costs
from silva.prune.evidence import Grow, Rows
from silva.tree import stats
from silva.tree.tree import Tree


class Path(NamedTuple):
    """Cut i, made at alphas[i], makes nodes[i] a leaf, which saves leaves[i] leaves.

    Alphas ascend from 0 on.
    """

    alphas: np.ndarray
    nodes: np.ndarray
    leaves: np.ndarray

    @property
    def starts(self) -> np.ndarray:
        """The alpha from which on each tree of the path is the answer: 0 and those of cuts."""
        return np.unique([0.0, *self.alphas.tolist()])

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
    weight = []
    for fold in deals:
        for number in range(int(fold.max()) + 1):
            tree = _grown(rows, grow, fold, number)
            held_out = take(rows, np.flatnonzero(fold == number))
            costs = validation_costs(tree, held_out, threads)
            for name, path in paths_of(tree).items():
                lost[name].append(errors_at(tree, path, whole[name].between, costs))
            weight.append(_weight(held_out.target))
    n_folds = len(weight) // len(deals)
    return {
        name: _curve(whole[name].starts, np.array(found), np.array(weight), n_folds)
        for name, found in lost.items()
    }


def errors_at(tree: Tree, path: Path, alphas: np.ndarray, costs: Costs) -> np.ndarray:
    """The error of the tree pruned at each of the alphas, on the rows of `costs`."""
    found = np.array([costs.error(cost) for cost in path_costs(tree, path.nodes, costs)])
    errors: np.ndarray = found[path.cuts_until(alphas)]
    return errors


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
