"""Optimal pruning: of all trees that collapsing nodes can give, the best of each size.

Dynamic programming from the leaves up: the best subtree of a node with k leaves is the node as a
leaf (k = 1), or the best way to share k leaves among its children.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from silva.checks import Settings, whole
from silva.errors import PlanError
from silva.messages import counted
from silva.prune.costs import MEASURE, Costs, training_costs
from silva.prune.evidence import Evidence, LooksAtValidation
from silva.prune.record import Pruned, StepLog
from silva.tree import stats
from silva.tree.tree import Tree

MOST_ENTRIES = 2**27
COST_BITS = 60
_NEVER = 2**61


@dataclass(frozen=True, slots=True)
class MaxLeaves(Settings):
    """The tree of at most `max_leaves` leaves with the least training error.

    It is the best of all that making nodes leaves can give; of equals, the one with the fewest
    leaves. The error is the weight of wrong answers, or the squared error.
    """

    max_leaves: int

    looks_at_validation: ClassVar[LooksAtValidation] = "never"

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_leaves", whole("max_leaves", self.max_leaves, 1))

    def __call__(self, tree: Tree, evidence: Evidence) -> Pruned:
        costs = training_costs(tree)
        whole_tree = costs.of_tree(tree)
        total = whole_tree[0]
        log = StepLog(self, tree, f"training {MEASURE[tree.task]}", costs.error(total))
        tables = _tables(tree, _small(costs), self.max_leaves)
        slack = len(tables[0]) if costs.rounded else 0
        size = int(np.argmax(tables[0] <= tables[0].min() + slack)) + 1
        first, last = stats.leaf_range(tree)
        for node in _chosen(tree, tables, size):
            total += costs.leaf[node] - whole_tree[node]
            why = f"the best tree of {counted(size, 'leaf', 'leaves')} has none below it"
            fewer = int(last[node] - first[node]) - 1
            log.add(node, "collapse", fewer, costs.error(total), why)
        sizes, errors = _front(tables[0], costs)
        return log.collapsed(leaves=sizes, errors=errors)


def best_errors(tree: Tree, max_leaves: int) -> tuple[np.ndarray, np.ndarray]:
    """The sizes up to `max_leaves` that collapsing can give, and the least error of each."""
    costs = training_costs(tree)
    return _front(_tables(tree, _small(costs), max_leaves)[0], costs)


Tables = list[np.ndarray]
"""For each node, the least cost of its subtree with 1, 2, ... leaves (_NEVER: there is none)."""


def _tables(tree: Tree, cost: list[int], most: int) -> Tables:
    first, last = stats.leaf_range(tree)
    most = min(most, tree.n_leaves)
    _check_size(int(np.minimum(last - first, most).sum()), most)
    start, child = tree.child_start.tolist(), tree.child.tolist()
    tables: Tables = [np.empty(0, dtype=np.int64)] * tree.n_nodes
    for node in range(tree.n_nodes - 1, -1, -1):
        parts = [tables[one] for one in child[start[node] : start[node + 1]]]
        tables[node] = _table(cost[node], parts, most)
    return tables


def _table(as_leaf: int, parts: list[np.ndarray], most: int) -> np.ndarray:
    """The table of a node from those of its children: the fewest leaves are one a child."""
    least = len(parts)
    if least == 0 or least > most:
        return np.array([as_leaf], dtype=np.int64)
    *_, shared = _shared(parts, most - least + 1)
    table = np.full(least - 1 + len(shared), _NEVER, dtype=np.int64)
    table[least - 1 :] = shared
    table[0] = as_leaf
    return table


def _shared(parts: list[np.ndarray], length: int) -> Iterator[np.ndarray]:
    """The least cost of the first 1, 2, ... parts together, by leaves beyond one a part."""
    shared = parts[0][:length]
    yield shared
    for part in parts[1:]:
        shared = _sum_of_best(shared, part[:length], length)
        yield shared


def _sum_of_best(a: np.ndarray, b: np.ndarray, length: int) -> np.ndarray:
    """The least of a[i] + b[j] over i + j = k, for k = 0, 1, ... below `length`."""
    short, long = (a, b) if len(a) < len(b) else (b, a)
    if len(short) == 1:
        return np.asarray(np.minimum(long + short[0], _NEVER))
    best = np.full(min(len(a) + len(b) - 1, length), _NEVER, dtype=np.int64)
    for i, value in enumerate(short.tolist()):
        if value < _NEVER:
            part = best[i : i + len(long)]
            np.minimum(part, long[: len(part)] + value, out=part)
    return best


def _chosen(tree: Tree, tables: Tables, size: int) -> list[int]:
    """The inner nodes that are leaves in the best tree of this size."""
    nodes, waiting = [], [(0, size)]
    while waiting:
        node, leaves = waiting.pop()
        children = tree.child[tree.child_start[node] : tree.child_start[node + 1]].tolist()
        if children and leaves == 1:
            nodes.append(node)
        elif children:
            parts = [tables[one] for one in children]
            counts = _shares(parts, leaves - len(parts))
            waiting += zip(children, counts, strict=True)
    return sorted(nodes)


def _shares(parts: list[np.ndarray], beyond: int) -> list[int]:
    """How many leaves each part gets, if `beyond` are given beyond one a part."""
    sums = list(_shared(parts, beyond + 1))
    counts = []
    for i in range(len(parts) - 1, 0, -1):
        before, part = sums[i - 1], parts[i]
        low, high = max(0, beyond - len(before) + 1), min(beyond, len(part) - 1)
        takes = np.arange(low, high + 1)
        taken = low + int(np.argmin(before[beyond - takes] + part[takes]))
        counts.append(taken + 1)
        beyond -= taken
    return [beyond + 1, *reversed(counts)]


def _small(costs: Costs) -> list[int]:
    """The costs of nodes as leaves, in units in which sums fit 64 bits."""
    shift = max(0, max(costs.leaf).bit_length() - COST_BITS)
    return [cost >> shift for cost in costs.leaf]


def _front(table: np.ndarray, costs: Costs) -> tuple[np.ndarray, np.ndarray]:
    shift = max(0, max(costs.leaf).bit_length() - COST_BITS)
    possible = np.flatnonzero(table < _NEVER)
    errors = [costs.error(cost << shift) for cost in table[possible].tolist()]
    return possible + 1, np.array(errors)


def _check_size(n_entries: int, most: int) -> None:
    if n_entries > MOST_ENTRIES:
        raise PlanError(
            f"max_leaves={most} needs a table of {n_entries * 8 / 2**30:.1f} GiB for this tree;"
            " ask for fewer leaves."
        )
