"""The walk of pruners whose figures add up over the leaves: each node is judged on its own."""

from collections.abc import Iterator

import numpy as np

from silva.tree.tree import Tree


def additive_walk(
    tree: Tree, leaf: list[int], stop: list[int] | None = None, rounded: bool = False
) -> Iterator[tuple[int, int, int]]:
    """From the leaves up, the nodes that cost no more as a leaf than their subtree.

    `leaf` is the cost of each node as a leaf, `stop` that of rows which stop at it. Costs that
    were `rounded` down may hide a tie: each leaf of the subtree is given the unit it may lack.
    Yields the node, how many leaves the tree loses by it, and what it adds to the cost.
    """
    start, child = tree.child_start.tolist(), tree.child.tolist()
    cost, leaves = list(leaf), [1] * tree.n_nodes
    for node in np.flatnonzero(~tree.is_leaf)[::-1].tolist():
        below = child[start[node] : start[node + 1]]
        keep = sum([cost[one] for one in below]) + (0 if stop is None else stop[node])
        n_leaves = sum([leaves[one] for one in below])
        if leaf[node] <= keep + (n_leaves if rounded else 0):
            yield node, n_leaves - 1, leaf[node] - keep
        else:
            cost[node], leaves[node] = keep, n_leaves
