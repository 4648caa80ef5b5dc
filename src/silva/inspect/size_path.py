"""How good a tree is at every size: the errors along its cost-complexity path.

The whole tree is grown once, and once for each fold; everything smaller is read off their paths.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from silva.data.bind import told_already
from silva.data.names import counted
from silva.data.table import Target, Task
from silva.data.weights import bind_weights
from silva.errors import PlanError
from silva.grow.checks import whole as whole_number
from silva.inspect.fold_rows import folds_of
from silva.inspect.models import UNPRUNED, held_out, training_target, unfitted
from silva.inspect.path_depths import path_depths
from silva.inspect.summary import MEASURE
from silva.notebook import ShownAsText
from silva.prune import cost_complexity
from silva.prune.costs import ended_costs
from silva.prune.cross_validation import path_costs
from silva.tree import route
from silva.tree.tree import Tree

ERROR: dict[Task, str] = {"classification": "error", "regression": MEASURE["regression"]}
MOST_SHOWN = 20
LARGEST_SEED = 2**32 - 1
"""NumPy's RandomState, which shuffles the folds, takes no larger one."""
LEAST_ALPHA = float(np.nextafter(0.0, 1.0))
"""Stands for the alpha of cuts that cost nothing: at 0 itself the whole tree stays."""
_WIDTHS = (8, 7, 12, 14, 14, 14, 12)


@dataclass(frozen=True, eq=False)
class SizePath(ShownAsText):
    """One entry a tree of the path, the whole tree first, the root alone last.

    `ccp_alpha=alphas[i]` grows tree i on the same rows. `train`, `validation` and `cv` are error
    rates, or mean squared errors; `cv_spread` is the standard error of `cv` over the folds. The
    last two are None without cross-validation, `validation` without validation rows. `best` is the
    entry of least error (cross-validated, else on validation rows; of equals the smallest tree),
    `one_se` the smallest tree within one standard error of it; None where nothing can choose.
    """

    task: Task
    alphas: np.ndarray
    leaves: np.ndarray
    depths: np.ndarray
    train: np.ndarray
    validation: np.ndarray | None
    cv: np.ndarray | None
    cv_spread: np.ndarray | None
    folds: int
    best: int | None
    one_se: int | None

    def __str__(self) -> str:
        trees = counted(len(self.leaves), "tree")
        head = f"{ERROR[self.task]} of {trees} on the cost-complexity path"
        columns = ["leaves", "depth", "alpha", "train"]
        columns += ["validation"] * (self.validation is not None)
        columns += [f"cv ({self.folds} folds)", "+-"] * (self.cv is not None)
        lines = [f"{head}:", _aligned(columns)]
        lines += [_aligned(self._cells(place)) + self._mark(place) for place in self._shown()]
        hidden = len(self.leaves) - len(self._shown())
        return "\n".join([*lines, f"  {counted(hidden, 'tree')} not shown"] if hidden else lines)

    def _cells(self, place: int) -> list[str]:
        curves = (self.train, self.validation, self.cv, self.cv_spread)
        figures = [f"{curve[place]:.4g}" for curve in curves if curve is not None]
        alpha = float(self.alphas[place])
        told = "above 0" if alpha == LEAST_ALPHA else f"{alpha:.4g}"
        return [f"{self.leaves[place]:,}", f"{self.depths[place]}", told, *figures]

    def _mark(self, place: int) -> str:
        names = {self.best: "least error", self.one_se: "one standard error"}
        if self.best is not None and self.best == self.one_se:
            names[self.best] = "least error, one standard error"
        return f"  <- {names[place]}" if place in names else ""

    def _shown(self) -> list[int]:
        """The marked trees, and others at even steps of the logarithm of the leaves."""
        last = len(self.leaves) - 1
        if last < MOST_SHOWN:
            return list(range(last + 1))
        wanted = np.geomspace(self.leaves[0], 1, MOST_SHOWN - 2)
        near = np.abs(np.log(self.leaves)[:, None] - np.log(wanted)).argmin(axis=0)
        marked = [place for place in (self.best, self.one_se) if place is not None]
        return sorted({0, last, *near.tolist(), *marked})


def size_path(
    model: Any,
    X: Any,
    y: Any,
    cv: Any = 10,
    *,
    sample_weight: Any = None,
    X_val: Any = None,
    y_val: Any = None,
    seed: int = 0,
) -> SizePath:
    """The errors of all trees on the cost-complexity path of a model.

    The model is a template: its pruning is left out, and one tree is grown on all rows and one for
    each fold. `cv` is a number of folds (shuffled by `seed`, and stratified for classes), anything
    that scikit-learn takes as `cv`, or None. Validation rows count once each.

    Tree i of the path is best for all alphas between its own and the next; its cross-validated
    error is that of the folds' trees pruned at the geometric mean of the two, as CART has it.
    """
    whole_number("seed", seed, 0, LARGEST_SEED)
    grower = unfitted(model, **UNPRUNED)
    target = training_target(grower, y, sample_weight)
    folds = [] if cv is None else [rows for _, rows in folds_of(cv, target, seed)]
    whole = _Path(grower.fit(X, y, sample_weight))
    train = whole.errors(grower.apply(X), target)
    validation = _validated(whole, X_val, y_val)
    curve, spread = None, None
    if folds:
        with told_already():
            given = (grower, X, y, sample_weight, target)
            errors = [_fold_errors(*given, rows, whole) for rows in folds]
        curve, spread = _averaged(errors, [_total(target.take(rows)) for rows in folds])
    best, one_se = _chosen(validation if curve is None else curve, spread)
    return SizePath(
        task=target.task,
        alphas=whole.alphas,
        leaves=whole.leaves,
        depths=whole.depths(),
        train=train,
        validation=validation,
        cv=curve,
        cv_spread=spread,
        folds=len(folds),
        best=best,
        one_se=one_se,
    )


class _Path:
    """The trees of a grown model's path, one for each alpha at which leaves fall."""

    def __init__(self, model: Any) -> None:
        self.tree: Tree = model.grown_tree_
        if self.tree.linear is not None:
            raise PlanError(
                "leaf='linear' is not possible: the path measures trees with constant leaves, for"
                " linear models change with every cut. Leave leaf at its default."
            )
        cuts = cost_complexity.cuts(self.tree)
        strength = cuts.alphas
        is_last = np.append(strength[1:] != strength[:-1], True)[: len(strength)]
        saved = np.cumsum(np.append(0, cuts.leaves))
        self._nodes = cuts.nodes
        self._kept = np.concatenate(([0], np.flatnonzero(is_last) + 1))
        self.alphas = np.concatenate(([0.0], np.maximum(strength[is_last], LEAST_ALPHA)))
        self.leaves = self.tree.n_leaves - saved[self._kept]

    def errors(self, ends: np.ndarray, target: Target) -> np.ndarray:
        """The error of each tree on rows that end at these nodes of the whole one."""
        costs = ended_costs(self.tree, ends, target)
        return costs.errors(path_costs(self.tree, self._nodes, costs)[self._kept])

    def depths(self) -> np.ndarray:
        """The depth of each tree."""
        return np.asarray(path_depths(self.tree, self._nodes)[self._kept])

    def between(self) -> np.ndarray:
        """An alpha inside the range of each tree: geometric means, and infinity for the root."""
        inside: np.ndarray = np.sqrt(self.alphas[:-1]) * np.sqrt(self.alphas[1:])
        return np.append(inside, np.inf)

    def at(self, alphas: np.ndarray) -> np.ndarray:
        """Which tree of this path pruning at each of `alphas` gives."""
        return np.searchsorted(self.alphas, alphas, side="right") - 1


def _validated(whole: _Path, X_val: Any, y_val: Any) -> np.ndarray | None:
    if X_val is None and y_val is None:
        return None
    table, truth = held_out(whole.tree, X_val, y_val)
    return whole.errors(route.leaves(whole.tree, table), truth)


def _fold_errors(
    grower: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    target: Target,
    rows: np.ndarray,
    whole: _Path,
) -> np.ndarray:
    """The error of every tree of the whole path on the rows that its counterpart did not see.

    Rows of weight zero are left out of growing, and the columns keep their levels.
    """
    weights = bind_weights(sample_weight, len(target.values))
    kept = np.ones(len(target.values)) if weights is None else weights.copy()
    kept[rows] = 0.0
    model = clone(grower).fit(X, y, kept)
    fold = _Path(model)
    errors = fold.errors(model.apply(X)[rows], target.take(rows))
    return np.asarray(errors[fold.at(whole.between())])


def _averaged(fold_errors: list[np.ndarray], totals: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """The error over all folds, and the standard error of the folds' own errors."""
    errors = np.stack(fold_errors)
    spread = errors.std(axis=0, ddof=1) / np.sqrt(len(totals)) if len(totals) > 1 else 0 * errors[0]
    return np.average(errors, axis=0, weights=totals), spread


def _chosen(errors: np.ndarray | None, spread: np.ndarray | None) -> tuple[int | None, int | None]:
    if errors is None:
        return None, None
    best = int(np.flatnonzero(errors == errors.min())[-1])
    if spread is None:
        return best, None
    return best, int(np.flatnonzero(errors <= errors[best] + spread[best])[-1])


def _total(target: Target) -> float:
    return float(len(target.values) if target.weights is None else target.weights.sum())


def _aligned(cells: list[str]) -> str:
    return "  " + "".join(f"{cell:>{width}}" for cell, width in zip(cells, _WIDTHS, strict=False))
