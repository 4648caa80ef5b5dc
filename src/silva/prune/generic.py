"""The generic walk: at every node, from the leaves up, the best of leaf, child's subtree and keep.

Nodes are taken depth by depth, deepest first, and from left to right inside a depth. Figures are of
the whole tree as it is at that moment with one of the choices made at the node.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from silva.prune.costs import Costs
from silva.prune.evidence import Rows
from silva.prune.raising import Raised, Raiser
from silva.prune.record import Action, Pruned, StepLog
from silva.prune.surgery import Patient
from silva.tree import stats
from silva.tree.tree import Tree


class Figures(NamedTuple):
    """Figures of a tree or subtree; `depth` counts the splits on its longest path.

    `cost` adds up over the leaves, `bits` and `named` over the splits (what it takes to describe
    them, see `prune.bound`).
    """

    cost: int
    leaves: int
    nodes: int
    depth: int
    bits: int = 0
    named: int = 0


class Choice(NamedTuple):
    """What may be done at a node: nothing (action None), or one of the actions."""

    action: Action | None
    figures: Figures
    raised: Raised | None = None


Judge = Callable[[list[Figures], Callable[[int], Tree]], list[float]]
"""The value of whole trees by their figures, smaller is better; the i-th can be asked for."""

Choose = Callable[[list[float]], int]
"""Which of a node's choices is made, by their values: the last is to keep it as it is."""

LeafCost = Callable[[list[int], list[int]], list[int]]
"""What leaves count for, by their costs (wrong weight or squared error) and weights."""


@dataclass(frozen=True, slots=True)
class Change:
    """What was done at a node, and what the whole tree was worth before and after it."""

    node: int
    action: Action
    child: int | None
    leaves_saved: int
    before: float
    after: float


def least(values: list[float]) -> int:
    """The choice of least value, of equals the first: leaf, children's subtrees, keep."""
    return values.index(min(values))


def plain(costs: list[int], weights: list[int]) -> list[int]:
    """Leaves count for their costs."""
    return costs


class Walk:
    """One walk over one tree. `run` gives the changes, `result` the tree."""

    def __init__(
        self,
        tree: Tree,
        costs: Costs,
        rows: Rows | None = None,
        leaf_cost: LeafCost = plain,
        split_bits: list[int] | None = None,
        split_named: list[int] | None = None,
        threads: int = 1,
    ) -> None:
        """`rows`, those of training, are needed for raising; without them nothing is raised."""
        self._tree, self._rows, self._leaf_cost = tree, rows, leaf_cost
        self._split_bits = split_bits or [0] * tree.n_nodes
        self._split_named = split_named or [0] * tree.n_nodes
        self._raiser = None if rows is None else Raiser(tree, rows, threads)
        self._patient = Patient(tree)
        self._as_leaf = leaf_cost(costs.leaf, costs.weight)
        self._figures = [Figures(cost, 1, 1, 0) for cost in self._as_leaf]
        self._start, self._child = tree.child_start.tolist(), tree.child.tolist()
        for node in np.flatnonzero(~tree.is_leaf)[::-1].tolist():
            self._figures[node] = self._kept(node)

    @property
    def whole(self) -> Figures:
        """The figures of the whole tree, before the walk and after it."""
        return self._figures[0]

    @property
    def result(self) -> Tree:
        """The tree as the walk has left it."""
        return self._finished(self._patient, self._leaf_of_row())

    def run(self, judge: Judge, choose: Choose) -> list[Change]:
        """Make a choice at every inner node: leaf, children's subtrees in order, or keep."""
        depth = stats.depth(self._tree)
        leaf_depths = np.sort(depth[self._tree.is_leaf])
        by_depth = defaultdict(list)
        for node in np.flatnonzero(~self._tree.is_leaf).tolist():
            by_depth[int(depth[node])].append(node)
        whole, changes = self.whole, []
        for level in sorted(by_depth, reverse=True):
            shallow = leaf_depths[: np.searchsorted(leaf_depths, level, side="right")]
            deepest = int(shallow[-1]) if len(shallow) else 0
            whole, made = self._run_level(level, by_depth[level], whole, deepest, judge, choose)
            changes += made
        return changes

    def _run_level(
        self,
        level: int,
        nodes: list[int],
        whole: Figures,
        deepest: int,
        judge: Judge,
        choose: Choose,
    ) -> tuple[Figures, list[Change]]:
        """All nodes of one depth; `deepest` is the depth of the leaves that are not below them."""
        changes = []
        choices = self._choices(nodes)
        to_the_right = _running_most([choices[node][-1].figures.depth for node in nodes])
        for node, right in zip(nodes, to_the_right, strict=True):
            options = choices[node]
            kept = options[-1].figures
            others = max(deepest, level + right)
            trials = [_replaced(whole, kept, one.figures, level, others) for one in options]
            values = judge(trials, partial(self._trial, node, options))
            best = choose(values)
            action, raised = options[best].action, options[best].raised
            self._make(self._patient, self._leaf_of_row(), node, options[best])
            self._figures[node] = options[best].figures
            if action is not None:
                saved = whole.leaves - trials[best].leaves
                child = None if raised is None else raised.child
                changes.append(Change(node, action, child, saved, values[-1], values[best]))
            whole = trials[best]
            deepest = max(deepest, level + options[best].figures.depth)
        return whole, changes

    def _choices(self, nodes: list[int]) -> dict[int, list[Choice]]:
        """What may be done at nodes of one depth, in the order in which equals are preferred."""
        leaf = {node: Choice("collapse", Figures(self._as_leaf[node], 1, 1, 0)) for node in nodes}
        choices = {node: [leaf[node]] for node in nodes}
        if self._raiser is not None:
            for one in self._raiser.candidates(self._patient, nodes):
                cost = sum(self._leaf_cost(one.costs, one.weights))
                figures = self._figures[one.child]._replace(cost=cost)
                choices[one.node].append(Choice("raise", figures, one))
        for node in nodes:
            choices[node].append(Choice(None, self._kept(node)))
        return choices

    def _kept(self, node: int) -> Figures:
        below = [self._figures[one] for one in self._children(node)]
        return Figures(
            sum([one.cost for one in below]),
            sum([one.leaves for one in below]),
            sum([one.nodes for one in below]) + 1,
            max([one.depth for one in below]) + 1,
            sum([one.bits for one in below]) + self._split_bits[node],
            sum([one.named for one in below]) + self._split_named[node],
        )

    def _children(self, node: int) -> list[int]:
        children: list[int] = self._child[self._start[node] : self._start[node + 1]]
        return children

    def _leaf_of_row(self) -> np.ndarray | None:
        return None if self._raiser is None else self._raiser.leaf_of_row

    def _make(
        self, patient: Patient, leaf_of_row: np.ndarray | None, node: int, choice: Choice
    ) -> None:
        if choice.action == "collapse":
            patient.collapse(node)
        elif choice.raised is not None:
            patient.raise_child(node, choice.raised.child)
        if self._raiser is not None and leaf_of_row is not None and choice.action is not None:
            taken = node if choice.raised is None else choice.raised.leaf_of_row
            leaf_of_row[self._raiser.rows_of(node)] = taken

    def _trial(self, node: int, options: list[Choice], chosen: int) -> Tree:
        """The whole tree with one of the choices made, beside the tree as it is."""
        patient, leaf_of_row = self._patient.copy(), self._leaf_of_row()
        leaf_of_row = None if leaf_of_row is None else leaf_of_row.copy()
        self._make(patient, leaf_of_row, node, options[chosen])
        return self._finished(patient, leaf_of_row)

    def _finished(self, patient: Patient, leaf_of_row: np.ndarray | None) -> Tree:
        return patient.finished(None if self._rows is None else self._rows.target, leaf_of_row)


def walked(
    pruner: Any, tree: Tree, walk: Walk, judge: Judge, measure: str, choose: Choose = least
) -> Pruned:
    """The whole walk of a pruner, written down."""
    log = StepLog(pruner, tree, measure, judge([walk.whole], lambda _: tree)[0])
    for change in walk.run(judge, choose):
        what = "a leaf" if change.child is None else f"the subtree of node {change.child}"
        why = f"{what} instead is worth {change.after:.6g}, keeping it {change.before:.6g}"
        log.add(change.node, change.action, change.leaves_saved, change.after, why)
    return log.finish(walk.result)


def _replaced(whole: Figures, old: Figures, new: Figures, level: int, others: int) -> Figures:
    """The whole tree with one subtree for another, `level` splits below its root."""
    return Figures(
        whole.cost - old.cost + new.cost,
        whole.leaves - old.leaves + new.leaves,
        whole.nodes - old.nodes + new.nodes,
        max(others, level + new.depth),
        whole.bits - old.bits + new.bits,
        whole.named - old.named + new.named,
    )


def _running_most(depths: list[int]) -> list[int]:
    """For each entry the largest of those after it, 0 for none."""
    most = list(accumulate(reversed(depths[1:]), max, initial=0))
    return most[::-1]
