"""Minimal cost-complexity pruning (Breiman, Friedman, Olshen and Stone; "weakest link").

Every inner node t has a strength: how much impurity its branch saves for each leaf it costs,

    strength(t) = (R(t) - R(branch of t)) / (leaves of the branch - 1),

where R is impurity times the share of the weight. Pruning at `alpha` cuts the weakest branch again
and again as long as its strength is at most `alpha`; cutting it changes the strengths above it.
R(t) - R(branch) is the sum of the branch's own gains, so no difference of close numbers is taken.

The order of all cuts is found in one pass from the leaves to the root, by the core
(`weakest_links`): a cross-validation asks for hundreds of such orders.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from silva import _core
from silva.checks import Settings, as_float, check_choice, is_real, refuse, whole
from silva.data.table import Target
from silva.errors import PlanError
from silva.grow import criteria
from silva.prune.costs import MEASURE, node_costs, training_costs
from silva.prune.cross_validation import Curve, Path, cross_validated, dealt
from silva.prune.evidence import Evidence, LooksAtValidation, training_rows
from silva.prune.record import Pruned, StepLog
from silva.tree import stats
from silva.tree.collapse import collapse
from silva.tree.tree import Tree

Rule = Literal["1se", "min"]
Risk = Literal["impurity", "error"]


@dataclass(frozen=True, slots=True)
class PruningPath:
    """The sequence of nested trees, from the whole tree (alpha 0) to its root alone.

    Tree i is the result of pruning at alphas[i]; it has n_leaves[i] leaves, and impurities[i] is
    the weighted impurity of its leaves. Going from tree i to tree i + 1 makes nodes[i] a leaf.
    Cuts of equal strength are separate steps, the lower node number first.
    """

    alphas: np.ndarray
    impurities: np.ndarray
    n_leaves: np.ndarray
    nodes: np.ndarray


TIE = 2.0**-44
"""A split that saves no more than this share of its node's cost, or loses no more, saves nothing.

Costs are float64 of about 50 good bits; costs that are whole numbers have 42 bits at most.
"""


@dataclass(frozen=True, slots=True)
class CostComplexity(Settings):
    """Prune at `alpha`, or at the alpha that cross-validation finds.

    With `cv` folds, each tree of the path is judged by the trees that `Evidence.grow` grows without
    one fold, pruned at the geometric mean of its own alpha and the next. "min" takes the tree of
    least error, "1se" the smallest whose error is within one standard error of it; of equal errors
    always the smaller tree. `seed` draws the folds; classes are dealt out evenly, and there are
    never more folds than rows. `repeats` deals the rows out again, which makes the choice depend
    less on the seed.

    A branch is judged by the impurity that it saves for each leaf, or (`risk="error"`, error
    complexity) by the wrong answers or squared error that it saves on the training rows.
    """

    alpha: float | None = None
    cv: int = 10
    repeats: int = 1
    rule: Rule = "1se"
    risk: Risk = "impurity"
    seed: int = 0

    looks_at_validation: ClassVar[LooksAtValidation] = "never"

    def __post_init__(self) -> None:
        keep = object.__setattr__
        if self.alpha is not None and not (is_real(self.alpha) and self.alpha >= 0.0):
            refuse("alpha", self.alpha, "use a number of at least 0, or None for cross-validation")
        keep(self, "alpha", None if self.alpha is None else as_float(self.alpha))
        keep(self, "cv", whole("cv", self.cv, 2))
        keep(self, "repeats", whole("repeats", self.repeats, 1))
        keep(self, "seed", whole("seed", self.seed, 0))
        check_choice("rule", self.rule, get_args(Rule))
        check_choice("risk", self.risk, get_args(Risk))

    def __call__(self, tree: Tree, evidence: Evidence) -> Pruned:
        order = cuts(tree, self.risk)
        if self.alpha is not None or not len(order.nodes):
            return self._cut(tree, order, float(self.alpha or 0.0), evidence)
        curve = self._curve(tree, order, evidence)
        chosen = chosen_step(curve, self.rule)
        found = {
            "alphas": curve.alphas,
            "leaves": order.sizes(tree.n_leaves),
            "errors": curve.errors,
            "deviations": curve.deviations,
            "chosen": chosen,
            "least": chosen_step(curve, "min"),
        }
        return self._cut(tree, order, float(curve.alphas[chosen]), evidence, **found)

    def _curve(self, tree: Tree, path: Path, evidence: Evidence) -> Curve:
        if evidence.grow is None:
            raise PlanError(
                "CostComplexity(alpha=None) grows a tree for each fold: give Evidence(table=...,"
                " target=..., grow=...), or choose an alpha."
            )
        rows = training_rows(tree, evidence, "CostComplexity(alpha=None)")
        deals = dealt(rows.target, self.cv, self.repeats, self.seed)
        of_tree: dict[str, Path] = {self.risk: path}
        known = (rows, evidence.grow, self._paths, of_tree, deals, evidence.threads)
        return cross_validated(*known)[self.risk]

    def _paths(self, tree: Tree) -> dict[str, Path]:
        return {self.risk: cuts(tree, self.risk)}

    def _start(self, tree: Tree, evidence: Evidence) -> tuple[float, str]:
        """The risk of the whole tree, and its name."""
        if self.risk == "error":
            costs = training_costs(tree)
            return costs.error(costs.of_tree(tree)[0]), f"training {MEASURE[tree.task]}"
        if tree.criterion == "poisson" and evidence.target is None:
            return 0.0, "impurity above that of the whole tree"
        return leaf_impurity(tree, evidence.target), "impurity of the leaves"

    def _cut(
        self, tree: Tree, order: Path, alpha: float, evidence: Evidence, **found: Any
    ) -> Pruned:
        value, measure = self._start(tree, evidence)
        log = StepLog(self, tree, measure, value)
        made = int(order.cuts_until(alpha))
        steps = zip(*(part[:made].tolist() for part in order), strict=True)
        for strength, node, leaves, rise in steps:
            value += rise
            why = f"its branch saves {strength:.6g} a leaf, {alpha:.6g} are asked"
            log.add(node, "collapse", leaves, value, why)
        return log.collapsed(alpha=alpha, **found)


def chosen_step(curve: Curve, rule: Rule) -> int:
    """The smallest tree of least error, or within one standard error of it."""
    least = int(np.flatnonzero(curve.errors == curve.errors.min())[-1])
    if rule == "min":
        return least
    limit = curve.errors[least] + curve.deviations[least]
    return int(np.flatnonzero(curve.errors <= limit)[-1])


def path(tree: Tree, target: Target | None = None) -> PruningPath:
    """All cuts in order. `alphas` and `impurities` are what scikit-learn's path gives.

    A Poisson tree also needs the training target: its leaves do not hold their deviance.
    """
    order = cuts(tree)
    with np.errstate(over="ignore"):
        rises = np.cumsum(np.append(0.0, order.rises))
    return PruningPath(
        alphas=np.append(0.0, order.alphas),
        impurities=leaf_impurity(tree, target) + rises,
        n_leaves=tree.n_leaves - np.cumsum(np.append(0, order.leaves)),
        nodes=order.nodes,
    )


def prune(tree: Tree, alpha: float) -> Tree:
    """The smallest tree of the path whose alpha is at most `alpha`."""
    if not alpha >= 0.0:
        raise PlanError(f"alpha={alpha!r} is not possible: use a number of at least 0.")
    order = cuts(tree)
    return collapse(tree, order.nodes[: int(order.cuts_until(alpha))].tolist())


def cuts(tree: Tree, risk: Risk = "impurity") -> Path:
    """The cuts of the path, weakest first; of equal strength, the lower node number first."""
    if risk == "impurity":
        return weakest_links(tree, stats.weighted_gain(tree))
    costs = node_costs(tree)
    return weakest_links(tree, split_savings(tree, costs.leaf), costs.error)


def weakest_links(
    tree: Tree, savings: np.ndarray, scaled: Callable[[np.ndarray], np.ndarray] | None = None
) -> Path:
    """The cuts by what each split saves (float64); alphas and rises as `scaled` has them.

    A split may save less than nothing: it is cut at alpha 0. What is beyond float64 is infinite.
    """
    known = np.where(np.isnan(savings), np.inf, savings)
    found = _core.weakest_links(tree.child_start, tree.child, known)
    alphas, rises = found["alpha"], found["rise"]
    if scaled is not None:
        alphas, rises = scaled(alphas), scaled(rises)
    return Path(np.maximum(alphas, 0.0), found["node"], found["leaves"], rises)


def split_savings(tree: Tree, cost: np.ndarray) -> np.ndarray:
    """What each split saves where a node costs this much as a leaf (float64).

    Less than nothing where leaves lean towards the answers of the whole table (m-estimate).
    """
    below = np.bincount(stats.parent(tree)[1:], cost[1:], tree.n_nodes)
    saved: np.ndarray = np.where(tree.is_leaf, 0.0, cost - below)
    saved[np.abs(saved) <= TIE * cost] = 0.0
    return saved


def leaf_impurity(tree: Tree, target: Target | None = None) -> float:
    """The impurity of the leaves, each by its share of the weight."""
    if tree.criterion == "poisson":
        return _leaf_deviance(tree, target)
    return float(np.average(stats.leaf_impurity(tree), weights=stats.leaf_weight_units(tree)))


def _leaf_deviance(tree: Tree, target: Target | None) -> float:
    """What is left of the root's deviance when all gains are taken off."""
    if target is None:
        raise PlanError("target is missing: the path of a Poisson tree needs the training target.")
    root = criteria.poisson(target.values, target.weights)
    return max(0.0, root - float(stats.weighted_gain(tree).sum()))
