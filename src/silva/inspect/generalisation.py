"""Bounds on the error of new rows from the training rows alone.

All hold with probability 1 - delta over the draw of m independent rows. An error is a share; a
value of 1 or more says nothing. What each assumes is told in `docs/bounds.md`. The formulas that
pruning minimises are those of `prune.bound`, for the same description of a tree.
"""

import math
from typing import NamedTuple

from silva.leaf import distribution
from silva.prune.bound import compression_bound, compression_kl_bound, occam_bound
from silva.prune.description import BIT, leaf_bits, split_lengths
from silva.tree.decision import right_units
from silva.tree.tree import Tree


class Size(NamedTuple):
    """What the bounds need to know of a classification tree and its training rows."""

    errors: int
    nodes: int
    rows: int
    columns: int
    classes: int


class Description(NamedTuple):
    """The length of a tree's description: so many bits, and the numbers of so many rows."""

    bits: float
    named: int


def size_of(tree: Tree) -> Size:
    """What the bounds count of an unweighted classification tree with constant leaves."""
    rows, right = int(tree.leaf_rows.sum()), int(right_units(tree).sum())
    n_classes = len(distribution.classes(tree))
    return Size(rows - right, tree.n_nodes, rows, len(tree.schema), n_classes)


def described(tree: Tree) -> Description | None:
    """How long the description is; None for splits of several columns, which have none."""
    if len(tree.obliques.missing_child) or len(tree.distances.missing_child):
        return None
    lengths, named = split_lengths(tree)
    leaves = tree.n_leaves * leaf_bits(len(distribution.classes(tree)))
    return Description((sum(lengths) + leaves) / BIT, sum(named))


def textbook(size: Size, delta: float, n_tests: int | None = None) -> float:
    """errors / m + sqrt(((n + 1) log2(d + K + 1) + ln(2 / delta)) / (2 m)).

    For n nodes, K classes, and d tests that were fixed before the rows were seen: `n_tests`, or
    one for each column.
    """
    symbols = (size.columns if n_tests is None else n_tests) + size.classes + 1
    return occam_bound(size.errors, size.rows, (size.nodes + 1) * math.log2(symbols), delta)


def compression(size: Size, told: Description, delta: float) -> float:
    """e / (m - r) + sqrt((B ln 2 + r ln m + ln(1 / delta)) / (2 (m - r))) for B bits and r rows.

    Thresholds and sets may come from the rows. The errors count on the m - r rows that are not
    named, as if all were among them.
    """
    return compression_bound(size.errors, size.rows, told.bits, told.named, delta)


def compression_kl(size: Size, told: Description, delta: float) -> float:
    """The same with Chernoff's inequality in place of Hoeffding's: never larger.

    The largest p with kl(e / (m - r), p) <= (B ln 2 + r ln m + ln(1 / delta)) / (m - r).
    """
    return compression_kl_bound(size.errors, size.rows, told.bits, told.named, delta)


def vapnik(size: Size, dimension: int, delta: float) -> float:
    """errors / m + sqrt(8 (V ln(2 e m / V) + ln(4 / delta)) / m) for the VC dimension V <= 2 m."""
    if dimension > 2 * size.rows:
        return math.inf
    growth = dimension * math.log(2.0 * math.e * size.rows / dimension)
    spread = math.sqrt(8.0 * (growth + math.log(4.0 / delta)) / size.rows)
    return size.errors / size.rows + spread
