"""How good a tree is at every size: the errors along its cost-complexity path.

The whole tree is grown once, and once for each fold; everything smaller is read off their paths.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from silva.checks import whole as whole_number
from silva.data.bind import told_already
from silva.data.frames import readable_again
from silva.data.table import Task
from silva.inspect.alpha_path import LEAST_ALPHA, AlphaPath, chosen, cross_validated
from silva.inspect.fold_rows import folds_of
from silva.inspect.models import UNPRUNED, held_out, training_target, unfitted
from silva.inspect.summary import MEASURE
from silva.messages import counted
from silva.notebook import ShownAsText
from silva.tree import route

ERROR: dict[Task, str] = {"classification": "error", "regression": MEASURE["regression"]}
MOST_SHOWN = 20
LARGEST_SEED = 2**32 - 1
"""NumPy's RandomState, which shuffles the folds, takes no larger one."""
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
    X = readable_again(X)
    grower = unfitted(model, **UNPRUNED)
    target = training_target(grower, y, sample_weight)
    folds = [] if cv is None else [rows for _, rows in folds_of(cv, target, seed)]
    whole = AlphaPath(grower.fit(X, y, sample_weight).grown_tree_)
    train = whole.errors(grower.apply(X), target)
    validation = _validated(whole, X_val, y_val)
    curve, spread = None, None
    if folds:
        with told_already():
            given = (X, y, sample_weight, target)
            curve, spread = cross_validated(grower, whole, *given, folds)
    best, one_se = chosen(validation if curve is None else curve, spread)
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


def _validated(whole: AlphaPath, X_val: Any, y_val: Any) -> np.ndarray | None:
    if X_val is None and y_val is None:
        return None
    table, truth = held_out(whole.tree, X_val, y_val)
    return whole.errors(route.leaves(whole.tree, table), truth)


def _aligned(cells: list[str]) -> str:
    return "  " + "".join(f"{cell:>{width}}" for cell, width in zip(cells, _WIDTHS, strict=False))
