"""Reduced error pruning: nodes become leaves where rows that were held out say so.

One pass routes the validation rows; after that every candidate is known by what it would cost.
"""

from dataclasses import dataclass
from heapq import heapify, heappop, heapreplace
from typing import ClassVar, Literal, get_args

import numpy as np

from silva.grow.checks import check_choice
from silva.prune.costs import MEASURE, Costs, validation_costs
from silva.prune.evidence import Evidence, LooksAtValidation, validation_rows
from silva.prune.record import Diary, Pruned
from silva.prune.walk import additive_walk
from silva.tree import stats
from silva.tree.tree import Tree

Order = Literal["greedy", "bottom_up"]


@dataclass(frozen=True, slots=True)
class ReducedError:
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
        costs = validation_costs(tree, rows, evidence.threads)
        prune = _greedy if self.order == "greedy" else _bottom_up
        current = costs.of_tree(tree)
        diary = Diary(self, tree, f"validation {MEASURE[tree.task]}", costs.error(current[0]))
        prune(tree, costs, current, diary)
        return diary.collapsed()


def _greedy(tree: Tree, costs: Costs, current: list[int], diary: Diary) -> None:
    """A heap of gains: those of the nodes above a new leaf fall and are put right when met."""
    inner = np.flatnonzero(~tree.is_leaf).tolist()
    above, depth = stats.parent(tree).tolist(), stats.depth(tree).tolist()
    end = tree.subtree_end.tolist()
    leaves = _leaves_below(tree)
    gain = [now - leaf for now, leaf in zip(current, costs.leaf, strict=True)]
    gone = bytearray(tree.n_nodes)
    heap = [(-gain[node], depth[node], node) for node in inner if gain[node] > 0]
    heapify(heap)
    total = current[0]
    while heap:
        key, level, node = heap[0]
        if gone[node] or gain[node] <= 0:
            heappop(heap)
        elif -key > gain[node]:
            heapreplace(heap, (-gain[node], level, node))
        else:
            heappop(heap)
            saved, fewer = gain[node], leaves[node] - 1
            total -= saved
            diary.add(node, "collapse", fewer, costs.error(total), "the error falls most here")
            gone[node : end[node]] = b"\1" * (end[node] - node)
            while node >= 0:
                gain[node] -= saved
                leaves[node] -= fewer
                node = above[node]


def _bottom_up(tree: Tree, costs: Costs, current: list[int], diary: Diary) -> None:
    total = current[0]
    for node, fewer, rise in additive_walk(tree, costs.leaf, costs.stop):
        total += rise
        why = "the error falls" if rise < 0 else "the error does not rise"
        diary.add(node, "collapse", fewer, costs.error(total), why)


def _leaves_below(tree: Tree) -> list[int]:
    first, last = stats.leaf_range(tree)
    below: list[int] = (last - first).tolist()
    return below
