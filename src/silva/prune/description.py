"""How many bits, and how many rows named, it takes to describe a tree to someone with the rows.

Nodes are written in pre-order. A node starts with one bit, leaf or split. A leaf goes on with its
class. A split goes on with its kind, its column, where missing and unseen values go (and the class
that rows get which stop there); then a threshold names the two rows between whose values it is the
midpoint, sets and branches name one row for each category. Bits are whole multiples of 2^-20,
rounded up, so that sums are exact and never too short.
"""

import math

import numpy as np

from silva.errors import PlanError
from silva.tree.splits import Distance, Multiway, Oblique, Split, Subset, Threshold, split_of
from silva.tree.tables import STOP
from silva.tree.tree import Tree

BIT = 2**20
KINDS_OF_SPLITS = 3


def bits(choices: float) -> int:
    """The bits that name one of so many choices, in units of 2^-20."""
    return math.ceil(math.log2(choices) * BIT)


def size_bits(size: int) -> int:
    """A number of at least 0 in Elias' gamma code: the binary digits of size + 1, twice, less 1."""
    return (2 * (size + 1).bit_length() - 1) * BIT


def leaf_bits(n_classes: int) -> int:
    """One bit and the class."""
    return BIT + bits(n_classes)


def split_lengths(tree: Tree) -> tuple[list[int], list[int]]:
    """For each node the bits of its split and the rows that it names; 0 for leaves."""
    lengths, named = [0] * tree.n_nodes, [0] * tree.n_nodes
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        split = split_of(tree, node)
        assert split is not None
        lengths[node], named[node] = _length(tree, split)
    return lengths, named


def _length(tree: Tree, split: Split) -> tuple[int, int]:
    match split:
        case Threshold():
            kind = tree.schema.columns[split.column].kind
            free = kind == "binary" or math.isinf(split.threshold)
            return _head(tree, split, 2) + BIT, 0 if free else 2
        case Subset():
            sizes = size_bits(len(split.codes)) + size_bits(len(split.rest))
            return _head(tree, split, 2) + sizes, len(split.codes) + len(split.rest)
        case Multiway():
            n_known = len(split.codes)
            return _head(tree, split, n_known) + size_bits(n_known), n_known
        case Oblique() | Distance():
            name = type(split).__name__.lower()
            raise PlanError(
                f"the compression form does not hold for {name} splits: their numbers are computed"
                " from the rows and cannot be named by a few of them. Use splits of one column,"
                " form='fixed' with tests fixed beforehand, or held-out rows."
            )


def _head(tree: Tree, split: Threshold | Subset | Multiway, n_known: int) -> int:
    """Split or leaf, kind, column, and where values go that are missing or unseen."""
    length = BIT + bits(KINDS_OF_SPLITS) + bits(len(tree.schema)) + bits(n_known + 2)
    if tree.schema.columns[split.column].kind != "continuous":
        length += bits(n_known + 2)
    if STOP in (split.missing_child, split.unseen_child):
        length += bits(1 if tree.classes is None else len(tree.classes))
    return length
