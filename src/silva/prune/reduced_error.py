"""Reduced error pruning: nodes become leaves where rows that were held out say so.

One pass routes the validation rows; after that every candidate is known by what it would cost.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import ClassVar, Literal, get_args

import numpy as np

from silva.checks import Settings, check_choice
from silva.prune.costs import MEASURE, PairCosts, routed_costs
from silva.prune.evidence import Evidence, LooksAtValidation, validation_rows
from silva.prune.record import Pruned, StepLog
from silva.prune.walk import additive_walk
from silva.tree import moments, stats
from silva.tree.tree import Tree

Order = Literal["greedy", "bottom_up"]

_Limit = tuple[int, int, int, int]
"""Minus a gain that the node had, its depth, its number, and what its gain had fallen by then."""


@dataclass(frozen=True, slots=True)
class ReducedError(Settings):
    """Make inner nodes leaves as long as the error on the validation rows falls.

    "greedy" (the textbook's order): again and again the node that lowers the error most, of equals
    the one nearest the root (lower depth, then lower number), until none lowers it. "bottom_up"
    (Quinlan's): every node once, children first; it becomes a leaf if the error does not rise.

    Beside linear leaves, nodes are judged by their constant answers.
    """

    order: Order = "greedy"

    looks_at_validation: ClassVar[LooksAtValidation] = "always"

    def __post_init__(self) -> None:
        check_choice("order", self.order, get_args(Order))

    def __call__(self, tree: Tree, evidence: Evidence) -> Pruned:
        rows = validation_rows(tree, evidence, "ReducedError")
        costs = routed_costs(tree, rows, evidence.threads)
        prune = _greedy if self.order == "greedy" else _bottom_up
        total = moments.to_integers(costs.subtree[:1])[0]
        log = StepLog(self, tree, f"validation {MEASURE[tree.task]}", costs.error(total))
        prune(tree, costs, total, log)
        return log.collapsed()


def _greedy(tree: Tree, costs: PairCosts, total: int, log: StepLog) -> None:
    above, end, leaves = stats.parent(tree).tolist(), tree.subtree_end.tolist(), _leaves_below(tree)
    gains = _Gains(tree, costs)
    while (best := gains.largest()) is not None:
        node, saved = best
        fewer = leaves[node] - 1
        total -= saved
        log.add(node, "collapse", fewer, costs.error(total), "the error falls most here")
        gains.remove(node, end[node])
        while node >= 0:
            gains.lower(node, saved)
            leaves[node] -= fewer
            node = above[node]


class _Gains:
    """What the error falls by when a node becomes a leaf, largest first.

    A gain only ever falls, when a node below becomes a leaf, and counts as long as it is above 0.
    A list in the order of the first gains, and a heap of those that have fallen, hold limits from
    above: a node whose gain has fallen since is put where it belongs when it comes first.
    """

    def __init__(self, tree: Tree, costs: PairCosts) -> None:
        self._gone, self._fallen = bytearray(tree.n_nodes), [0] * tree.n_nodes
        self._list, self._heap = _in_order(tree, costs, self._gone), list[_Limit]()
        self._listed = next(self._list, None)

    def largest(self) -> tuple[int, int] | None:
        """The node of the largest gain, of equals that of least depth, then of lowest number."""
        while (limit := self._next()) is not None:
            minus_gain, depth, node, fallen = limit
            fall = self._fallen[node] - fallen
            if self._gone[node]:
                continue
            if not fall:
                return node, -minus_gain
            if minus_gain + fall < 0:
                heappush(self._heap, (minus_gain + fall, depth, node, fallen + fall))
        return None

    def remove(self, node: int, end: int) -> None:
        """Take out the nodes of a subtree."""
        self._gone[node:end] = b"\1" * (end - node)

    def lower(self, node: int, by: int) -> None:
        """A node below saved this much."""
        self._fallen[node] += by

    def _next(self) -> _Limit | None:
        listed = self._listed
        if self._heap and (listed is None or self._heap[0] < listed):
            return heappop(self._heap)
        self._listed = next(self._list, None)
        return listed


def _in_order(tree: Tree, costs: PairCosts, gone: bytearray) -> Iterator[_Limit]:
    """The nodes of a gain above 0 that are not gone by the time they come."""
    gains = moments.minus(costs.subtree, costs.leaf)
    nodes = np.flatnonzero((gains[:, 0] >= 0) & gains.any(axis=1) & ~tree.is_leaf)
    depth, high, low = stats.depth(tree)[nodes], gains[nodes, 0], moments.low_bits(gains)[nodes]
    order = np.lexsort((nodes, depth, ~low, -high))
    facts = (part[order].tolist() for part in (high, low, depth, nodes))
    rows = zip(*facts, strict=True)
    return (
        (-(top << 64 | rest), depth, node, 0) for top, rest, depth, node in rows if not gone[node]
    )


def _bottom_up(tree: Tree, costs: PairCosts, total: int, log: StepLog) -> None:
    whole = costs.whole()
    for node, fewer, rise in additive_walk(tree, whole.leaf, whole.stop):
        total += rise
        why = "the error falls" if rise < 0 else "the error does not rise"
        log.add(node, "collapse", fewer, costs.error(total), why)


def _leaves_below(tree: Tree) -> list[int]:
    first, last = stats.leaf_range(tree)
    below: list[int] = (last - first).tolist()
    return below
