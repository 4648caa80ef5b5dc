"""Subtree raising: the rows of a node are sent through the subtree of one of its children.

Nodes of one depth share no row, so all of them are tried at once: one routing pass for the first
children, one for the second, and so on. The subtrees hang under a root of their own that asks in
which of them a row is to go on.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from silva import _core
from silva.data.schema import KIND_NUMBER
from silva.errors import DataError, PlanError
from silva.messages import counted
from silva.prune.costs import leaf_costs
from silva.prune.evidence import Rows
from silva.prune.surgery import Patient
from silva.tree import route, stats
from silva.tree.splits import n_known_children, split_of
from silva.tree.tables import MULTIWAY, STOP, TABLES
from silva.tree.tree import Tree, altered


class Raised(NamedTuple):
    """A child's subtree with all rows of its parent: its leaves, their costs and weights."""

    node: int
    child: int
    costs: list[int]
    weights: list[int]
    leaf_of_row: np.ndarray


class Raiser:
    """Rows sorted by the leaf they were trained in, so that a node's rows are a slice."""

    def __init__(self, tree: Tree, rows: Rows, threads: int) -> None:
        if tree.linear is not None:
            raise PlanError("subtrees with linear leaves are not raised: fit the leaves after it.")
        self._tree, self._rows, self._threads = closed(tree), rows, threads
        ends = route.leaves(self._tree, rows.table, threads)
        counts = rows.target.weights is None or rows.target.weights > 0
        self.leaf_of_row = np.where(counts, ends, -1)
        order = np.argsort(self.leaf_of_row, kind="stable")
        self._order = order[np.searchsorted(self.leaf_of_row[order], 0) :]
        bounds = np.searchsorted(self.leaf_of_row[self._order], np.arange(tree.n_nodes + 1))
        self._first, self._last = bounds[:-1], bounds[tree.subtree_end]
        self._check_rows()

    def rows_of(self, node: int) -> np.ndarray:
        """The rows of a node."""
        return self._order[self._first[node] : self._last[node]]

    def candidates(self, patient: Patient, nodes: list[int]) -> Iterator[Raised]:
        """What raising gives at nodes of one depth, for each child that is not a leaf."""
        start, child = self._tree.child_start, self._tree.child
        most = max(int(start[node + 1] - start[node]) for node in nodes)
        for place in range(most):
            pairs = [
                (node, int(child[start[node] + place]))
                for node in nodes
                if start[node] + place < start[node + 1]
            ]
            pairs = [(n, c) for n, c in pairs if not patient.is_leaf[patient.stand_in[c]]]
            if pairs:
                yield from self._tried(patient, pairs)

    def _tried(self, patient: Patient, pairs: list[tuple[int, int]]) -> Iterator[Raised]:
        tops = [int(patient.stand_in[child]) for _, child in pairs]
        nodes = patient.nodes_below(tops)
        leaf_of_row = np.full(self._rows.table.n_rows, -1, dtype=np.int64)
        own = [self.rows_of(child) for _, child in pairs]
        for rows in own:
            leaf_of_row[rows] = self.leaf_of_row[rows]
        moved = [self._other_rows(node, child) for node, child in pairs]
        which = np.repeat(np.arange(len(pairs)), [len(rows) for rows in moved])
        rows = np.concatenate(moved)
        leaf_of_row[rows] = self._routed(patient, nodes, tops, rows, which)
        yield from self._judged(patient, nodes, pairs, leaf_of_row)

    def _judged(
        self,
        patient: Patient,
        nodes: np.ndarray,
        pairs: list[tuple[int, int]],
        leaf_of_row: np.ndarray,
    ) -> Iterator[Raised]:
        leaves = nodes[patient.is_leaf[nodes]]
        number = np.where(leaf_of_row < 0, -1, np.searchsorted(leaves, leaf_of_row))
        costs, weights = leaf_costs(
            self._tree, leaf_statistics_of(self._tree, self._rows, number, len(leaves))
        )
        for node, child in pairs:
            top = patient.stand_in[child]
            a, b = np.searchsorted(leaves, [top, self._tree.subtree_end[top]]).tolist()
            assigned = leaf_of_row[self.rows_of(node)]
            yield Raised(node, child, costs[a:b], weights[a:b], assigned)

    def _other_rows(self, node: int, child: int) -> np.ndarray:
        """The rows of a node that are not in this child."""
        before = self._order[self._first[node] : self._first[child]]
        after = self._order[self._last[child] : self._last[node]]
        return np.concatenate((before, after))

    def _routed(
        self,
        patient: Patient,
        nodes: np.ndarray,
        tops: list[int],
        rows: np.ndarray,
        which: np.ndarray,
    ) -> np.ndarray:
        """The leaves of rows that go through the subtrees that `which` says."""
        table = self._rows.table
        kinds = table.schema.numbers.kinds
        subtrees = patient.structure(nodes, splits=self._tree)
        arrays = _planted(subtrees, np.searchsorted(nodes, tops), len(kinds))
        columns = table.take(rows).columns
        router = _core.Router(arrays, [*kinds, KIND_NUMBER["categorical"]])
        found = router.leaves([*columns, which.astype(np.int32)], len(rows), self._threads)
        leaves: np.ndarray = nodes[found - 1]
        return leaves

    def _check_rows(self) -> None:
        """The rows must be those of training: subtrees keep their splits and their counts."""
        leaves = np.flatnonzero(self._tree.is_leaf)
        found = (self._last - self._first)[leaves]
        wrong = np.flatnonzero(found != self._tree.leaf_rows)
        if len(wrong):
            leaf = wrong[0]
            seen = counted(int(found[leaf]), "row")
            raise DataError(
                f"these are not the rows that the tree was grown from: {seen} reach node"
                f" {leaves[leaf]}, which was grown from {self._tree.leaf_rows[leaf]}."
                " State the tree anew with tree.restat.restated(tree, table, target) first."
            )


def closed(tree: Tree) -> Tree:
    """The tree in which no row stops at an inner node: it goes on to the heaviest child.

    That is the child of known values with most weight, of equals the first, as in training.
    """
    weight = stats.node_weight_units(tree)
    tables: dict[str, Any] = {}
    for kind, (field, _) in TABLES.items():
        table, nodes = getattr(tree, field), np.flatnonzero(tree.split_kind == kind)
        for name in ("missing_child", "unseen_child"):
            if hasattr(table, name) and (getattr(table, name) == STOP).any():
                takers = getattr(table, name).copy()
                for row in np.flatnonzero(takers == STOP).tolist():
                    takers[row] = _heaviest(tree, int(nodes[row]), weight)
                table = replace(table, **{name: takers})
        tables[field] = table
    return altered(tree, **tables)


def leaf_statistics_of(tree: Tree, rows: Rows, leaf: np.ndarray, n_leaves: int) -> dict[str, Any]:
    """The statistics of numbered leaves, in the units of the tree's own."""
    n_classes = 0 if tree.classes is None else len(tree.classes)
    target, centred = rows.target, tree.criterion != "poisson"
    return _core.leaf_statistics(
        leaf, n_leaves, target.values, target.weights, n_classes, centred, 1
    )


def _heaviest(tree: Tree, node: int, weight: np.ndarray) -> int:
    split = split_of(tree, node)
    assert split is not None
    first = int(tree.child_start[node])
    return int(np.argmax(weight[tree.child[first : first + n_known_children(split)]]))


def _planted(arrays: dict[str, np.ndarray], tops: np.ndarray, column: int) -> dict[str, np.ndarray]:
    """Subtrees under a root that asks one more column, and beside them a leaf for no row.

    The router knows no split with a single child, hence the leaf.
    """
    n_nodes, n_tops = len(arrays["split_kind"]), len(tops)
    root_children = np.append(tops + 1, n_nodes + 1)
    starts = arrays["child_start"] + n_tops + 1
    planted = arrays | {
        "child_start": np.concatenate(([0], starts, starts[-1:])),
        "child": np.concatenate((root_children, arrays["child"] + 1)),
        "split_kind": np.concatenate(([MULTIWAY], arrays["split_kind"], [0])).astype(np.int8),
    }
    index = arrays["split_index"] + (arrays["split_kind"] == MULTIWAY)
    planted["split_index"] = np.concatenate(([0], index, [-1]))
    codes = arrays["multiway_start"] + n_tops + 1
    return planted | {
        "multiway_column": _before(column, arrays["multiway_column"]),
        "multiway_start": np.concatenate(([0], codes)),
        "multiway_codes": np.concatenate(
            (np.arange(n_tops + 1, dtype=np.int32), arrays["multiway_codes"])
        ),
        "multiway_missing": _before(n_tops, arrays["multiway_missing"]),
        "multiway_unseen": _before(n_tops, arrays["multiway_unseen"]),
    }


def _before(value: int, array: np.ndarray) -> np.ndarray:
    return np.concatenate((np.array([value], dtype=array.dtype), array))
