"""Which nodes a row passes on its way to the leaf, or inner node, where it ends."""

import numpy as np

from silva.tree import stats
from silva.tree.tree import Tree


def paths(tree: Tree, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nodes from the root to each of `nodes`, laid end to end: (start, passed).

    Path i is `passed[start[i]:start[i + 1]]`, in ascending order, both ends included.
    """
    parent = stats.parent(tree)
    start = np.zeros(len(nodes) + 1, dtype=np.int64)
    np.cumsum(stats.depth(tree)[nodes] + 1, out=start[1:])
    passed = np.empty(start[-1], dtype=np.int64)
    place, node = start[1:] - 1, nodes
    while len(node):
        passed[place] = node
        below_root = node > 0
        place, node = place[below_root] - 1, parent[node[below_root]]
    return start, passed
