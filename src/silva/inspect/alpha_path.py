"""The trees of one cost-complexity path, one for each alpha at which leaves fall, and their errors.

Shared by `size_path`, which grows the whole tree first, and the explorer page, which takes the tree
of a fitted model as it is.
"""

from itertools import accumulate
from typing import Any

import numpy as np
from sklearn.base import clone

from silva.data.table import Target
from silva.data.weights import bind_weights
from silva.errors import PlanError
from silva.inspect.path_depths import path_depths
from silva.prune import cost_complexity
from silva.prune.costs import ended_costs, training_costs
from silva.prune.cross_validation import path_costs, taken_over
from silva.tree.tree import Tree

LEAST_ALPHA = float(np.nextafter(0.0, 1.0))
"""Stands for the alpha of cuts that cost nothing: at 0 itself the whole tree stays."""


class AlphaPath:
    """The trees of a tree's path, the whole one first, the root alone last."""

    def __init__(self, tree: Tree) -> None:
        if tree.linear is not None:
            raise PlanError(
                "leaf='linear' is not possible: the path measures trees with constant leaves, for"
                " linear models change with every cut. Leave leaf at its default."
            )
        self.tree = tree
        cuts = cost_complexity.cuts(tree)
        strength = cuts.alphas
        is_last = np.append(strength[1:] != strength[:-1], True)[: len(strength)]
        saved = np.cumsum(np.append(0, cuts.leaves))
        self._nodes = cuts.nodes
        self._kept = np.concatenate(([0], np.flatnonzero(is_last) + 1))
        self.alphas = np.concatenate(([0.0], np.maximum(strength[is_last], LEAST_ALPHA)))
        self.leaves = tree.n_leaves - saved[self._kept]

    def errors(self, ends: np.ndarray, target: Target) -> np.ndarray:
        """The error of each tree on rows that end at these nodes of the whole one."""
        costs = ended_costs(self.tree, ends, target)
        return costs.errors(path_costs(self.tree, self._nodes, costs)[self._kept])

    def training_errors(self) -> np.ndarray:
        """The same on the rows that the tree was grown from, by its own statistics."""
        costs = training_costs(self.tree)
        whole, nodes = costs.of_tree(self.tree), self._nodes.tolist()
        rise = [costs.leaf[node] - whole[node] for node in nodes]
        order, until = taken_over(self.tree, self._nodes)
        added = list(accumulate(rise, initial=whole[0]))
        taken = list(accumulate((rise[cut] for cut in order.tolist()), initial=0))
        kept = zip(self._kept.tolist(), until[self._kept].tolist(), strict=True)
        return np.array([costs.error(added[cut] - taken[done]) for cut, done in kept])

    def depths(self) -> np.ndarray:
        """The depth of each tree."""
        return np.asarray(path_depths(self.tree, self._nodes)[self._kept])

    def leaf_from(self) -> np.ndarray:
        """The first tree in which each inner node is a leaf; -1 for leaves and where none is."""
        step = np.full(self.tree.n_nodes, -1, dtype=np.int64)
        cut = np.arange(1, len(self._nodes) + 1)
        step[self._nodes] = np.searchsorted(self._kept, cut, side="left")
        step[self._covered(step)] = -1
        return step

    def _covered(self, step: np.ndarray) -> np.ndarray:
        """The nodes that are cut in the same step as one above them, and so are never a leaf."""
        nodes = np.flatnonzero(step >= 0)
        end = self.tree.subtree_end
        open_ends: list[tuple[int, int]] = []
        covered = []
        for node in nodes.tolist():
            while open_ends and open_ends[-1][0] <= node:
                open_ends.pop()
            if open_ends and open_ends[-1][1] <= step[node]:
                covered.append(node)
            else:
                open_ends.append((int(end[node]), int(step[node])))
        return np.array(covered, dtype=np.int64)

    def between(self) -> np.ndarray:
        """An alpha inside the range of each tree: geometric means, and infinity for the root."""
        inside: np.ndarray = np.sqrt(self.alphas[:-1]) * np.sqrt(self.alphas[1:])
        return np.append(inside, np.inf)

    def at(self, alphas: np.ndarray) -> np.ndarray:
        """Which tree of this path pruning at each of `alphas` gives."""
        return np.searchsorted(self.alphas, alphas, side="right") - 1


def cross_validated(
    grower: Any,
    whole: AlphaPath,
    X: Any,
    y: Any,
    sample_weight: Any,
    target: Target,
    folds: list[np.ndarray],
) -> tuple[np.ndarray, np.ndarray]:
    """The errors of all trees of a path by trees that `grower` grows without one fold.

    Each tree of the path is judged by the folds' trees pruned at an alpha inside its range. Returns
    the error over all folds, and the standard error of the folds' own errors.
    """
    given = (grower, X, y, sample_weight, target)
    errors = [_fold_errors(*given, rows, whole) for rows in folds]
    return _averaged(errors, [_total(target.take(rows)) for rows in folds])


def chosen(errors: np.ndarray | None, spread: np.ndarray | None) -> tuple[int | None, int | None]:
    """The smallest tree of least error, and the smallest within one standard error of it.

    None where errors are beyond float64.
    """
    if errors is None or not np.isfinite(errors.min()):
        return None, None
    best = int(np.flatnonzero(errors == errors.min())[-1])
    if spread is None or not np.isfinite(spread[best]):
        return best, None
    return best, int(np.flatnonzero(errors <= errors[best] + spread[best])[-1])


def _fold_errors(
    grower: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    target: Target,
    rows: np.ndarray,
    whole: AlphaPath,
) -> np.ndarray:
    """The error of every tree of the whole path on the rows that its counterpart did not see.

    Rows of weight zero are left out of growing, and the columns keep their levels.
    """
    weights = bind_weights(sample_weight, len(target.values))
    kept = np.ones(len(target.values)) if weights is None else weights.copy()
    kept[rows] = 0.0
    model = clone(grower).fit(X, y, kept)
    fold = AlphaPath(model.grown_tree_)
    errors = fold.errors(model.apply(X)[rows], target.take(rows))
    return np.asarray(errors[fold.at(whole.between())])


def _averaged(fold_errors: list[np.ndarray], totals: list[float]) -> tuple[np.ndarray, np.ndarray]:
    errors = np.stack(fold_errors)
    spread = errors.std(axis=0, ddof=1) / np.sqrt(len(totals)) if len(totals) > 1 else 0 * errors[0]
    return np.average(errors, axis=0, weights=totals), spread


def _total(target: Target) -> float:
    return float(len(target.values) if target.weights is None else target.weights.sum())
