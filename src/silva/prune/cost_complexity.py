"""Minimal cost-complexity pruning (Breiman, Friedman, Olshen and Stone; "weakest link").

Every inner node t has a strength: how much impurity its branch saves for each leaf it costs,

    strength(t) = (R(t) - R(branch of t)) / (leaves of the branch - 1),

where R is impurity times the share of the weight. Pruning at `alpha` cuts the weakest branch again
and again as long as its strength is at most `alpha`; cutting it changes the strengths above it.
R(t) - R(branch) is the sum of the branch's own gains, so no difference of close numbers is taken.

The order of all cuts is found in one pass from the leaves to the root: a node absorbs the cuts
below it that are not weaker than itself, because it is cut before or together with them. The cuts
left over are in the order of their strengths. Heaps merge smaller into larger, so n nodes take
about n log n steps, whatever the shape of the tree.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np

from silva.data.table import Target
from silva.errors import PlanError
from silva.grow import criteria
from silva.grow.checks import as_float, check_choice, is_real, refuse, whole
from silva.prune.costs import MEASURE, Costs, training_costs
from silva.prune.cross_validation import Curve, Path, cross_validated, dealt
from silva.prune.evidence import Evidence, LooksAtValidation, training_rows
from silva.prune.record import Diary, Pruned
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


class Cut(NamedTuple):
    """Making `node` a leaf at `alpha` adds `rise` impurity and saves `leaves` leaves."""

    alpha: float
    node: int
    rise: float
    leaves: int


Entry = tuple[float, int, float, int]
"""A cut in a heap with the strongest on top: minus alpha, node, rise, leaves."""
Heap = list[Entry]


@dataclass(frozen=True, slots=True)
class CostComplexity:
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
        if self.alpha is not None or not order:
            return self._cut(tree, order, float(self.alpha or 0.0), evidence)
        path = as_path(order)
        curve = self._curve(tree, path, evidence)
        chosen = chosen_step(curve, self.rule)
        found = {
            "alphas": curve.alphas,
            "leaves": path.sizes(tree.n_leaves),
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
        return {self.risk: as_path(cuts(tree, self.risk))}

    def _start(self, tree: Tree, evidence: Evidence) -> tuple[float, str]:
        """The risk of the whole tree, and its name."""
        if self.risk == "error":
            costs = training_costs(tree)
            return costs.error(costs.of_tree(tree)[0]), f"training {MEASURE[tree.task]}"
        if tree.criterion == "poisson" and evidence.target is None:
            return 0.0, "impurity above that of the whole tree"
        return leaf_impurity(tree, evidence.target), "impurity of the leaves"

    def _cut(
        self, tree: Tree, order: list[Cut], alpha: float, evidence: Evidence, **found: Any
    ) -> Pruned:
        value, measure = self._start(tree, evidence)
        diary = Diary(self, tree, measure, value)
        for cut in order:
            if cut.alpha <= alpha:
                value += cut.rise
                why = f"its branch saves {cut.alpha:.6g} a leaf, {alpha:.6g} are asked"
                diary.add(cut.node, "collapse", cut.leaves, value, why)
        return diary.collapsed(alpha=alpha, **found)


def chosen_step(curve: Curve, rule: Rule) -> int:
    """The smallest tree of least error, or within one standard error of it."""
    least = int(np.flatnonzero(curve.errors == curve.errors.min())[-1])
    if rule == "min":
        return least
    limit = curve.errors[least] + curve.deviations[least]
    return int(np.flatnonzero(curve.errors <= limit)[-1])


def as_path(order: Sequence[Cut]) -> Path:
    """The cuts as arrays; what saves less than nothing is cut at alpha 0."""
    return Path(
        np.maximum([cut.alpha for cut in order], 0.0),
        np.array([cut.node for cut in order], dtype=np.int64),
        np.array([cut.leaves for cut in order], dtype=np.int64),
    )


def path(tree: Tree, target: Target | None = None) -> PruningPath:
    """All cuts in order. `alphas` and `impurities` are what scikit-learn's path gives.

    A Poisson tree also needs the training target: its leaves do not hold their deviance.
    """
    order = cuts(tree)
    saved = np.array([0] + [cut.leaves for cut in order])
    with np.errstate(over="ignore"):
        rises = np.cumsum([0.0] + [cut.rise for cut in order])
    return PruningPath(
        alphas=np.array([0.0] + [cut.alpha for cut in order]),
        impurities=leaf_impurity(tree, target) + rises,
        n_leaves=tree.n_leaves - np.cumsum(saved),
        nodes=np.array([cut.node for cut in order], dtype=np.int64),
    )


def prune(tree: Tree, alpha: float) -> Tree:
    """The smallest tree of the path whose alpha is at most `alpha`."""
    if not alpha >= 0.0:
        raise PlanError(f"alpha={alpha!r} is not possible: use a number of at least 0.")
    return collapse(tree, [cut.node for cut in cuts(tree) if cut.alpha <= alpha])


def cuts(tree: Tree, risk: Risk = "impurity") -> list[Cut]:
    """The cuts of the path, weakest first; of equal strength, the lower node number first."""
    if risk == "impurity":
        return weakest_links(tree, stats.weighted_gain(tree).tolist())
    costs = training_costs(tree)
    found = weakest_links(tree, _saved_costs(tree, costs))
    rises = [costs.error(int(cut.rise)) for cut in found]
    pairs = zip(found, rises, strict=True)
    return [Cut(max(0.0, rise / cut.leaves), cut.node, rise, cut.leaves) for cut, rise in pairs]


def weakest_links(tree: Tree, savings: Sequence[float]) -> list[Cut]:
    """The cuts by what each split saves, numbers or whole numbers; alphas and rises in their unit.

    A split may save less than nothing: its alpha is negative.
    """
    pending: dict[int, Heap] = {}
    start, child = tree.child_start.tolist(), tree.child.tolist()
    for node in np.flatnonzero(~tree.is_leaf)[::-1].tolist():
        children = child[start[node] : start[node + 1]]
        heap = _merged([pending.pop(below) for below in children if below in pending])
        heappush(heap, _absorb(heap, node, savings[node], len(children) - 1))
        pending[node] = heap
    return sorted(Cut(-key, node, rise, leaves) for key, node, rise, leaves in pending.get(0, []))


def _saved_costs(tree: Tree, costs: Costs) -> list[int]:
    """What each split saves of wrong weight or squared error; rounding down makes nothing worse.

    Less than nothing where leaves lean towards the answers of the whole table (m-estimate).
    """
    saved, above = list(costs.leaf), stats.parent(tree).tolist()
    for node in range(1, tree.n_nodes):
        saved[above[node]] -= costs.leaf[node]
    if not costs.rounded:
        return saved
    children = np.diff(tree.child_start).tolist()
    return [one if one > n else 0 for one, n in zip(saved, children, strict=True)]


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


def _absorb(heap: Heap, node: int, rise: float, leaves: int) -> Entry:
    """Pop the cuts that are not weaker than the node's own, which takes them over."""
    while heap and -heap[0][0] >= rise / leaves:
        _, _, rise_below, leaves_below = heappop(heap)
        rise += rise_below
        leaves += leaves_below
    return -(rise / leaves), node, rise, leaves


def _merged(heaps: list[Heap]) -> Heap:
    """All entries in the largest of the heaps."""
    if not heaps:
        return []
    largest = max(heaps, key=len)
    for heap in heaps:
        if heap is not largest:
            for entry in heap:
                heappush(largest, entry)
    return largest
