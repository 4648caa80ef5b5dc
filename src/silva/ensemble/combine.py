"""What a forest answers, tree by tree: sums are taken in the order of the trees."""

from collections.abc import Iterator

import numpy as np

from silva.data.table import Table
from silva.ensemble.forest import Forest
from silva.leaf import answers
from silva.tree import route
from silva.tree.tree import Tree


def leaves(forest: Forest, table: Table, threads: int = 1) -> np.ndarray:
    """The node in which each row ends in each tree: int64 (rows, trees)."""
    ends = np.empty((table.n_rows, len(forest)), dtype=np.int64)
    for number, (_, nodes) in enumerate(_routed(forest, table, threads)):
        ends[:, number] = nodes
    return ends


def shares(forest: Forest, table: Table, threads: int = 1) -> np.ndarray:
    """The probability of each class: float64 (rows, classes)."""
    assert forest.classes is not None
    total = np.zeros((table.n_rows, len(forest.classes)))
    for tree, nodes in _routed(forest, table, threads):
        total += tree_shares(tree, nodes, table, forest.combiner, threads)
    total /= len(forest)
    return total


def codes(forest: Forest, table: Table, threads: int = 1) -> np.ndarray:
    """The class code of each row (int64): the likeliest, the first of equals."""
    return np.asarray(shares(forest, table, threads).argmax(axis=1))


def values(forest: Forest, table: Table, threads: int = 1) -> np.ndarray:
    """The number of each row (float64)."""
    total = np.zeros(table.n_rows)
    for tree, nodes in _routed(forest, table, threads):
        total += answers.predict_values(tree, nodes, table, threads)
    total /= len(forest)
    return total


def tree_shares(
    tree: Tree, nodes: np.ndarray, table: Table, combiner: str, threads: int = 1
) -> np.ndarray:
    """What one tree adds to the votes of rows that end in `nodes`: float64 (rows, classes)."""
    if combiner == "soft":
        return answers.predict_shares(tree, nodes, table, threads)
    assert tree.classes is not None
    votes = np.zeros((len(nodes), len(tree.classes)))
    chosen = answers.predict_codes(tree, nodes, table, threads)
    votes[np.arange(len(nodes)), chosen] = 1.0
    return votes


def _routed(forest: Forest, table: Table, threads: int) -> Iterator[tuple[Tree, np.ndarray]]:
    for tree in forest.trees:
        yield tree, route.leaves(tree, table, threads)
