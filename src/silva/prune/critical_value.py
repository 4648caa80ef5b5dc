"""Critical value pruning (Mingers): a split must gain enough, or lead to one that does."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from silva.checks import Settings, real
from silva.prune.costs import MEASURE, training_costs
from silva.prune.evidence import Evidence, LooksAtValidation
from silva.prune.record import Pruned, StepLog
from silva.tree.tree import Tree


@dataclass(frozen=True, slots=True)
class CriticalValue(Settings):
    """Make a node a leaf if neither its gain nor any below it reaches `min_gain`.

    The gain is that of growth, per unit of the node's own weight (`Tree.gain`), and not multiplied
    by the node's share of all rows.
    """

    min_gain: float

    looks_at_validation: ClassVar[LooksAtValidation] = "never"

    def __post_init__(self) -> None:
        object.__setattr__(self, "min_gain", real("min_gain", self.min_gain, 0.0))

    def __call__(self, tree: Tree, evidence: Evidence) -> Pruned:
        costs = training_costs(tree)
        total = sum(costs.leaf[leaf] for leaf in np.flatnonzero(tree.is_leaf).tolist())
        log = StepLog(self, tree, f"training {MEASURE[tree.task]}", costs.error(total))
        start, child = tree.child_start.tolist(), tree.child.tolist()
        for node in np.flatnonzero(self._is_weak(tree))[::-1].tolist():
            below = child[start[node] : start[node + 1]]
            total += costs.leaf[node] - sum(costs.leaf[one] for one in below)
            why = f"gains {tree.gain[node]:.4g}, and none below it reaches {self.min_gain:g}"
            log.add(node, "collapse", len(below) - 1, costs.error(total), why)
        return log.collapsed()

    def _is_weak(self, tree: Tree) -> np.ndarray:
        """The inner nodes without a gain of `min_gain` at them or below them."""
        strong = ~tree.is_leaf & (tree.gain >= self.min_gain)
        running = np.concatenate(([0], np.cumsum(strong)))
        weak: np.ndarray = ~tree.is_leaf & (running[tree.subtree_end] == running[:-1])
        return weak
