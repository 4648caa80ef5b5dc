"""The choice that the pruning study found best: several pruning paths, judged on rows held out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from silva.errors import PlanError
from silva.grow.checks import whole
from silva.grow.grow import rows_with_weight
from silva.prune.costs import MEASURE, node_costs, routed_costs
from silva.prune.cross_validation import (
    Curve,
    Path,
    cross_validated,
    dealt,
    errors_at,
    taken_over,
)
from silva.prune.evidence import Evidence, LooksAtValidation, training_rows, validation_rows
from silva.prune.record import Diary, Pruned
from silva.prune.risks import paths
from silva.tree.tree import Tree

ROWS_JUDGED = 50_000
"""Rows are dealt out to folds again as long as no more than these are judged in all."""

ROUNDING = 1e-9
"""Errors that differ by no more than this share of them are equal."""

Paths = Mapping[str, Path]
Curves = Mapping[str, Curve]


@dataclass(frozen=True, slots=True)
class Auto:
    """The tree of least error on rows held out, among those of several pruning paths.

    The paths go from the whole tree to the root alone, each by another idea of what a leaf costs
    (`prune.risks`): impurity and training errors as in cost-complexity pruning, m-estimates as in
    minimum error pruning, upper limits as in pessimistic pruning. Validation rows judge them if
    they are given. If not, cross-validation does: `cv` folds (no more than rows), dealt out
    `repeats` times (less often if that were more than 50,000 rows). Of equal errors the smaller
    tree is taken. `seed` draws the folds.
    """

    cv: int = 10
    repeats: int = 5
    seed: int = 0

    looks_at_validation: ClassVar[LooksAtValidation] = "if given"

    def __post_init__(self) -> None:
        whole("cv", self.cv, 2)
        whole("repeats", self.repeats, 1)
        whole("seed", self.seed, 0)

    def __call__(self, tree: Tree, evidence: Evidence) -> Pruned:
        of_tree = paths(tree)
        if evidence.validation_table is not None or evidence.validation_target is not None:
            curves = _validated(tree, of_tree, evidence)
        else:
            curves = self._cross_validated(tree, of_tree, evidence)
        risk, place = least(tree, of_tree, curves)
        evidence_of_choice = _told(tree, of_tree, curves, risk, place)
        return self._cut(tree, risk, of_tree[risk], place, evidence_of_choice)

    def _cross_validated(self, tree: Tree, of_tree: Paths, evidence: Evidence) -> Curves:
        if evidence.grow is None:
            raise PlanError(
                "Auto grows a tree for each fold: give Evidence(table=..., target=..., grow=...),"
                " or validation rows (validation_table=..., validation_target=...)."
            )
        rows = training_rows(tree, evidence, "Auto")
        if tree.n_leaves == 1:
            return {risk: _nothing_to_judge(path) for risk, path in of_tree.items()}
        n_rows = rows_with_weight(rows.target)
        repeats = min(self.repeats, max(1, ROWS_JUDGED // n_rows))
        deals = dealt(rows.target, self.cv, repeats, self.seed)
        return cross_validated(rows, evidence.grow, paths, of_tree, deals, evidence.threads)

    def _cut(
        self, tree: Tree, risk: str, path: Path, place: int, told: Mapping[str, Any]
    ) -> Pruned:
        values = _training_errors(tree, path).tolist()
        diary = Diary(self, tree, f"training {MEASURE[tree.task]}", values[0])
        for cut in range(int(path.cuts_until(path.starts[place]))):
            why = f"by {risk} its branch saves {path.alphas[cut]:.6g} a leaf"
            leaves = int(path.leaves[cut])
            diary.add(int(path.nodes[cut]), "collapse", leaves, values[cut + 1], why)
        return diary.collapsed(**told)


def least(tree: Tree, of_tree: Paths, curves: Curves) -> tuple[str, int]:
    """The risk and the place on its path of least error; of equals the fewest leaves."""
    limit = min(float(curve.errors.min()) for curve in curves.values()) * (1.0 + ROUNDING)
    places = [
        (int(of_tree[risk].sizes(tree.n_leaves)[place]), number, int(place), risk)
        for number, (risk, curve) in enumerate(curves.items())
        for place in np.flatnonzero(curve.errors <= limit)
    ]
    *_, place, risk = min(places)
    return risk, place


def _validated(tree: Tree, of_tree: Paths, evidence: Evidence) -> Curves:
    """The errors of the trees themselves on the validation rows, which have no deviations."""
    rows = validation_rows(tree, evidence, "Auto")
    costs = routed_costs(tree, rows, evidence.threads)
    curves = {}
    for risk, path in of_tree.items():
        errors = errors_at(tree, path, path.starts, costs)
        curves[risk] = Curve(path.starts, errors, np.zeros(len(errors)), errors[None])
    return curves


def _training_errors(tree: Tree, path: Path) -> np.ndarray:
    """The training error before the first cut and after each (see `path_costs`)."""
    costs = node_costs(tree)
    until = np.append(0.0, np.cumsum(np.where(tree.is_leaf, costs.leaf, 0.0)))
    subtree = until[tree.subtree_end] - until[:-1]
    rise = (costs.leaf - subtree)[path.nodes]
    order, n_taken = taken_over(tree, path.nodes)
    added = np.cumsum(np.append(subtree[0], rise))
    return costs.error(added - np.append(0.0, np.cumsum(rise[order]))[n_taken])


def _nothing_to_judge(path: Path) -> Curve:
    none = np.zeros(1)
    return Curve(path.starts, none, none, none[None])


def _told(tree: Tree, of_tree: Paths, curves: Curves, risk: str, place: int) -> dict[str, Any]:
    """The curve of the path that was chosen, and the errors of all of them by leaves."""
    curve = curves[risk]
    return {
        "risk": risk,
        "alpha": float(curve.alphas[place]),
        "alphas": curve.alphas,
        "leaves": of_tree[risk].sizes(tree.n_leaves),
        "errors": curve.errors,
        "deviations": curve.deviations,
        "chosen": place,
        "least": place,
        "paths": {
            name: {"leaves": of_tree[name].sizes(tree.n_leaves), "errors": one.errors}
            for name, one in curves.items()
        },
    }
