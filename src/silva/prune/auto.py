"""The choice that the pruning study found best: several pruning paths, judged on rows held out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

from silva.checks import Settings, refuse, whole
from silva.errors import PlanError
from silva.grow.grow import rows_with_weight
from silva.messages import counted
from silva.progress import part
from silva.prune.costs import MEASURE, node_costs, routed_costs
from silva.prune.cross_validation import (
    Curve,
    Path,
    cross_validated,
    dealt,
    errors_at,
    taken_over,
)
from silva.prune.evidence import (
    Evidence,
    Grow,
    LooksAtValidation,
    Regrow,
    training_rows,
    validation_rows,
)
from silva.prune.record import Pruned, StepLog
from silva.prune.risks import paths
from silva.tree.tree import Tree

ROWS_JUDGED = 25_000
"""Rows are dealt out to folds again as long as no more than these are judged in all."""

LEAF_SIZES = (5, 20)
"""Trees whose leaves have at least so many rows are tried beside the one that was asked for."""

ROUNDING = 1e-9
"""Errors that differ by no more than this share of them are equal."""

Paths = Mapping[str, Path]
Curves = Mapping[str, Curve]


class Trial(NamedTuple):
    """A tree with its paths and their errors; `size` is what its leaves were asked to have."""

    size: int | None
    tree: Tree
    paths: Paths
    curves: Curves


class Place(NamedTuple):
    """A tree on a path."""

    trial: Trial
    risk: str
    place: int

    @property
    def path(self) -> Path:
        return self.trial.paths[self.risk]

    @property
    def curve(self) -> Curve:
        return self.trial.curves[self.risk]

    @property
    def leaves(self) -> int:
        return int(self.path.sizes(self.trial.tree.n_leaves)[self.place])


@dataclass(frozen=True, slots=True)
class Auto(Settings):
    """The tree of least error on rows held out, among those of several pruning paths.

    The paths go from the whole tree to the root alone, each by another idea of what a leaf costs
    (`prune.risks`): impurity and training errors as in cost-complexity pruning, m-estimates as in
    minimum error pruning, upper limits as in pessimistic pruning. Beside the given tree, trees
    with at least as many rows in each leaf as `leaf_sizes` says are grown and pruned, where
    `Evidence.regrow` can grow them; an empty tuple prunes the given tree only. Validation rows
    decide if they are given. If not, cross-validation does: `cv` folds (no more than rows), drawn
    `repeats` times (less often if that were more than 25,000 rows). Of equal errors the smaller
    tree is taken. `seed` draws the folds.
    """

    cv: int = 10
    repeats: int = 5
    seed: int = 0
    leaf_sizes: tuple[int, ...] = LEAF_SIZES

    looks_at_validation: ClassVar[LooksAtValidation] = "if given"

    def __post_init__(self) -> None:
        whole("cv", self.cv, 2)
        whole("repeats", self.repeats, 1)
        whole("seed", self.seed, 0)
        object.__setattr__(self, "leaf_sizes", _checked_sizes(self.leaf_sizes))

    def __call__(self, tree: Tree, evidence: Evidence) -> Pruned:
        trials = []
        for number, (size, tried, grow) in enumerate(self._trees(tree, evidence)):
            with part(number, 1 + len(self.leaf_sizes)):
                trials.append(self._tried(size, tried, grow, evidence))
        best = least(trials)
        pruned = self._cut(best, _told(trials, best))
        if best.trial.size is None:
            return pruned
        note = f"tree with at least {counted(best.trial.size, 'row')} in each leaf"
        return replace(pruned, record=replace(pruned.record, note=note))

    def _trees(
        self, tree: Tree, evidence: Evidence
    ) -> Iterator[tuple[int | None, Tree, Grow | None]]:
        """The given tree, and those with larger leaves: their leaves, and how others grow so."""
        yield None, tree, evidence.grow
        regrow, fewest = evidence.regrow, int(tree.leaf_rows.min())
        if regrow is None or tree.n_leaves == 1:
            return
        every = np.arange(training_rows(tree, evidence, "Auto").table.n_rows)
        for size in self.leaf_sizes:
            if fewest < size and (larger := regrow(every, size)).n_leaves > 1:
                yield size, larger, partial(_grown_larger, regrow, size)

    def _tried(self, size: int | None, tree: Tree, grow: Grow | None, evidence: Evidence) -> Trial:
        of_tree = paths(tree)
        if evidence.validation_table is not None or evidence.validation_target is not None:
            return Trial(size, tree, of_tree, _validated(tree, of_tree, evidence))
        return Trial(size, tree, of_tree, self._cross_validated(tree, of_tree, grow, evidence))

    def _cross_validated(
        self, tree: Tree, of_tree: Paths, grow: Grow | None, evidence: Evidence
    ) -> Curves:
        if grow is None:
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
        return cross_validated(rows, grow, paths, of_tree, deals, evidence.threads)

    def _cut(self, best: Place, told: Mapping[str, Any]) -> Pruned:
        tree, path = best.trial.tree, best.path
        values = _training_errors(tree, path).tolist()
        log = StepLog(self, tree, f"training {MEASURE[tree.task]}", values[0])
        for cut in range(int(path.cuts_until(path.starts[best.place]))):
            why = f"by {best.risk} its branch saves {path.alphas[cut]:.6g} a leaf"
            leaves = int(path.leaves[cut])
            log.add(int(path.nodes[cut]), "collapse", leaves, values[cut + 1], why)
        return log.collapsed(**told)


def least(trials: Sequence[Trial]) -> Place:
    """The tree of least error; of equals the fewest leaves, then the first."""
    errors = [curve.errors.min() for trial in trials for curve in trial.curves.values()]
    limit = float(min(errors)) * (1.0 + ROUNDING)
    places = (
        Place(trial, risk, int(place))
        for trial in trials
        for risk, curve in trial.curves.items()
        for place in np.flatnonzero(curve.errors <= limit)
    )
    return min(places, key=lambda one: one.leaves)


def _grown_larger(regrow: Regrow, size: int, rows: np.ndarray) -> Tree:
    return regrow(rows, size)


def _checked_sizes(sizes: Any) -> tuple[int, ...]:
    if not isinstance(sizes, tuple | list):
        refuse("leaf_sizes", sizes, "use a tuple of whole numbers, such as (5,), or ()")
    for size in sizes:
        whole("leaf_sizes", size, 2)
    return tuple(sizes)


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


def _told(trials: Sequence[Trial], best: Place) -> dict[str, Any]:
    """The curve of the path that was chosen, the errors of all paths of its tree by leaves, and
    the best tree of each leaf size."""
    curve, tree = best.curve, best.trial.tree
    return {
        "risk": best.risk,
        "min_samples_leaf": best.trial.size,
        "alpha": float(curve.alphas[best.place]),
        "alphas": curve.alphas,
        "leaves": best.path.sizes(tree.n_leaves),
        "errors": curve.errors,
        "deviations": curve.deviations,
        "chosen": best.place,
        "least": best.place,
        "paths": {
            name: {"leaves": best.trial.paths[name].sizes(tree.n_leaves), "errors": one.errors}
            for name, one in best.trial.curves.items()
        },
        "leaf_sizes": {trial.size: _best_of(trial) for trial in trials},
    }


def _best_of(trial: Trial) -> dict[str, Any]:
    best = least([trial])
    return {"leaves": best.leaves, "error": float(best.curve.errors[best.place])}
