"""The prune slider: every tree of the cost-complexity path of the tree that is shown, its errors.

The path is that of the fitted tree as it is, so that no step needs a refit: `ccp_alpha=alphas[i]`
gives step i. Errors on training rows are measured where these are given, else they come from the
statistics of the leaves. Cross-validation grows trees by all settings of the model, its pruning
included, so that step 0 is the model itself.
"""

import warnings
from decimal import ROUND_CEILING, Decimal
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.base import clone

from silva.checks import is_whole, refuse
from silva.data.bind import told_already
from silva.data.table import Table, Target
from silva.inspect.alpha_path import AlphaPath, chosen, cross_validated
from silva.inspect.fold_rows import folds_of
from silva.inspect.size_path import ERROR
from silva.inspect.subject import Subject, unwrapped
from silva.messages import counted
from silva.page.payload.exports import hides
from silva.page.payload.given_rows import GivenRows, ends_in
from silva.page.payload.numbers import exact
from silva.tree import stats
from silva.tree.tree import Tree

AUTO = "auto"
AUTO_FOLDS = 10
AUTO_CELLS = 2_000_000
"""`cv="auto"` cross-validates up to so many rows times columns, a few seconds of work."""
PRUNED_CELLS = 100_000
"""The same for models that are pruned in their fit, maybe by a cross-validation of their own."""


class Curves:
    """The errors along a path on the rows that are there, and why others are not."""

    def __init__(self, path: AlphaPath) -> None:
        self.path = path
        self.alphas: np.ndarray = path.alphas
        self.train: np.ndarray | None = path.training_errors()
        self.validation: np.ndarray | None = None
        self.cv: np.ndarray | None = None
        self.spread: np.ndarray | None = None
        self.folds = 0
        self.best: int | None = None
        self.one_se: int | None = None
        self.notes: list[str] = []

    def choose(self) -> None:
        """Mark the trees that the curves speak for."""
        errors = self.validation if self.cv is None else self.cv
        self.best, self.one_se = chosen(errors, self.spread)


def pruning(
    model: Any,
    subject: Subject,
    tree: Tree,
    rows: GivenRows | None,
    held_out: tuple[Table, Target] | None,
    cv: Any = AUTO,
    seed: int = 0,
    min_cell: int | None = None,
) -> dict[str, Any]:
    """The path of a tree with its errors; a note alone where there is none."""
    _check_cv(cv)
    if tree.linear is not None:
        return {"note": "The leaves have linear models, which change with every cut: no path."}
    if tree.n_nodes == 1:
        return {"note": "The tree has one leaf: there is nothing to prune."}
    if hides(tree, min_cell):
        return {"note": "The steps of pruning follow from counts that are hidden (min_cell)."}
    curves = Curves(AlphaPath(tree))
    _measure(curves, rows, held_out)
    _cross_validate(curves, model, subject, rows, cv, seed)
    curves.choose()
    if min_cell is not None:
        _blur(curves, tree, rows, held_out, min_cell)
    found: dict[str, Any] = exact(_told(curves, tree))
    return found


def _check_cv(cv: Any) -> None:
    is_number = isinstance(cv, float | np.floating | bool) or (is_whole(cv) and cv < 2)
    if is_number or (isinstance(cv, str) and cv != AUTO):
        refuse("cv", cv, "use 'auto', None, at least 2 folds, or what scikit-learn takes as cv")


def _told(curves: Curves, tree: Tree) -> dict[str, Any]:
    path = curves.path
    from_step = path.leaf_from().tolist()
    return {
        "alphas": curves.alphas,
        "leaves": path.leaves,
        "depths": path.depths(),
        "fold": [None if step < 0 else step for step in from_step],
        "train": _finite(curves.train),
        "validation": _finite(curves.validation),
        "cv": _finite(curves.cv),
        "cv_spread": curves.spread,
        "folds": curves.folds,
        "best": curves.best,
        "one_se": curves.one_se,
        "measure": ERROR[tree.task],
        "note": " ".join(curves.notes),
    }


def _finite(curve: np.ndarray | None) -> np.ndarray | None:
    """The curve; none where errors are beyond float64."""
    return curve if curve is not None and np.isfinite(curve).all() else None


def _measure(curves: Curves, rows: GivenRows | None, held_out: tuple[Table, Target] | None) -> None:
    """The training curve by rows where they are there; the validation curve."""
    path = curves.path
    if held_out is not None:
        curves.validation = path.errors(ends_in(path.tree, held_out[0]), held_out[1])
    if rows is None or rows.target is None:
        if held_out is None:
            curves.notes.append("No rows are given, so there is no validation curve.")
    elif rows.own is not None:
        if _grew_from(path.tree, rows):
            curves.train = path.errors(rows.ends, rows.own)
        if held_out is None:
            curves.notes.append(
                "The given rows are the training rows: give X_val and y_val for a validation curve."
            )
    elif held_out is None:
        curves.validation = path.errors(rows.ends, rows.target)
        curves.notes.append("The validation curve is that of the given rows.")


def _grew_from(tree: Tree, rows: GivenRows) -> bool:
    """Whether the tree is the model's only one, not one of a forest's."""
    return int(stats.node_rows(tree)[0]) == _counting(rows)


def _counting(rows: GivenRows) -> int:
    weights = None if rows.own is None else rows.own.weights
    return rows.table.n_rows if weights is None else int(np.count_nonzero(weights))


def _cross_validate(
    curves: Curves, model: Any, subject: Subject, rows: GivenRows | None, cv: Any, seed: int
) -> None:
    """Adds the curve of cross-validation, or says why there is none."""
    why = _no_folds(model, curves.path.tree, subject, rows, cv)
    if why:
        curves.notes.append(why)
        return
    assert rows is not None
    assert rows.own is not None
    inner, steps = unwrapped(model)
    X = rows.X if steps is None else steps.transform(rows.X)
    folds = _folds(cv, rows.own, seed)
    given = (X, rows.y, rows.sample_weight, rows.own)
    with told_already():
        curves.cv, curves.spread = cross_validated(clone(inner), curves.path, *given, folds)
    curves.folds = len(folds)


def _folds(cv: Any, target: Target, seed: int) -> list[np.ndarray]:
    """The rows that each fold leaves out. Classes rarer than the folds are in some of them only."""
    n_folds = _auto_folds(target) if isinstance(cv, str) else cv
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class")
        return [left_out for _, left_out in folds_of(n_folds, target, seed)]


def _auto_folds(target: Target) -> int:
    """Ten, or as many as rows, or as rows of the most frequent class."""
    most = len(target.values)
    if target.classes is not None:
        most = int(np.bincount(target.values).max())
    return min(AUTO_FOLDS, most)


def _no_folds(model: Any, tree: Tree, subject: Subject, rows: GivenRows | None, cv: Any) -> str:
    """Why there is no cross-validation; "" if there is."""
    if cv is None:
        return "Cross-validation was not asked for: cv=10 does it."
    if subject.combiner != "tree":
        return "Trees of a forest are not cross-validated one by one."
    if rows is None:
        return "Cross-validation needs the training rows: give X and y."
    if rows.own is None:
        return f"There is no cross-validation on the given rows: {rows.why}."
    if tree.edits:
        return "The tree was edited by hand, so trees of folds would not be like it."
    if _auto_folds(rows.own) < 2:
        return "So few rows cannot be cross-validated."
    return _too_long(model, subject, rows) if isinstance(cv, str) else ""


def _too_long(model: Any, subject: Subject, rows: GivenRows) -> str:
    inner = unwrapped(model)[0]
    if subject.title.startswith("Optimal"):
        return "An exact search for each fold may take long: cv=10 asks for it."
    plan, prune = getattr(inner, "plan", None), getattr(inner, "prune", None)
    is_pruned = plan is not None or prune not in (None, "none")
    if rows.table.n_rows * len(subject.schema) <= (PRUNED_CELLS if is_pruned else AUTO_CELLS):
        return ""
    return (
        f"Cross-validation of {counted(rows.table.n_rows, 'row')} and"
        f" {counted(len(subject.schema), 'column')} may take long: cv=10 asks for it."
    )


def _blur(
    curves: Curves,
    tree: Tree,
    rows: GivenRows | None,
    held_out: tuple[Table, Target] | None,
    min_cell: int,
) -> None:
    """Errors in steps of `min_cell` rows (of squares, to three digits): no cut shows fewer.

    An exact alpha is the gain of a cut, which tells the counts below it.
    """
    curves.alphas = _shortest(curves.alphas)
    n_train = int(stats.node_rows(tree)[0])
    n_other = held_out[0].n_rows if held_out else (rows.table.n_rows if rows else 0)
    is_class = tree.classes is not None
    for name, n_rows in (("train", n_train), ("validation", n_other), ("cv", n_train)):
        found = getattr(curves, name)
        if found is not None:
            step = min_cell / max(1, n_rows) if is_class else None
            setattr(curves, name, _rounded(found, step) if n_rows >= min_cell else None)
    if curves.spread is not None:
        curves.spread = _rounded(curves.spread, None) if curves.cv is not None else None
    size = f"in steps of {min_cell} rows" if is_class else "to three digits"
    curves.notes.append(
        f"Errors are rounded {size}, those of fewer rows are left out, and alphas have as few"
        " digits as give the same trees (min_cell)."
    )


def _shortest(alphas: np.ndarray) -> np.ndarray:
    """Alphas of the same trees with the fewest digits: from each up to the next one, all do."""
    steps = pairwise([*alphas.tolist()[1:], float("inf")])
    return np.array([0.0, *(_short(low, high) for low, high in steps)])


def _short(low: float, high: float) -> float:
    exact_low = Decimal(low)
    for digits in range(1, 17):
        unit = Decimal(1).scaleb(exact_low.adjusted() - digits + 1)
        found = float((exact_low / unit).to_integral_value(ROUND_CEILING) * unit)
        if low <= found < high:
            return found
    return low


def _rounded(values: np.ndarray, step: float | None) -> np.ndarray:
    if step is None:
        return np.array([float(f"{value:.3g}") for value in values.tolist()])
    return np.asarray(np.minimum(1.0, np.rint(values / step) * step))
