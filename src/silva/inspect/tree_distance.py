"""How far trees are from each other: by what they say, and by what they ask."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from silva.inspect.importance import column_uses
from silva.tree import stats
from silva.tree.tree import Tree

Place = tuple[int, int]
"""The number of the parent's place, and which child of it."""


def answer_distances(told: np.ndarray, is_class: bool) -> np.ndarray:
    """Between all pairs of rows of `told` (trees, rows): the share of rows with different classes,
    or the root mean squared difference of numbers.
    """
    n_trees = len(told)
    found = np.zeros((n_trees, n_trees))
    for tree in range(n_trees - 1):
        later = told[tree + 1 :]
        if is_class:
            apart = (later != told[tree]).mean(axis=1)
        else:
            apart = np.sqrt(np.square(later - told[tree]).mean(axis=1))
        found[tree, tree + 1 :] = found[tree + 1 :, tree] = apart
    return found


def structure_distances(trees: Sequence[Tree]) -> np.ndarray:
    """Between all pairs: 1 - common questions / all questions, a question weighing 2^-level.

    A question is common when both trees ask about the same columns at the same place (the way
    from the root, child by child), wherever they cut. 0: the same columns everywhere; 1: already
    the roots differ.
    """
    places: dict[Place, int] = {}
    questions: dict[tuple[int, tuple[int, ...]], int] = {}
    rows, keys, weights = [], [], []
    for number, tree in enumerate(trees):
        for question, level in _questions(tree, places):
            rows.append(number)
            keys.append(questions.setdefault(question, len(questions)))
            weights.append(0.5**level)
    shape = (len(trees), max(len(questions), 1))
    asked = csr_array((np.ones(len(rows)), (rows, keys)), shape=shape)
    weighted = csr_array((weights, (rows, keys)), shape=shape)
    common = (weighted @ asked.T).toarray()
    every = common.diagonal()[:, None] + common.diagonal() - common
    shared = np.divide(common, every, out=np.ones_like(common), where=every > 0)
    return np.asarray(1.0 - shared)


def _questions(
    tree: Tree, places: dict[Place, int]
) -> list[tuple[tuple[int, tuple[int, ...]], int]]:
    """The place and columns of each inner node, and its level."""
    place = [0] * tree.n_nodes
    start, child = tree.child_start.tolist(), tree.child.tolist()
    depth = stats.depth(tree).tolist()
    columns = _columns(tree)
    found = []
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        found.append(((place[node], columns[node]), depth[node]))
        for number, below in enumerate(child[start[node] : start[node + 1]]):
            key = (place[node], number)
            place[below] = places.setdefault(key, len(places) + 1)
    return found


def _columns(tree: Tree) -> list[tuple[int, ...]]:
    nodes, columns = column_uses(tree)
    found: list[list[int]] = [[] for _ in range(tree.n_nodes)]
    for node, column in zip(nodes.tolist(), columns.tolist(), strict=True):
        found[node].append(column)
    return [tuple(one) for one in found]
