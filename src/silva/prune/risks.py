"""Several pruning paths of one tree, each by another estimate of what a leaf costs.

The weakest-link order of cost-complexity pruning holds for every cost that adds up over the leaves:
impurity and training errors, but also the estimates of other pruners. The path of such an estimate
begins where that pruner ends (at alpha 0) and goes on to the root alone.
"""

from collections.abc import Callable, Mapping

from silva.prune.cost_complexity import cuts, split_savings, weakest_links
from silva.prune.costs import NodeCosts, node_costs
from silva.prune.cross_validation import Path
from silva.prune.pessimistic import expected_errors, expected_squares
from silva.tree.tree import Tree

Risk = Callable[[Tree, NodeCosts], Path]
"""The path of a tree with its training costs."""


def m_estimate(m: float) -> Risk:
    """By the cost that minimum error pruning expects: n (own + m prior / all) / (n + m)."""

    def found(tree: Tree, costs: NodeCosts) -> Path:
        n, m_units = costs.weight, m / tree.weight_unit
        own, prior = 1.0 / (1.0 + m_units / n), 1.0 / (1.0 + n / m_units)
        expected = own * costs.leaf + prior * n * (costs.other / n[0])
        return weakest_links(tree, split_savings(tree, expected), costs.error)

    return found


def upper_limit(confidence: float) -> Risk:
    """By the cost that pessimistic pruning expects: a share of the rows, or of the root's cost."""

    def found(tree: Tree, costs: NodeCosts) -> Path:
        n = costs.weight * tree.weight_unit
        if tree.task == "classification":
            expected = expected_errors(n, costs.leaf * tree.weight_unit, confidence) / n[0]
        else:
            expected = expected_squares(n, costs.leaf / (costs.leaf[0] or 1.0), confidence)
        return weakest_links(tree, split_savings(tree, expected))

    return found


RISKS: Mapping[str, Risk] = {
    "impurity": lambda tree, _: cuts(tree),
    "error": lambda tree, _: cuts(tree, "error"),
    "m = 2": m_estimate(2.0),
    "m = 8": m_estimate(8.0),
    "confidence 0.25": upper_limit(0.25),
}


def paths(tree: Tree, risks: Mapping[str, Risk] = RISKS) -> dict[str, Path]:
    """The path of each risk; where the impurity is the error, without that of the error."""
    costs = node_costs(tree)
    skipped = ("error",) if tree.criterion in ("squared_error", "error") else ()
    return {name: find(tree, costs) for name, find in risks.items() if name not in skipped}
