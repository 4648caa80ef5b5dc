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

    A subtree ends where one child fewer is owed than before its root. The number falls by one at
    a time, so that is the first equal number, found by a search in the sorted pairs (number, node).
    The questions are sorted too: they are the same pairs, one number lower.
    """
    bits = len(n_children).bit_length()
    pairs = _owed_before(n_children) << bits
    pairs |= np.arange(len(pairs))
    pairs.sort()
    asked, place = pairs[1:], (1 << bits) - 1
    found = pairs[np.searchsorted(pairs, asked - (1 << bits))]
    end = np.empty(len(n_children), dtype=np.int64)
    end[asked & place] = found & place
    return end


def children(n_children: np.ndarray) -> np.ndarray:
    """The children of node 0, then those of node 1, ... (int64); needs `is_preorder`.

    The first child follows its parent. Before the last one as many are owed as before the parent,
    and never so few in between.
    """
    parent = np.flatnonzero(n_children)
    start = np.cumsum(n_children)
    child = np.empty(len(n_children) - 1, dtype=np.int64)
    owed = _owed_before(n_children)
    order = np.argsort(owed.astype(np.min_scalar_type(int(owed.max()))), kind="stable")
    following = np.empty_like(order)
    following[order[:-1]] = order[1:]
    child[start[parent] - n_children[parent]] = parent + 1
    child[start[parent] - 1] = following[parent]
    if n_children.max() > 2:
        _fill_middle(child, start, n_children)
    return child


def _fill_middle(child: np.ndarray, start: np.ndarray, n_children: np.ndarray) -> None:
    """The children between the first and the last: each begins where the one before it ends."""
    end = subtree_end(n_children)
    parent = np.flatnonzero(n_children > 2)
    at, number = parent + 1, 1
    while len(parent):
        at = end[at]
        child[start[parent] - n_children[parent] + number] = at
        number += 1
        more = n_children[parent] > number + 1
        parent, at = parent[more], at[more]


def _owed_before(n_children: np.ndarray) -> np.ndarray:
    """How many children are owed before each node, itself included, and after the last."""
    owed = np.ones(len(n_children) + 1, dtype=np.int64)
    np.cumsum(n_children - 1, out=owed[1:])
    owed[1:] += 1
    return owed


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
