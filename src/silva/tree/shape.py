"""Questions of shape, answered from the numbers of children of nodes in pre-order.

All are vectorised: a chain of a million nodes is as good as a bushy tree.
"""

import numpy as np


def is_preorder(n_children: np.ndarray) -> bool:
    """Whether these numbers of children, in pre-order, describe exactly one whole tree.

    Reading them in order, the number of children still owed must stay above zero until the last.
    """
    owed = 1 + np.cumsum(n_children - 1)
    return bool(len(owed) and owed[-1] == 0 and (owed[:-1] > 0).all())


def subtree_end(n_children: np.ndarray) -> np.ndarray:
    """One past the last node of each node's subtree (int64); needs `is_preorder`.

    A subtree ends at the first node where one child fewer is owed than before its root. The sum
    falls by one at a time, so that is the first equal value, found by a search in the sorted
    pairs (sum, node).
    """
    n_nodes = len(n_children)
    end = np.arange(1, n_nodes + 1)
    owed = np.cumsum(n_children - 1)
    inner = np.flatnonzero(n_children)
    pairs = np.sort((owed + 1) * n_nodes + np.arange(n_nodes))
    before = owed[inner] - (n_children[inner] - 1)
    wanted = before * n_nodes + inner
    end[inner] = pairs[np.searchsorted(pairs, wanted)] - before * n_nodes + 1
    return end


def parents(child_start: np.ndarray, child: np.ndarray) -> np.ndarray:
    """The parent of each node, -1 for the root (int64)."""
    parent = np.full(len(child_start) - 1, -1, dtype=np.int64)
    parent[child] = np.repeat(np.arange(len(parent)), np.diff(child_start))
    return parent


def cover(inside: np.ndarray, ends: np.ndarray, n_nodes: int) -> np.ndarray:
    """How many of the nodes `inside` (with their subtree ends) lie strictly above each node."""
    steps = np.bincount(inside + 1, minlength=n_nodes + 1)
    steps -= np.bincount(ends, minlength=n_nodes + 1)
    return np.cumsum(steps)[:n_nodes]
