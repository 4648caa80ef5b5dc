"""The same splits with the statistics of other rows: what every editor and honest pruner needs."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from silva import _core
from silva.data.table import Table, Target
from silva.errors import DataError
from silva.messages import counted, listed
from silva.tree import route, stats
from silva.tree.splits import n_known_children, split_of
from silva.tree.tables import STOP, TABLES
from silva.tree.tree import Tree, altered, with_statistics


class EmptyLeafError(DataError):
    """Leaves that no row reaches. `nodes` are their numbers in the tree."""

    def __init__(self, nodes: list[int]) -> None:
        self.nodes = nodes
        found = counted(len(nodes), "leaf", "leaves")
        numbers = listed(nodes)
        super().__init__(f"no row of a weight above 0 reaches {found} of the tree: nodes {numbers}")


def restated(tree: Tree, table: Table, target: Target, threads: int = 1) -> Tree:
    """The tree with the statistics of these rows: leaves, gains and units as growth has them.

    Of the rows that the tree grew from, the tree itself to the last bit. Rows that stop at an inner
    node go on to its heaviest child, as in training. Linear models and smoothing stay as they are.
    Raises EmptyLeafError, a ValueError, if a leaf has no rows.
    """
    return restated_at(tree, leaf_nodes(tree, table, target, threads), target, threads)


def restated_at(tree: Tree, nodes: np.ndarray, target: Target, threads: int = 1) -> Tree:
    """The same for rows that were routed already: `nodes` are the leaves they end in.

    Rows with a negative number count for nothing (but for the units of the integers).
    """
    found = leaf_statistics(tree, nodes, target, threads)
    _refuse_empty(tree, found["leaf_rows"])
    n_classes = 0 if tree.classes is None else len(tree.classes)
    gain = _core.split_gains(tree.child_start, found, tree.criterion, n_classes)
    return with_statistics(tree, found | {"gain": gain})


def leaf_statistics(
    tree: Tree, nodes: np.ndarray, target: Target, threads: int = 1
) -> dict[str, Any]:
    """The arrays of statistics (see `_core.leaf_statistics`) of rows that end in these leaves.

    A leaf may have no rows.
    """
    _check_target(tree, target)
    leaf = np.where(nodes < 0, -1, stats.leaf_number(tree)[nodes])
    n_classes = 0 if tree.classes is None else len(tree.classes)
    centred = tree.criterion != "poisson"
    return _core.leaf_statistics(
        leaf, tree.n_leaves, target.values, target.weights, n_classes, centred, threads
    )


def leaf_nodes(tree: Tree, table: Table, target: Target, threads: int = 1) -> np.ndarray:
    """The node of the leaf that each row ends in, if no row stops on the way (int64).

    A row that would stop at an inner node goes on to the child of known values with most weight
    (of equals, the first), as training rows do; the weights are those of these rows.
    """
    nodes = route.leaves(tree, table, threads)
    open_tree = tree
    while not tree.is_leaf[nodes].all():
        stops = _topmost(tree, np.unique(nodes[~tree.is_leaf[nodes]]))
        weight = weight_inside(tree, nodes, target.weights)
        open_tree = _opened(open_tree, {node: heaviest_child(tree, node, weight) for node in stops})
        nodes = route.leaves(open_tree, table, threads)
    return nodes


def _topmost(tree: Tree, nodes: np.ndarray) -> list[int]:
    """Those of the nodes (ascending) that have none of the others above them."""
    chosen, end = [], 0
    for node in nodes.tolist():
        if node >= end:
            chosen.append(node)
            end = int(tree.subtree_end[node])
    return chosen


def weight_inside(tree: Tree, nodes: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """The weight of the rows that end at a node or below it, in exact units (int64)."""
    same = np.zeros(len(nodes), dtype=np.int32)
    found = _core.leaf_statistics(nodes, tree.n_nodes, same, weights, 1, True, 1)
    running = np.zeros(tree.n_nodes + 1, dtype=np.int64)
    running[1:][np.diff(found["class_start"]) > 0] = found["class_weight"]
    np.cumsum(running, out=running)
    inside: np.ndarray = running[tree.subtree_end] - running[:-1]
    return inside


def heaviest_child(tree: Tree, node: int, weight: np.ndarray) -> int:
    """Which child of known values has most of the weight that `weight_inside` found."""
    split = split_of(tree, node)
    assert split is not None
    first = int(tree.child_start[node])
    known = tree.child[first : first + n_known_children(split)]
    return int(np.argmax(weight[known]))


def _opened(tree: Tree, child_of: Mapping[int, int]) -> Tree:
    """The tree in which no row stops at the given nodes: such rows go to the given children."""
    tables: dict[str, Any] = {}
    for kind, (field, _) in TABLES.items():
        nodes = [node for node in child_of if tree.split_kind[node] == kind]
        if nodes:
            rows = tree.split_index[nodes]
            children = np.array([child_of[node] for node in nodes])
            tables[field] = _table_opened(getattr(tree, field), rows, children)
    return altered(tree, **tables)


def _table_opened(table: Any, rows: np.ndarray, children: np.ndarray) -> Any:
    changed = {}
    for field in ("missing_child", "unseen_child"):
        if hasattr(table, field):
            takers = getattr(table, field).copy()
            takers[rows] = np.where(takers[rows] == STOP, children, takers[rows])
            changed[field] = takers
    return replace(table, **changed)


def _refuse_empty(tree: Tree, leaf_rows: np.ndarray) -> None:
    empty = np.flatnonzero(tree.is_leaf)[leaf_rows == 0]
    if len(empty):
        raise EmptyLeafError(empty.tolist())


def _check_target(tree: Tree, target: Target) -> None:
    if target.task != tree.task:
        raise DataError(
            f"a {tree.task} tree takes no statistics of a {target.task} target;"
            f" bind the target as {tree.task}."
        )
    if tree.classes is None:
        return
    if target.classes is None or not np.array_equal(target.classes, tree.classes):
        raise DataError(
            "the target has other classes than the tree; bind it with the classes of the tree."
        )
    if len(target.values) and target.values.min() < 0:
        row = int(np.argmin(target.values))
        raise DataError(f"the target has a class in row {row} that the tree does not know.")
