"""Generic bottom-up pruning by any bound or estimate of a tree's error."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from silva.checks import Settings, as_float, check_flag, is_real, refuse
from silva.errors import PlanError
from silva.messages import counted, shown
from silva.prune.costs import Costs, training_costs
from silva.prune.evidence import Evidence, LooksAtValidation, Rows, training_rows
from silva.prune.generic import Figures, Walk, walked
from silva.prune.record import Pruned
from silva.tree.tree import Tree


@dataclass(frozen=True, slots=True)
class Summary:
    """What a bound or estimate is told about a tree.

    `errors` is its error rate (or mean squared error) on the training rows by weight, `rows` their
    number, `columns` that of the table's columns. `nodes` counts inner nodes and leaves, `depth`
    the splits on the longest path. `tree` is there only if it was asked for.
    """

    errors: float
    nodes: int
    leaves: int
    depth: int
    rows: int
    columns: int
    tree: Tree | None = None


@dataclass(frozen=True, slots=True)
class BottomUp(Settings):
    """At each node, from the leaves up, the tree of least f: leaf, a child's subtree, or keep.

    `f` takes a `Summary` of the whole tree with that choice made and returns a number; of equal
    numbers, the first in this order is taken. A leaf answers with its majority class (or mean),
    which has the fewest errors of all labels. With `raising`, which needs the training rows, each
    child's subtree is tried in the node's place, all rows of the node going through it. With
    `whole_tree`, `f` finds the tree itself in its summary, at the price of building it each time.
    """

    f: Callable[[Summary], float]
    raising: bool = True
    whole_tree: bool = False

    looks_at_validation: ClassVar[LooksAtValidation] = "never"

    def __post_init__(self) -> None:
        check_flag("raising", self.raising)
        check_flag("whole_tree", self.whole_tree)
        if not callable(self.f):
            refuse("f", self.f, "use a function of a Summary that returns a number")

    def __call__(self, tree: Tree, evidence: Evidence) -> Pruned:
        rows = rows_for_raising(tree, evidence, "BottomUp", self.raising)
        costs = training_costs(tree)
        walk = Walk(tree, costs, rows, threads=evidence.threads)

        def judge(trials: list[Figures], tree_of: Callable[[int], Tree]) -> list[float]:
            return [
                self._value(_summary(tree, costs, one, tree_of(i) if self.whole_tree else None))
                for i, one in enumerate(trials)
            ]

        return walked(self, tree, walk, judge, "f")

    def _value(self, summary: Summary) -> float:
        value = self.f(summary)
        if not is_real(value) or math.isnan(as_float(value)):
            seen = f"{counted(summary.leaves, 'leaf', 'leaves')} and errors={summary.errors!r}"
            raise PlanError(
                f"f returned {shown(value)} ({type(value).__name__}) for a tree of {seen};"
                " it must return a number for every tree, infinity for those it rules out."
            )
        return as_float(value)


def rows_for_raising(tree: Tree, evidence: Evidence, pruner: str, raising: bool) -> Rows | None:
    """The training rows if subtrees are to be raised, else none."""
    if not raising:
        return None
    return training_rows(tree, evidence, f"{pruner}(raising=True)", ", or say raising=False")


def _summary(tree: Tree, costs: Costs, figures: Figures, whole: Tree | None) -> Summary:
    return Summary(
        costs.error(figures.cost),
        figures.nodes,
        figures.leaves,
        figures.depth,
        int(tree.leaf_rows.sum()),
        len(tree.schema),
        whole,
    )
