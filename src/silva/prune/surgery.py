"""A tree on the operating table: nodes that became leaves, subtrees that took a node's place.

Both only leave out nodes, so the nodes that are left keep their order: pre-order.
"""

from typing import Any, Self

import numpy as np

from silva.data.table import Target
from silva.tree.arrays import kept_rows
from silva.tree.check import check
from silva.tree.collapse import collapse
from silva.tree.restat import restated_at
from silva.tree.shape import cover
from silva.tree.tables import rows_in_tables
from silva.tree.tree import Tree, from_arrays, numbers_of, split_tables


class Patient:
    """Which nodes of a tree are left, which of them are leaves, and who stands in whose place."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.left = np.ones(tree.n_nodes, dtype=bool)
        self.is_leaf = tree.is_leaf.copy()
        self.stand_in = np.arange(tree.n_nodes)
        self.has_raised = False
        self._end = tree.subtree_end.tolist()

    def copy(self) -> Self:
        """Another one to try things on."""
        twin = type(self)(self.tree)
        twin.left, twin.is_leaf = self.left.copy(), self.is_leaf.copy()
        twin.stand_in, twin.has_raised = self.stand_in.copy(), self.has_raised
        return twin

    def collapse(self, node: int) -> None:
        """Make the node a leaf."""
        self.left[node : self._end[node]] = False
        self.left[node] = True
        self.is_leaf[node] = True
        self.stand_in[node] = node

    def raise_child(self, node: int, child: int) -> None:
        """Put what stands in the child's place into the node's own."""
        top = int(self.stand_in[child])
        self.left[node:top] = False
        self.left[self._end[top] : self._end[node]] = False
        self.stand_in[node] = top
        self.has_raised = True

    def nodes_below(self, tops: list[int]) -> np.ndarray:
        """The nodes left in the subtrees of these nodes, ascending."""
        chosen = np.zeros(len(self.left), dtype=bool)
        for top in tops:
            chosen[top : self._end[top]] = self.left[top : self._end[top]]
        return np.flatnonzero(chosen)

    def structure(self, nodes: np.ndarray, splits: Tree | None = None) -> dict[str, np.ndarray]:
        """The arrays of structure and of splits of these nodes, numbered as they are listed.

        With a node come all those below it. `splits` is a tree of the same nodes whose questions
        are to be taken.
        """
        leaf = self.is_leaf[nodes]
        number = np.full(len(self.left), -1, dtype=np.int64)
        number[nodes] = np.arange(len(nodes))
        kind = np.where(leaf, np.int8(0), self.tree.split_kind[nodes])
        n_children = np.where(leaf, 0, np.diff(self.tree.child_start)[nodes])
        arrays = {
            "child_start": np.concatenate(([0], np.cumsum(n_children))),
            "child": number[self.stand_in[self._children(nodes[~leaf])]],
            "split_kind": kind,
            "split_index": rows_in_tables(kind),
        }
        for one, table in split_tables(splits or self.tree).items():
            kept = np.zeros(np.count_nonzero(self.tree.split_kind == one), dtype=bool)
            kept[self.tree.split_index[nodes[kind == one]]] = True
            arrays |= kept_rows(table, kept)
        return arrays

    def finished(self, target: Target | None, leaf_of_row: np.ndarray | None) -> Tree:
        """The tree that is left, with the statistics of the rows that end in its leaves.

        `leaf_of_row` holds the leaves by their numbers in the whole tree, -1 for no leaf. Where
        nothing was raised, the leaves' own statistics add up and no rows are needed.
        """
        if not self.has_raised:
            return collapse(self.tree, np.flatnonzero(self.is_leaf))
        assert target is not None
        assert leaf_of_row is not None
        nodes = np.flatnonzero(self.left)
        ends = np.where(leaf_of_row < 0, -1, np.searchsorted(nodes, leaf_of_row))
        return restated_at(self._provisional(nodes), ends, target)

    def _provisional(self, nodes: np.ndarray) -> Tree:
        """The tree of these nodes, in which leaves lack the rows of nodes whose place they took."""
        smaller = collapse(self.tree, np.flatnonzero(self.is_leaf))
        leaves = np.flatnonzero(~_below_leaves(self.tree, self.is_leaf))[smaller.is_leaf]
        kept = self.left[leaves]
        arrays: dict[str, Any] = self.structure(nodes) | numbers_of(self.tree)
        arrays |= kept_rows(smaller.leaf_stats, kept) | {"leaf_rows": smaller.leaf_rows[kept]}
        arrays["gain"] = np.zeros(len(nodes))
        facts = (self.tree.schema, self.tree.task, self.tree.classes, self.tree.criterion)
        tree = self.tree
        return check(from_arrays(*facts, arrays, tree.smoothing, costs=tree.costs))

    def _children(self, nodes: np.ndarray) -> np.ndarray:
        first = self.tree.child_start[nodes]
        lengths = self.tree.child_start[nodes + 1] - first
        offset = np.repeat(first - (np.cumsum(lengths) - lengths), lengths)
        children: np.ndarray = self.tree.child[offset + np.arange(len(offset))]
        return children


def _below_leaves(tree: Tree, is_leaf: np.ndarray) -> np.ndarray:
    """The nodes that lie below one of the leaves."""
    marked = np.flatnonzero(is_leaf & ~tree.is_leaf)
    inside: np.ndarray = cover(marked, tree.subtree_end[marked], tree.n_nodes) > 0
    return inside
