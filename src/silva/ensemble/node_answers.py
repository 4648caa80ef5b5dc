"""What the nodes of a tree answer, as the compiled engine takes it: sparse shares, or values."""

from collections.abc import Callable

import numpy as np

from silva.ensemble import packing
from silva.ensemble.packed import Facts
from silva.leaf import answers, distribution
from silva.tree import stats
from silva.tree.tree import ClassStats, Tree

NodeAnswers = dict[str, np.ndarray]


def leaf_answers(
    facts: Facts, data: bytes, entries: packing.Entries, tree: Callable[[], Tree]
) -> NodeAnswers:
    """The answers of the leaves of a packed tree; `tree` makes it where bytes do not suffice."""
    if facts.task == "regression":
        return {"values": packing.array_of(data, entries, "moment_value")}
    if facts.smoothing is None and (packing.array_of(data, entries, "class_start") == 1).all():
        code = packing.array_of(data, entries, "class_code")
        return _sparse(np.arange(len(code) + 1), code, np.ones(len(code)), code)
    made = tree()
    return _shares_of_leaves(made) if made.smoothing is None else _some(made, made.is_leaf)


def inner_answers(tree: Tree) -> NodeAnswers:
    """The answers of the inner nodes."""
    return _some(tree, ~tree.is_leaf)


def node_answers(tree: Tree) -> NodeAnswers:
    """The answers of all nodes."""
    return _some(tree, np.ones(tree.n_nodes, dtype=bool))


def _shares_of_leaves(tree: Tree) -> NodeAnswers:
    found = tree.leaf_stats
    assert isinstance(found, ClassStats)
    row = np.repeat(np.arange(tree.n_leaves), np.diff(found.start))
    total = np.bincount(row, weights=found.weight, minlength=tree.n_leaves)
    return _sparse(found.start, found.code, found.weight / total[row], distribution.majority(tree))


def _some(tree: Tree, which: np.ndarray) -> NodeAnswers:
    nodes = np.flatnonzero(which)
    if tree.classes is None:
        return {"values": stats.node_mean(tree, nodes)}
    n_classes = len(tree.classes)
    lengths = [np.zeros(1, dtype=np.int64)]
    codes: list[np.ndarray] = []
    shares: list[np.ndarray] = []
    for part in answers.parts(len(nodes), n_classes):
        dense = answers.node_shares(tree, nodes[part])
        row, code = np.nonzero(dense)
        lengths.append(np.bincount(row, minlength=len(dense)))
        codes.append(code)
        shares.append(dense[row, code])
    majority = answers.node_codes(tree, nodes)
    start = np.cumsum(np.concatenate(lengths))
    none = np.zeros(0)
    return _sparse(
        start, np.concatenate(codes or [none]), np.concatenate(shares or [none]), majority
    )


def _sparse(
    start: np.ndarray, code: np.ndarray, share: np.ndarray, majority: np.ndarray
) -> NodeAnswers:
    return {
        "start": start.astype(np.int64, copy=False),
        "code": code.astype(np.int32, copy=False),
        "share": share.astype(np.float64, copy=False),
        "majority": majority.astype(np.int32, copy=False),
    }
