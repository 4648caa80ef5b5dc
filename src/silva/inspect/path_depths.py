"""How deep the trees of a pruning path are."""

from collections.abc import Iterable

import numpy as np

from silva.tree import stats
from silva.tree.tree import Tree


def path_depths(tree: Tree, cut_nodes: Iterable[int]) -> np.ndarray:
    """The depth of the whole tree and of that after each cut, the last of which is the root's.

    The nodes of the current tree are a linked list in pre-order: a cut takes out a run of them.
    Before a cut, a tree is as deep as the deepest node that this or a later cut takes out.
    """
    depth, end = stats.depth(tree).tolist(), tree.subtree_end.tolist()
    follower = list(range(1, tree.n_nodes + 1))
    deepest = []
    for node in cut_nodes:
        below, lowest = follower[node], depth[node]
        while below < end[node]:
            lowest, below = max(lowest, depth[below]), follower[below]
        follower[node] = below
        deepest.append(lowest)
    depths: np.ndarray = np.maximum.accumulate(np.array([0, *deepest[::-1]]))[::-1]
    return depths
