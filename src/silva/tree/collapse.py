"""Turning inner nodes into leaves: what every pruner and editor does."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from silva.tree import moments, quotients, shape, stats
from silva.tree.arrays import kept_rows
from silva.tree.check import check
from silva.tree.linear import LinearLeaves, constant_log_odds, models_a_leaf
from silva.tree.tables import LEAF, rows_in_tables
from silva.tree.tree import (
    ClassStats,
    MomentStats,
    Tree,
    from_arrays,
    numbers_of,
    split_tables,
)


def collapse(tree: Tree, nodes: np.ndarray | Iterable[int]) -> Tree:
    """The tree in which the given nodes (numbers, or one boolean a node) are leaves.

    Nodes that are leaves already, or lie below another given node, change nothing. Statistics of
    a new leaf are the exact sums of those of the leaves it replaces. The mean of a new regression
    leaf comes from these sums, center + sum * target_unit / weight, rounded once: the original
    targets are gone, so it may differ from their exact mean by half a `target_unit`; it does not
    depend on the order in which nodes are collapsed. Beside linear leaves, a new leaf
    has a constant model: its mean, or the log-odds of its class shares.
    """
    marked = _marked(tree, nodes)
    kept = shape.cover(np.flatnonzero(marked), tree.subtree_end[marked], tree.n_nodes) == 0
    if kept.all():
        return tree
    arrays: dict[str, Any] = _structure(tree, kept, marked) | _splits(tree, kept & ~marked)
    first = _first_leaves(tree, kept, marked)
    arrays |= _leaves(tree, first) | numbers_of(tree)
    facts = (tree.schema, tree.task, tree.classes, tree.criterion)
    smaller = from_arrays(*facts, arrays, tree.smoothing, tree.edits, tree.costs)
    if tree.linear is not None:
        smaller = replace(smaller, linear=_linear(tree.linear, smaller, first, tree.n_leaves))
    return check(smaller)


def _marked(tree: Tree, nodes: np.ndarray | Iterable[int]) -> np.ndarray:
    """One boolean a node: inner nodes that become leaves."""
    chosen = np.asarray(nodes if isinstance(nodes, np.ndarray) else list(nodes))
    marked = np.zeros(tree.n_nodes, dtype=bool)
    if len(chosen):
        if chosen.dtype != bool and (chosen.min() < 0 or chosen.max() >= tree.n_nodes):
            raise IndexError(f"nodes: the tree has the nodes 0 to {tree.n_nodes - 1}")
        marked[chosen] = True
    inner: np.ndarray = marked & ~tree.is_leaf
    return inner


def _structure(tree: Tree, kept: np.ndarray, marked: np.ndarray) -> dict[str, np.ndarray]:
    new_number = np.cumsum(kept) - 1
    n_children = np.where(marked, 0, np.diff(tree.child_start))[kept]
    kind = np.where(marked, np.int8(LEAF), tree.split_kind)[kept]
    return {
        "child_start": np.concatenate(([0], np.cumsum(n_children))),
        "child": new_number[tree.child[kept[tree.child]]],
        "split_kind": kind,
        "split_index": rows_in_tables(kind),
        "gain": np.where(marked, 0.0, tree.gain)[kept],
    }


def _splits(tree: Tree, stays: np.ndarray) -> dict[str, np.ndarray]:
    """The rows of the split tables whose nodes stay inner nodes."""
    arrays: dict[str, np.ndarray] = {}
    for kind, table in split_tables(tree).items():
        arrays |= kept_rows(table, stays[tree.split_kind == kind])
    return arrays


def _first_leaves(tree: Tree, kept: np.ndarray, marked: np.ndarray) -> np.ndarray:
    """The old number of the first leaf that each new leaf takes over."""
    first: np.ndarray = stats.leaf_number(tree)[kept & (marked | tree.is_leaf)]
    return first


def _leaves(tree: Tree, first: np.ndarray) -> dict[str, np.ndarray]:
    rows = {"leaf_rows": np.add.reduceat(tree.leaf_rows, first)}
    match tree.leaf_stats:
        case ClassStats() as leaves:
            return rows | _merged_classes(leaves, first)
        case MomentStats() as leaves:
            return rows | _merged_moments(leaves, first)


def _merged_classes(leaves: ClassStats, first: np.ndarray) -> dict[str, np.ndarray]:
    new_leaf = np.repeat(_groups(first, len(leaves.start) - 1), np.diff(leaves.start))
    order = np.lexsort((leaves.code, new_leaf))
    leaf, code = new_leaf[order], leaves.code[order]
    is_first = np.concatenate(([True], (leaf[1:] != leaf[:-1]) | (code[1:] != code[:-1])))
    entries = np.flatnonzero(is_first)
    return {
        "class_start": np.searchsorted(leaf[entries], np.arange(len(first) + 1)),
        "class_code": code[entries],
        "class_weight": np.add.reduceat(leaves.weight[order], entries),
    }


def _merged_moments(leaves: MomentStats, first: np.ndarray) -> dict[str, np.ndarray]:
    last = np.append(first[1:], len(leaves.weight))
    weight, total = np.add.reduceat(leaves.weight, first), moments.between(leaves.sum, first, last)
    value, is_new = leaves.value[first], last - first > 1
    value[is_new] = quotients.means(
        total[is_new], weight[is_new], leaves.center, leaves.target_unit
    )
    return {
        "moment_weight": weight,
        "moment_sum": total,
        "moment_squares": moments.between(leaves.sum_of_squares, first, last),
        "moment_value": value,
    }


def _groups(first: np.ndarray, n_leaves: int) -> np.ndarray:
    """The new leaf of each old leaf."""
    return np.repeat(np.arange(len(first)), np.diff(first, append=n_leaves))


def _linear(models: LinearLeaves, smaller: Tree, first: np.ndarray, n_leaves: int) -> LinearLeaves:
    """The models of leaves that stay, and constants for the leaves that take over several."""
    a_leaf = models_a_leaf(0 if smaller.classes is None else len(smaller.classes))
    is_new = np.repeat(np.diff(first, append=n_leaves) > 1, a_leaf)
    old = (first[:, None] * a_leaf + np.arange(a_leaf)).ravel()
    lengths = np.where(is_new, 0, np.diff(models.start)[old])
    entries = np.repeat(models.start[old] - (np.cumsum(lengths) - lengths), lengths)
    entries += np.arange(len(entries))
    constant = np.zeros(len(old))
    constant[is_new] = _constant_models(smaller, is_new[::a_leaf])
    return LinearLeaves(
        start=np.concatenate(([0], np.cumsum(lengths))),
        **{name: getattr(models, name)[entries] for name in ("column", "code", "weight", "center")},
        **{
            name: np.where(is_new, constant, getattr(models, name)[old])
            for name in ("intercept", "low", "high")
        },
    )


def _constant_models(tree: Tree, chosen: np.ndarray) -> np.ndarray:
    """What constant models of the chosen leaves (one boolean a leaf) answer, one entry a model."""
    leaves = np.flatnonzero(tree.is_leaf)[chosen]
    if tree.classes is None:
        return stats.node_mean(tree, leaves)
    return constant_log_odds(stats.node_class_weight(tree, leaves)).ravel()
