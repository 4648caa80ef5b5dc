"""The closed set of questions that a node can ask, as plain values."""

from dataclasses import dataclass

from silva.tree.tree import Tree

LEAF, THRESHOLD, SUBSET = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Threshold:
    """`value < threshold` goes to child 0, anything else to child 1, missing to `missing_child`.

    A threshold of minus infinity with `missing_child` 0 asks "is it missing?".
    Codes of ordinal and binary columns are compared as numbers.
    """

    column: int
    threshold: float
    missing_child: int


@dataclass(frozen=True, slots=True)
class Subset:
    """A code in `codes` goes to child 1 (yes), another known code to child 0 (no)."""

    column: int
    codes: tuple[int, ...]
    missing_child: int
    unseen_child: int


Split = Threshold | Subset


def split_of(tree: Tree, node: int) -> Split | None:
    """The question that a node asks, None for a leaf."""
    kind, row = int(tree.split_kind[node]), int(tree.split_index[node])
    if kind == LEAF:
        return None
    if kind == THRESHOLD:
        return _threshold(tree, row)
    if kind == SUBSET:
        return _subset(tree, row)
    raise ValueError(f"split_kind[{node}] is {kind}, which is no known kind of split")


def _threshold(tree: Tree, row: int) -> Threshold:
    table = tree.thresholds
    return Threshold(
        int(table.column[row]), float(table.threshold[row]), int(table.missing_child[row])
    )


def _subset(tree: Tree, row: int) -> Subset:
    table = tree.subsets
    codes = table.codes[table.start[row] : table.start[row + 1]]
    return Subset(
        int(table.column[row]),
        tuple(codes.tolist()),
        int(table.missing_child[row]),
        int(table.unseen_child[row]),
    )
