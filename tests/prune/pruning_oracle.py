"""Weakest-link pruning, done the slow and obvious way: look at every branch before every cut."""

import numpy as np

from silva.tree.tree import Tree


def slow_path(tree: Tree, risk: np.ndarray) -> list[tuple[float, float, int]]:
    """(alpha, impurity of the leaves, number of leaves) of every tree on the path.

    `risk` is each node's impurity times its share of the weight.
    """
    leaves = {node for node in range(tree.n_nodes) if tree.is_leaf[node]}
    found = [(0.0, sum(risk[leaf] for leaf in leaves), len(leaves))]
    while leaves != {0}:
        alpha, node = min((strength(tree, risk, leaves, t), t) for t in inner(tree, leaves))
        leaves = {leaf for leaf in leaves if not below(tree, node, leaf)} | {node}
        found.append((alpha, sum(risk[leaf] for leaf in leaves), len(leaves)))
    return found


def strength(tree: Tree, risk: np.ndarray, leaves: set[int], node: int) -> float:
    branch = [leaf for leaf in leaves if below(tree, node, leaf)]
    return (risk[node] - sum(risk[leaf] for leaf in branch)) / (len(branch) - 1)


def inner(tree: Tree, leaves: set[int]) -> list[int]:
    return [t for t in range(tree.n_nodes) if any(below(tree, t, leaf) for leaf in leaves - {t})]


def below(tree: Tree, node: int, other: int) -> bool:
    return node <= other < tree.subtree_end[node]
