"""Nodes of trees as columns of 0 and 1: which nodes, in which order, named how, predicting what."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from silva.inspect.paths import forest_paths
from silva.inspect.rules.conditions import Condition, Regions, is_empty
from silva.inspect.rules.lexicon import Lexicon
from silva.inspect.rules.words import conjunction
from silva.leaf import answers
from silva.tree import decision, stats
from silva.tree.splits import STOP
from silva.tree.tree import Tree, split_tables

CHOICES = ("leaves", "rules")
"""Which nodes are columns: those where rows can end, or all but the root."""


@dataclass(frozen=True, eq=False)
class NodeColumns:
    """The nodes that are columns: the trees one after the other, the nodes of each ascending.

    `nodes` has the node numbers of each tree. `number` has the column of every node, -1 for those
    that are none; the nodes of tree t are counted from `first[t]` on.
    """

    nodes: tuple[np.ndarray, ...]
    first: np.ndarray
    number: np.ndarray

    def __len__(self) -> int:
        return sum(map(len, self.nodes))


def node_columns(trees: Iterable[Tree], chosen: str) -> NodeColumns:
    """The columns of trees: "leaves" are the nodes where rows can end, "rules" all but the root.

    A node that has no training rows and that no row can reach is left out.
    """
    found = [(tree.n_nodes, _nodes(Regions(tree), chosen)) for tree in trees]
    first = np.cumsum([0, *(n_nodes for n_nodes, _ in found)])
    nodes = tuple(own for _, own in found)
    number = np.full(first[-1], -1, dtype=np.int64)
    places = [own + begin for own, begin in zip(nodes, first.tolist(), strict=False)]
    number[np.concatenate(places)] = np.arange(sum(map(len, nodes)))
    return NodeColumns(nodes, first, number)


def _nodes(regions: Regions, chosen: str) -> np.ndarray:
    return _ends(regions) if chosen == "leaves" else _below_root(regions)


def _ends(regions: Regions) -> np.ndarray:
    """The leaves, and the inner nodes at which missing or unseen values stop."""
    tree = regions.tree
    is_end = tree.is_leaf & (stats.node_rows(tree) > 0)
    doubtful = [*np.flatnonzero(tree.is_leaf & ~is_end).tolist(), *_stopping_nodes(tree)]
    is_end[[node for node in doubtful if _is_possible(regions.of_end(node))]] = True
    return np.flatnonzero(is_end)


def _below_root(regions: Regions) -> np.ndarray:
    """The nodes but the root."""
    tree = regions.tree
    is_reached = stats.node_rows(tree) > 0
    doubtful = np.flatnonzero(~is_reached).tolist()
    is_reached[[node for node in doubtful if _is_possible(regions.of_node(node))]] = True
    is_reached[0] = False
    return np.flatnonzero(is_reached)


def _is_possible(conditions: Iterable[Condition]) -> bool:
    """Whether rows that pass `bind_prediction` can satisfy the conditions."""
    return not any(is_empty(one) for one in conditions)


def _stopping_nodes(tree: Tree) -> list[int]:
    """The inner nodes whose split may stop rows with missing or unseen values."""
    found: list[int] = []
    for kind, table in split_tables(tree).items():
        unseen = getattr(table, "unseen_child", table.missing_child)
        stops = (table.missing_child == STOP) | (unseen == STOP)
        found += np.flatnonzero(tree.split_kind == kind)[stops].tolist()
    return found


def end_columns(columns: NodeColumns, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The columns of the nodes where rows end, (rows, trees): (start, passed) as `paths` has it."""
    n_rows, n_trees = nodes.shape
    start = np.arange(n_rows + 1, dtype=np.int64) * n_trees
    return start, columns.number[nodes + columns.first[:-1]].ravel()


def path_columns(
    columns: NodeColumns, trees: Iterable[Tree], nodes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The columns of all nodes below the root on the way there: (start, passed)."""
    start, passed, _ = forest_paths(tuple(trees), nodes)
    n_rows, n_trees = nodes.shape
    numbers = columns.number[passed]
    return start - np.arange(n_rows + 1) * n_trees, numbers[numbers >= 0]


def column_names(trees: Iterable[Tree], chosen: str, lexicon: Lexicon, many: bool) -> list[str]:
    """The exact condition of each column in words; `many`: with the number of its tree."""
    told: list[str] = []
    for number, tree in enumerate(trees):
        prefix = f"tree {number}: " if many else ""
        told += (prefix + name for name in _names_of(tree, chosen, lexicon))
    return told


def _names_of(tree: Tree, chosen: str, lexicon: Lexicon) -> list[str]:
    """Names that are the same, as those of a node and its only child that rows can reach, are
    told apart by the node."""
    regions = Regions(tree)
    region = regions.of_end if chosen == "leaves" else regions.of_node
    nodes = _nodes(regions, chosen)
    names = [conjunction(region(node), lexicon) for node in nodes.tolist()]
    times = Counter(names)
    pairs = zip(names, nodes.tolist(), strict=True)
    return [f"{name} (node {node})" if times[name] > 1 else name for name, node in pairs]


def column_values(trees: Iterable[Tree], votes: bool) -> np.ndarray:
    """What each tree predicts where its rows end: means, or (columns, classes) class shares.

    With `votes` 1 for the class that the node votes for, and 0 for all others.
    """
    return np.concatenate([_values_of(tree, _ends(Regions(tree)), votes) for tree in trees])


def _values_of(tree: Tree, nodes: np.ndarray, votes: bool) -> np.ndarray:
    if tree.classes is None:
        return stats.node_mean(tree, nodes)
    if votes:
        return np.asarray(np.eye(len(tree.classes))[decision.node_codes(tree, nodes)])
    return answers.node_shares(tree, nodes)
