"""Putting one tree in the place of a branch of another: what every editor and raiser does."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from silva.errors import DataError
from silva.tree.arrays import kept_rows, offsets, stored
from silva.tree.tables import rows_in_tables
from silva.tree.tree import ClassStats, MomentStats, Tree, from_arrays, split_tables, trusted


def spliced(tree: Tree, node: int, branch: Tree) -> Tree:
    """The tree with `branch` in place of `node` and all below it, without statistics.

    Counts, means, gains and linear models are gone (nothing of them is true of the new tree):
    `restat.restated` gives new ones and checks the result. Only routing works before that. The
    columns of both must be the same; the classes and everything else are those of `tree`.
    """
    if branch.schema != tree.schema:
        raise DataError("the branch has other columns than the tree.")
    arrays: dict[str, Any] = _structure(tree, node, branch) | _splits(tree, node, branch)
    n_leaves = int(np.count_nonzero(arrays["split_kind"] == 0))
    facts = (tree.schema, tree.task, tree.classes, tree.criterion)
    arrays |= _no_statistics(tree, n_leaves) | {"weight_unit": 1.0}
    whole = from_arrays(*facts, arrays, tree.smoothing, tree.edits, tree.costs)
    return trusted(whole)


def branch_of(tree: Tree, node: int) -> Tree:
    """The branch below a node (and the node) as a tree of its own, without statistics."""
    end = int(tree.subtree_end[node])
    inside = np.zeros(tree.n_nodes, dtype=bool)
    inside[node:end] = True
    kind = tree.split_kind[node:end]
    children = slice(tree.child_start[node], tree.child_start[end])
    arrays: dict[str, Any] = {
        "child_start": tree.child_start[node : end + 1] - tree.child_start[node],
        "child": tree.child[children] - node,
        "split_kind": kind,
        "split_index": rows_in_tables(kind),
        "gain": np.zeros(end - node),
        "weight_unit": 1.0,
    }
    for one, table in split_tables(tree).items():
        arrays |= kept_rows(table, inside[tree.split_kind == one])
    arrays |= _no_statistics(tree, int(np.count_nonzero(kind == 0)))
    facts = (tree.schema, tree.task, tree.classes, tree.criterion)
    branch = from_arrays(*facts, arrays, tree.smoothing, tree.edits, tree.costs)
    return trusted(branch)


def _structure(tree: Tree, node: int, branch: Tree) -> dict[str, np.ndarray]:
    end = int(tree.subtree_end[node])
    moved = branch.n_nodes - (end - node)
    before = tree.child[: tree.child_start[node]]
    after = tree.child[tree.child_start[end] :]
    renumbered = [np.where(part >= end, part + moved, part) for part in (before, after)]
    n_children = [np.diff(one.child_start) for one in (tree, branch)]
    counts = np.concatenate((n_children[0][:node], n_children[1], n_children[0][end:]))
    kind = np.concatenate((tree.split_kind[:node], branch.split_kind, tree.split_kind[end:]))
    return {
        "child_start": np.concatenate(([0], np.cumsum(counts))),
        "child": np.concatenate((renumbered[0], branch.child + node, renumbered[1])),
        "split_kind": kind,
        "split_index": rows_in_tables(kind),
        "gain": np.zeros(len(kind)),
    }


def _splits(tree: Tree, node: int, branch: Tree) -> dict[str, np.ndarray]:
    numbers, end = np.arange(tree.n_nodes), int(tree.subtree_end[node])
    arrays: dict[str, np.ndarray] = {}
    inserted = split_tables(branch)
    for kind, table in split_tables(tree).items():
        at = numbers[tree.split_kind == kind]
        middle = kept_rows(inserted[kind], np.ones(_n_rows(branch, kind), dtype=bool))
        parts = (kept_rows(table, at < node), middle, kept_rows(table, at >= end))
        arrays |= _joined(type(table), parts)
    return arrays


def _n_rows(tree: Tree, kind: int) -> int:
    return int(np.count_nonzero(tree.split_kind == kind))


def _joined(table_type: type, parts: Sequence[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """The rows of several parts of a table, one after the other."""
    arrays = {}
    for field, how in stored(table_type).items():
        pieces = [part[how.name] for part in parts]
        if field in offsets(table_type):
            lengths = np.concatenate([np.diff(piece) for piece in pieces])
            arrays[how.name] = np.concatenate(([0], np.cumsum(lengths)))
        else:
            arrays[how.name] = np.concatenate(pieces)
    return arrays


def _no_statistics(tree: Tree, n_leaves: int) -> dict[str, Any]:
    """Arrays of the right lengths that say nothing."""
    arrays: dict[str, Any] = {"leaf_rows": np.zeros(n_leaves, dtype=np.int64)}
    if tree.classes is None:
        arrays |= {"center": 0.0, "target_unit": 1.0}
    table_type = MomentStats if tree.classes is None else ClassStats
    for field, how in stored(table_type).items():
        length = 0 if how.cut_by else n_leaves + (field in offsets(table_type))
        arrays[how.name] = np.zeros((length, *how.trailing), dtype=how.dtype)
    return arrays


def one_leaf(tree: Tree) -> Tree:
    """A single leaf with the columns of a tree, without statistics."""
    leaf = int(np.argmax(tree.is_leaf))
    return replace(branch_of(tree, leaf), edits=())
