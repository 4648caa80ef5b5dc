"""The invariants of a tree: what every loader, editor and router may rely on.

All checks are vectorised and none recurses. The order matters: each check may rely on those
before it, so that no index is used before it is known to be in range.
"""

import math

import numpy as np

from silva.errors import ModelFormatError
from silva.tree import shape
from silva.tree.arrays import flat
from silva.tree.check_arrays import check_codes, check_finite, check_length, check_starts, require
from silva.tree.check_meta import check_meta, check_unit
from silva.tree.check_splits import check_split_tables
from silva.tree.linear import check_linear, check_smoothing
from silva.tree.tables import DISTANCE, LEAF
from silva.tree.tree import (
    ARRAYS,
    IS_SOUND,
    ClassStats,
    MomentStats,
    Tree,
    to_arrays,
    trusted,
)

LARGEST_TOTAL = 2.0**62


def check(tree: Tree) -> Tree:
    """Return the tree, or raise ModelFormatError naming the array and the first bad index."""
    check_meta(tree)
    check_types(tree)
    check_shape(tree)
    check_split_tables(tree)
    check_leaves(tree)
    check_answers(tree)
    return trusted(tree)


def sound(tree: Tree) -> Tree:
    """The tree, checked unless it has been: `dataclasses.replace` can put any arrays into one."""
    return tree if IS_SOUND in vars(tree) else check(tree)


def check_types(tree: Tree) -> None:
    """Every array has its type and rank."""
    for name, array in to_arrays(tree).items():
        if name in ARRAYS:
            how = ARRAYS[name]
            if not isinstance(array, np.ndarray) or array.dtype != how.dtype:
                found = getattr(array, "dtype", type(array).__name__)
                raise ModelFormatError(f"{name}: must be an array of {how.dtype}, is {found}")
            if array.shape[1:] != how.trailing or array.ndim == 0:
                raise ModelFormatError(f"{name}: has the impossible shape {array.shape}")


def check_shape(tree: Tree) -> None:
    """The nodes are one tree in pre-order, in which each kind of split has its children."""
    if tree.n_nodes == 0:
        raise ModelFormatError("split_kind: must have at least one node")
    check_length("child_start", tree.child_start, tree.n_nodes + 1)
    check_length("child", tree.child, tree.n_nodes - 1)
    check_length("split_index", tree.split_index, tree.n_nodes)
    check_length("gain", tree.gain, tree.n_nodes)
    check_starts("child_start", tree.child_start, len(tree.child))
    _check_kinds(tree)
    n_children = np.diff(tree.child_start)
    if not shape.is_preorder(n_children):
        raise ModelFormatError("child_start: the numbers of children do not make one tree")
    _check_children(tree, n_children)
    require(tree.gain >= 0, "gain", "must be a number of at least 0", tree.gain)
    unused = ~tree.is_leaf | (tree.gain.view(np.int64) == 0)
    require(unused, "gain", "must be 0 for a leaf", tree.gain)


def check_leaves(tree: Tree) -> None:
    """Each leaf has rows, a positive weight and its statistics; totals fit 64 (128) bits."""
    n_leaves = int(np.count_nonzero(tree.is_leaf))
    check_length("leaf_rows", tree.leaf_rows, n_leaves)
    _check_positive("leaf_rows", tree.leaf_rows)
    match tree.leaf_stats:
        case ClassStats() as stats:
            _check_classes(stats, n_leaves, 0 if tree.classes is None else len(tree.classes))
        case MomentStats() as stats:
            _check_moments(stats, n_leaves)
    if not math.isfinite(float(stats.weight.sum()) * tree.weight_unit):
        raise ModelFormatError("weight_unit: the total weight is not finite")


def check_answers(tree: Tree) -> None:
    """Smoothing is for class shares, and linear leaves have models of known columns."""
    n_classes = 0 if tree.classes is None else len(tree.classes)
    if tree.smoothing is not None:
        if tree.task != "classification":
            raise ModelFormatError(f"smoothing: a {tree.task} tree has no class shares")
        check_smoothing(tree.smoothing)
    if tree.linear is not None:
        check_linear(tree.linear, tree.schema, tree.n_leaves, n_classes)


def _check_kinds(tree: Tree) -> None:
    """A leaf has no children, a split at least two; how many, its table says."""
    kind = tree.split_kind
    rule = f"must be {LEAF} to {DISTANCE}"
    require((kind >= LEAF) & (kind <= DISTANCE), "split_kind", rule, kind)
    n_children = np.diff(tree.child_start)
    fits = np.where(kind == LEAF, n_children == 0, n_children >= 2)
    require(fits, "child_start", "gives a node the wrong number of children", n_children)


def _check_children(tree: Tree, n_children: np.ndarray) -> None:
    """The first child follows its parent; the next begins where the one before it ends."""
    child = tree.child
    inner = np.flatnonzero(n_children)
    first = tree.child_start[inner]
    in_range = (child > 0) & (child < tree.n_nodes)
    require(in_range, "child", "must be a node other than the root", child)
    expected = np.empty_like(child)
    expected[1:] = tree.subtree_end[child[:-1]]
    expected[first] = inner + 1
    require(child == expected, "child", "must be the next node in pre-order", child)


def _check_classes(stats: ClassStats, n_leaves: int, n_classes: int) -> None:
    check_length("class_start", stats.start, n_leaves + 1)
    check_starts("class_start", stats.start, len(stats.code))
    some = np.diff(stats.start) > 0
    require(some, "class_start", "gives a leaf no class", stats.start)
    check_length("class_weight", stats.weight, len(stats.code))
    limits = np.full(len(stats.code), n_classes)
    check_codes("class_code", stats.code, stats.start, limits)
    _check_positive("class_weight", stats.weight)


def _check_moments(stats: MomentStats, n_leaves: int) -> None:
    check_unit("target_unit", stats.target_unit)
    for name, array in flat(stats).items():
        check_length(name, array, n_leaves)
    _check_positive("moment_weight", stats.weight)
    high = stats.sum_of_squares[:, 0]
    require(high >= 0, "moment_squares", "must not be negative", high)
    check_finite("moment_value", stats.value)
    _check_total("moment_sum", stats.sum[:, 0])
    _check_total("moment_squares", high)


def _check_positive(name: str, array: np.ndarray) -> None:
    require(array > 0, name, "must be positive", array)
    _check_total(name, array)


def _check_total(name: str, array: np.ndarray) -> None:
    if np.abs(array.astype(np.float64)).sum() >= LARGEST_TOTAL:
        raise ModelFormatError(f"{name}: the total is too large for exact sums")
