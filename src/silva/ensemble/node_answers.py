"""What the nodes of a tree answer, as the compiled engine takes it: sparse shares, or values."""

import numpy as np

from silva.leaf import answers
from silva.tree import decision, stats
from silva.tree.tree import Tree

NodeAnswers = dict[str, np.ndarray]


def leaf_answers(tree: Tree) -> NodeAnswers:
    """The answers of the leaves."""
    return _some(tree, tree.is_leaf)


def inner_answers(tree: Tree) -> NodeAnswers:
    """The answers of the inner nodes."""
    return _some(tree, ~tree.is_leaf)


def node_answers(tree: Tree) -> NodeAnswers:
    """The answers of all nodes."""
    return _some(tree, np.ones(tree.n_nodes, dtype=bool))


def _some(tree: Tree, which: np.ndarray) -> NodeAnswers:
    nodes = np.flatnonzero(which)
    if tree.classes is None:
        return {"values": stats.node_mean(tree, nodes)}
    n_classes = len(tree.classes)
    lengths = [np.zeros(1, dtype=np.int64)]
    codes: list[np.ndarray] = []
    shares: list[np.ndarray] = []
    for part in decision.parts(len(nodes), n_classes):
        dense = answers.node_shares(tree, nodes[part])
        row, code = np.nonzero(dense)
        lengths.append(np.bincount(row, minlength=len(dense)))
        codes.append(code)
        shares.append(dense[row, code])
    majority = decision.node_codes(tree, nodes)
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
