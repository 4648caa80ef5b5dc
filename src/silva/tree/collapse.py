"""Turning inner nodes into leaves: what every pruner and editor does."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from silva.tree import moments, shape, stats
from silva.tree.check import check
from silva.tree.splits import LEAF, SUBSET, THRESHOLD
from silva.tree.tree import ClassStats, MomentStats, Tree, from_arrays


def collapse(tree: Tree, nodes: np.ndarray | Iterable[int]) -> Tree:
    """The tree in which the given nodes (numbers, or one boolean a node) are leaves.

    Nodes that are leaves already, or lie below another given node, change nothing. Statistics of
    a new leaf are the exact sums of those of the leaves it replaces. The mean of a new regression
    leaf comes from these sums, center + sum * target_unit / weight, rounded once: the original
    targets are gone, so it may differ from their exact mean by half a `target_unit`; it does not
    depend on the order in which nodes are collapsed.
    """
    marked = _marked(tree, nodes)
    kept = shape.cover(np.flatnonzero(marked), tree.subtree_end[marked], tree.n_nodes) == 0
    if kept.all():
        return tree
    arrays = _structure(tree, kept, marked) | _splits(tree, kept & ~marked)
    arrays |= _leaves(tree, _first_leaves(tree, kept, marked))
    grown = from_arrays(
        tree.schema, tree.task, tree.classes, tree.criterion, arrays | _numbers(tree)
    )
    return check(grown)


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
    index = np.full(len(kind), -1, dtype=np.int64)
    for one in (THRESHOLD, SUBSET):
        nodes = kind == one
        index[nodes] = np.arange(np.count_nonzero(nodes))
    return {
        "child_start": np.concatenate(([0], np.cumsum(n_children))),
        "child": new_number[tree.child[kept[tree.child]]],
        "split_kind": kind,
        "split_index": index,
        "gain": np.where(marked, 0.0, tree.gain)[kept],
    }


def _splits(tree: Tree, stays: np.ndarray) -> dict[str, np.ndarray]:
    """The rows of the split tables whose nodes stay inner nodes."""
    threshold = stays[tree.split_kind == THRESHOLD]
    subset = stays[tree.split_kind == SUBSET]
    lengths = np.diff(tree.subsets.start)
    return {
        "threshold_column": tree.thresholds.column[threshold],
        "threshold_value": tree.thresholds.threshold[threshold],
        "threshold_missing": tree.thresholds.missing_child[threshold],
        "subset_column": tree.subsets.column[subset],
        "subset_start": np.concatenate(([0], np.cumsum(lengths[subset]))),
        "subset_codes": tree.subsets.codes[np.repeat(subset, lengths)],
        "subset_missing": tree.subsets.missing_child[subset],
        "subset_unseen": tree.subsets.unseen_child[subset],
    }


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
    weight = np.add.reduceat(leaves.weight, first)
    total = _merged_integers(leaves.sum, first)
    squares = _merged_integers(leaves.sum_of_squares, first)
    value = leaves.value[first]
    for leaf in np.flatnonzero(np.diff(first, append=len(leaves.weight)) > 1).tolist():
        unit = leaves.target_unit
        value[leaf] = moments.mean(total[leaf], int(weight[leaf]), leaves.center, unit)
    return {
        "moment_weight": weight,
        "moment_sum": moments.to_pairs(total),
        "moment_squares": moments.to_pairs(squares),
        "moment_value": value,
    }


def _merged_integers(pairs: np.ndarray, first: np.ndarray) -> list[int]:
    integers = np.array([*moments.to_integers(pairs), None], dtype=object)[:-1]
    return list(np.add.reduceat(integers, first))


def _groups(first: np.ndarray, n_leaves: int) -> np.ndarray:
    """The new leaf of each old leaf."""
    return np.repeat(np.arange(len(first)), np.diff(first, append=n_leaves))


def _numbers(tree: Tree) -> dict[str, Any]:
    numbers = {"weight_unit": tree.weight_unit}
    if isinstance(tree.leaf_stats, MomentStats):
        numbers["center"] = tree.leaf_stats.center
        numbers["target_unit"] = tree.leaf_stats.target_unit
    return numbers
