"""How sure each leaf is: Wilson's interval of its class share, Student's of its mean."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from silva.data.table import Task
from silva.inspect.intervals import student, wilson
from silva.messages import counted
from silva.notebook import ShownAsText
from silva.tree import decision, stats, words
from silva.tree.decision import right_units
from silva.tree.tree import Tree

MOST_SHOWN = 10


@dataclass(frozen=True, eq=False)
class LeafIntervals(ShownAsText):
    """One entry a leaf: node number, rows, and the share of its answer's class or its mean.

    Each interval holds with confidence 1 - delta on its own, for a leaf that was not chosen by
    the rows it is measured on: `source` says which these were. `estimate` is NaN without rows.
    """

    task: Task
    source: str
    delta: float
    node: np.ndarray
    answer: tuple[Any, ...]
    rows: np.ndarray
    estimate: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def __str__(self) -> str:
        what = "share of its answer" if self.task == "classification" else "mean"
        lines = [f"  leaves, by {self.source} rows ({what}):"]
        largest = np.argsort(-self.rows, kind="stable")[:MOST_SHOWN]
        lines += [f"    {self._line(leaf)}" for leaf in largest.tolist()]
        hidden = len(self.rows) - len(largest)
        return "\n".join([*lines, f"    and {hidden:,} smaller leaves"] if hidden else lines)

    def _line(self, leaf: int) -> str:
        rows = int(self.rows[leaf])
        told = f" {words.value(self.answer[leaf])}" if self.task == "classification" else ""
        if rows == 0:
            return f"node {self.node[leaf]}:{told}, no rows"
        estimate, low, high = (f"{part[leaf]:.4g}" for part in (self.estimate, self.low, self.high))
        return f"node {self.node[leaf]}:{told} {estimate} ({low} to {high}), {counted(rows, 'row')}"


def of_training(tree: Tree, delta: float) -> LeafIntervals:
    """By the training rows, which chose the leaves: too narrow by what the choice gained."""
    leaves = np.flatnonzero(tree.is_leaf)
    rows = tree.leaf_rows
    if tree.classes is None:
        means, spread = stats.node_mean(tree, leaves), stats.node_deviation(tree, leaves)
        return _made(tree, "training", delta, rows, means, student(means, spread, rows, delta))
    right = right_units(tree)
    return _made(tree, "training", delta, rows, right / rows, wilson(right, rows, delta))


def of_rows(tree: Tree, nodes: np.ndarray, target: np.ndarray, delta: float) -> LeafIntervals:
    """By other rows that end at `nodes`; rows that stop at an inner node are left out."""
    leaf = stats.leaf_number(tree)[nodes[tree.is_leaf[nodes]]]
    values = target[tree.is_leaf[nodes]]
    rows = np.bincount(leaf, minlength=tree.n_leaves)
    if tree.classes is None:
        means, spread = _moments(leaf, values, rows)
        return _made(tree, "held-out", delta, rows, means, student(means, spread, rows, delta))
    told = decision.node_codes(tree, np.flatnonzero(tree.is_leaf))
    right = np.bincount(leaf[told[leaf] == values], minlength=tree.n_leaves)
    share = np.where(rows > 0, right / np.maximum(rows, 1), np.nan)
    return _made(tree, "held-out", delta, rows, share, wilson(right, rows, delta))


def _moments(
    leaf: np.ndarray, values: np.ndarray, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    known = np.maximum(rows, 1)
    means = np.bincount(leaf, values, len(rows)) / known
    spread = np.sqrt(np.bincount(leaf, (values - means[leaf]) ** 2, len(rows)) / known)
    return np.where(rows > 0, means, np.nan), spread


def _made(
    tree: Tree,
    source: str,
    delta: float,
    rows: np.ndarray,
    estimate: np.ndarray,
    between: tuple[np.ndarray, np.ndarray],
) -> LeafIntervals:
    leaves = np.flatnonzero(tree.is_leaf)
    told: list[Any] = stats.node_mean(tree, leaves).tolist() if tree.classes is None else []
    if tree.classes is not None:
        told = tree.classes[decision.node_codes(tree, leaves)].tolist()
    return LeafIntervals(
        tree.task, source, delta, leaves, tuple(told), rows, estimate, between[0], between[1]
    )
