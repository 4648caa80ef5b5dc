"""How many bits and training rows it takes to tell somebody a tree.

The text of a tree is one symbol a node in pre-order (a column, a class) and an end: the alphabet
has columns + classes + 1 symbols. A split adds what its column alone does not say:

| split | training rows | bits, with L levels |
|---|---|---|
| threshold of numbers | 2: it is the midpoint of two training values | |
| threshold of levels | | log2 L |
| set of levels | | 1, and for each side that is listed its size and which set of that size |
| child for each level | | how many levels have one, and which |
| any, of levels | | log2 3 for the form |
| any | | where missing values go (or that they are the question), and unseen levels |

A row that stops at an inner node needs that node's class too. The levels of a column count as
known before the data. Weighted sums and distances have no such text.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple, assert_never

import numpy as np

from silva.data.schema import Schema
from silva.tree.splits import (
    STOP,
    THRESHOLD,
    Distance,
    Multiway,
    Oblique,
    Split,
    Subset,
    Threshold,
    split_of,
)
from silva.tree.tree import Tree
from silva.tree.words import asks_missing

ROWS_A_THRESHOLD = 2
BINARY_WAYS = 5
"""Of missing values: left, right, a third branch, stop, or that they are the question."""
FORMS = 3


class Cost(NamedTuple):
    """What a split adds to the text of a tree; `rows` are named, each by log2(rows of the fit)."""

    bits: float
    rows: int


def alphabet(n_columns: int, n_classes: int) -> int:
    """How many symbols the text of a tree is written in."""
    return n_columns + n_classes + 1


def symbol_bits(n_nodes: int, n_symbols: int) -> float:
    """The text of a tree with so many nodes, its end included."""
    return (n_nodes + 1) * math.log2(n_symbols)


def split_cost(split: Split, schema: Schema, n_classes: int) -> Cost | None:
    """What one split adds; None for a split that has no such text."""
    match split:
        case Oblique() | Distance():
            return None
        case Threshold() | Subset() | Multiway():
            column = schema.columns[split.column]
        case _:
            assert_never(split)
    bits = _direction_bits(split, column.levels is not None, n_classes)
    if column.levels is None:
        return Cost(bits, 0 if asks_missing(split) else ROWS_A_THRESHOLD)
    return Cost(bits + math.log2(FORMS) + _form_bits(split, column.n_levels), 0)


def tree_cost(tree: Tree) -> Cost | None:
    """What all splits add; None if one has no text."""
    costs = node_costs(tree)
    return None if costs is None else Cost(float(costs[0].sum()), int(costs[1].sum()))


def node_costs(tree: Tree) -> tuple[np.ndarray, np.ndarray] | None:
    """Bits (float64) and rows (int64) that each node's split adds; None if one has no text.

    Nothing for leaves. Costs add up, so those of a branch are a sum over its slice.
    """
    bits, rows = np.zeros(tree.n_nodes), np.zeros(tree.n_nodes, dtype=np.int64)
    n_classes = 0 if tree.classes is None else len(tree.classes)
    for nodes in _alike(tree):
        split = split_of(tree, int(nodes[0]))
        cost = None if split is None else split_cost(split, tree.schema, n_classes)
        if cost is None:
            return None
        bits[nodes], rows[nodes] = cost
    return bits, rows


def _alike(tree: Tree) -> Iterator[np.ndarray]:
    """Inner nodes in groups of equal cost: the thresholds of a column are told alike."""
    nodes = np.flatnonzero(tree.split_kind == THRESHOLD)
    table, index = tree.thresholds, tree.split_index[nodes]
    missing = table.missing_child[index]
    kinds = np.stack(
        (
            table.column[index],
            (table.threshold[index] == -np.inf) & (missing == 0),
            missing == STOP,
            table.unseen_child[index] == STOP,
        )
    )
    _, group = np.unique(kinds, axis=1, return_inverse=True)
    order = np.argsort(group, kind="stable")
    yield from np.split(nodes[order], np.flatnonzero(np.diff(group[order])) + 1)[: len(nodes)]
    for node in np.flatnonzero(~tree.is_leaf & (tree.split_kind != THRESHOLD)):
        yield np.array([node])


def _direction_bits(split: Threshold | Subset | Multiway, coded: bool, n_classes: int) -> float:
    """Where missing and unseen values go, and what they are told where they stop."""
    ways = len(split.codes) + 2 if isinstance(split, Multiway) else BINARY_WAYS
    bits = math.log2(ways) * (1 + coded)
    stops = split.missing_child == STOP or (coded and split.unseen_child == STOP)
    return bits + (math.log2(n_classes) if stops else 0.0)


def _form_bits(split: Threshold | Subset | Multiway, n_levels: int) -> float:
    match split:
        case Threshold():
            return math.log2(n_levels)
        case Subset(codes=codes, rest=rest):
            told = _set_bits(len(codes), n_levels)
            return 1.0 + told + (_set_bits(len(rest), n_levels - len(codes)) if rest else 0.0)
        case Multiway(codes=codes):
            return _set_bits(len(codes), n_levels)
        case _:
            assert_never(split)


def _set_bits(size: int, of: int) -> float:
    """The size, and which of the sets of that size."""
    return math.log2(of + 1) + math.log2(math.comb(of, size))
