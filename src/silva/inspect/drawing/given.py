"""Rows that are given beside a tree: how many reach each node, and what their targets are."""

import numpy as np

from silva.data.table import Table, Target
from silva.inspect.drawing.palette import part_of_range
from silva.tree import route
from silva.tree.tree import Tree

N_BINS = 16


class GivenRows:
    """The targets of the rows that reach each node, those that stop there included."""

    def __init__(self, tree: Tree, table: Table, target: Target) -> None:
        ends = route.leaves(tree, table)
        order = np.argsort(ends, kind="stable")
        self._ends, self._values = ends[order], target.values[order]
        self._subtree_end = tree.subtree_end
        self._n_classes = 0 if tree.classes is None else len(tree.classes)
        is_number = tree.classes is None and len(self._values) > 0
        self.low = float(self._values.min()) if is_number else 0.0
        self.high = float(self._values.max()) if is_number else 0.0

    def _of(self, node: int) -> np.ndarray:
        limits = np.searchsorted(self._ends, [node, self._subtree_end[node]])
        return np.asarray(self._values[limits[0] : limits[1]])

    def rows(self, node: int) -> int:
        return len(self._of(node))

    def class_counts(self, node: int) -> np.ndarray:
        """How many rows have each class; classes that training did not see come last, together."""
        codes = self._of(node)
        known = np.where(codes < 0, self._n_classes, codes)
        return np.bincount(known, minlength=self._n_classes + 1)

    def mean(self, node: int) -> float:
        values = self._of(node)
        scale = float(np.abs(values).max()) or 1.0
        return float(np.mean(values / scale)) * scale

    def histogram(self, node: int) -> np.ndarray:
        """How many targets fall into each of the bins from `low` to `high`."""
        values, has_range = self._of(node), self.high > self.low
        part = part_of_range(values, self.low, self.high) if has_range else np.zeros(len(values))
        bins = np.minimum((part * N_BINS).astype(np.int64), N_BINS - 1)
        return np.bincount(bins, minlength=N_BINS)
