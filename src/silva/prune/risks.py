"""Several pruning paths of one tree, each by another estimate of what a leaf costs.

The weakest-link order of cost-complexity pruning holds for every cost that adds up over the leaves:
impurity and training errors, but also the estimates of other pruners. The path of such an estimate
begins where that pruner ends (at alpha 0) and goes on to the root alone.
"""

from collections.abc import Callable, Mapping

import numpy as np

from silva.prune.cost_complexity import Cut, as_path, cuts, weakest_links
from silva.prune.costs import GRID_BITS, Costs, ratio, training_costs
from silva.prune.cross_validation import Path
from silva.prune.minimum_error import expected_costs
from silva.prune.pessimistic import PARTS, estimates
from silva.tree import stats
from silva.tree.tree import Tree

Estimate = Callable[[Tree, Costs], list[Cut]]


def _m_estimate(m: float) -> Estimate:
    def found(tree: Tree, costs: Costs) -> list[Cut]:
        scale = costs.exponent - GRID_BITS
        expected = expected_costs(tree, costs, m)
        return _links(tree, expected, lambda cost: ratio(cost, costs.weight[0], scale))

    return found


def _upper_limit(confidence: float) -> Estimate:
    def found(tree: Tree, costs: Costs) -> list[Cut]:
        limits = estimates(tree, costs.leaf[0], costs.leaf, costs.weight, confidence)
        rows = costs.weight[0] * tree.weight_unit if tree.task == "classification" else 1.0
        return _links(tree, limits, lambda cost: cost / 2**PARTS / rows)

    return found


RISKS: Mapping[str, Estimate] = {
    "impurity": lambda tree, _: cuts(tree),
    "error": lambda tree, _: cuts(tree, "error"),
    "m = 2": _m_estimate(2.0),
    "m = 8": _m_estimate(8.0),
    "confidence 0.25": _upper_limit(0.25),
}


def paths(tree: Tree) -> dict[str, Path]:
    """The path of each risk; for squared errors the impurity is the error, so it has one less."""
    costs = training_costs(tree)
    skipped = ("error",) if tree.criterion in ("squared_error", "error") else ()
    return {name: as_path(find(tree, costs)) for name, find in RISKS.items() if name not in skipped}


def _links(tree: Tree, cost: list[int], scaled: Callable[[int], float]) -> list[Cut]:
    """The cuts by whole numbers that may each lack a unit, which is no saving."""
    above, saved = stats.parent(tree).tolist(), list(cost)
    for node in range(1, tree.n_nodes):
        saved[above[node]] -= cost[node]
    children = np.diff(tree.child_start).tolist()
    savings = [0 if abs(one) <= n else one for one, n in zip(saved, children, strict=True)]
    found = weakest_links(tree, savings)
    rises = [scaled(int(cut.rise)) for cut in found]
    pairs = zip(found, rises, strict=True)
    return [Cut(rise / cut.leaves, cut.node, rise, cut.leaves) for cut, rise in pairs]
