"""Accuracy-threshold pruning: a split must be worth its threshold, from the leaves up."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from silva.checks import Settings, check_choice, real
from silva.prune.costs import MEASURE, Costs, training_costs, validation_costs
from silva.prune.evidence import Evidence, LooksAtValidation, validation_rows
from silva.prune.record import Pruned, StepLog
from silva.tree.tree import Tree

On = Literal["training", "validation"]


@dataclass(frozen=True, slots=True)
class AccuracyThreshold(Settings):
    """Make a node a leaf where its accuracy is within `threshold` of that of its children.

    Walks from the leaves up. Only nodes whose children are all leaves are asked: a node that is
    kept ends the walk for its ancestors. Accuracies are shares of the node's own rows, those of
    training or (`on="validation"`) those held out; for regression one minus the squared error
    over that of the root.
    """

    threshold: float = 0.0
    on: On = "training"

    def __post_init__(self) -> None:
        object.__setattr__(self, "threshold", real("threshold", self.threshold, 0.0, 1.0))
        check_choice("on", self.on, get_args(On))

    @property
    def looks_at_validation(self) -> LooksAtValidation:
        return "always" if self.on == "validation" else "never"

    def __call__(self, tree: Tree, evidence: Evidence) -> Pruned:
        costs = self._costs(tree, evidence)
        total = costs.of_tree(tree)[0]
        log = StepLog(self, tree, f"{self.on} {MEASURE[tree.task]}", costs.error(total))
        is_leaf = tree.is_leaf.tolist()
        start, child = tree.child_start.tolist(), tree.child.tolist()
        for node in np.flatnonzero(~tree.is_leaf)[::-1].tolist():
            below = child[start[node] : start[node + 1]]
            if not all(is_leaf[one] for one in below):
                continue
            rise = costs.leaf[node] - costs.stop[node] - sum(costs.leaf[one] for one in below)
            if costs.rounded and rise <= len(below):
                rise = min(rise, 0)
            lost = _lost_accuracy(tree, costs, node, rise)
            if lost <= self.threshold:
                is_leaf[node] = True
                total += rise
                why = f"loses {lost:.4g} of accuracy, {self.threshold:g} are allowed"
                log.add(node, "collapse", len(below) - 1, costs.error(total), why)
        return log.collapsed()

    def _costs(self, tree: Tree, evidence: Evidence) -> Costs:
        if self.on == "training":
            return training_costs(tree)
        rows = validation_rows(tree, evidence, "AccuracyThreshold")
        return validation_costs(tree, rows, evidence.threads)


def _lost_accuracy(tree: Tree, costs: Costs, node: int, rise: int) -> float:
    """What the node's rows lose, rounded once; nothing where no rows tell."""
    rows = costs.weight[node]
    if tree.task == "classification":
        return rise / rows if rows else 0.0
    scale = rows * costs.leaf[0]
    return rise * costs.weight[0] / scale if scale else 0.0
