"""The invariants of a tree: what every loader, editor and router may rely on.

All checks are vectorised and none recurses. The order matters: each check may rely on those
before it, so that no index is used before it is known to be in range.
"""

import math

import numpy as np

from silva.errors import ModelFormatError
from silva.tree import shape
from silva.tree.check_meta import check_meta, check_unit
from silva.tree.splits import LEAF, SUBSET, THRESHOLD
from silva.tree.tree import ARRAY_TYPES, PAIRS, ClassStats, MomentStats, Tree, to_arrays

LARGEST_TOTAL = 2.0**62
CHILDREN_OF_KIND = np.array([0, 2, 2])


def check(tree: Tree) -> Tree:
    """Return the tree, or raise ModelFormatError naming the array and the first bad index."""
    check_meta(tree)
    check_types(tree)
    check_shape(tree)
    check_split_tables(tree)
    check_thresholds(tree)
    check_subsets(tree)
    check_leaves(tree)
    return tree


def check_types(tree: Tree) -> None:
    """Every array has its type and rank."""
    for name, array in to_arrays(tree).items():
        if not isinstance(array, np.ndarray) or array.dtype != ARRAY_TYPES[name]:
            found = getattr(array, "dtype", type(array).__name__)
            raise ModelFormatError(f"{name}: must be an array of {ARRAY_TYPES[name]}, is {found}")
        if array.shape[1:] != ((2,) if name in PAIRS else ()) or array.ndim == 0:
            raise ModelFormatError(f"{name}: has the impossible shape {array.shape}")


def check_shape(tree: Tree) -> None:
    """The nodes are one tree in pre-order, in which each kind of split has its children."""
    if tree.n_nodes == 0:
        raise ModelFormatError("split_kind: must have at least one node")
    _check_length("child_start", tree.child_start, tree.n_nodes + 1)
    _check_length("child", tree.child, tree.n_nodes - 1)
    _check_length("split_index", tree.split_index, tree.n_nodes)
    _check_length("gain", tree.gain, tree.n_nodes)
    _check_starts("child_start", tree.child_start, len(tree.child))
    _check_kinds(tree)
    n_children = np.diff(tree.child_start)
    if not shape.is_preorder(n_children):
        raise ModelFormatError("child_start: the numbers of children do not make one tree")
    _check_children(tree, n_children)
    _require(tree.gain >= 0, "gain", "must be a number of at least 0", tree.gain)
    unused = ~tree.is_leaf | (tree.gain.view(np.int64) == 0)
    _require(unused, "gain", "must be 0 for a leaf", tree.gain)


def check_split_tables(tree: Tree) -> None:
    """The table of each kind lists the splits of its nodes, in the order of the nodes."""
    expected = np.full(tree.n_nodes, -1, dtype=np.int64)
    tables = {
        THRESHOLD: ("threshold", ("column", "value", "missing")),
        SUBSET: ("subset", ("column", "missing", "unseen")),
    }
    arrays = to_arrays(tree)
    for kind, (prefix, parts) in tables.items():
        nodes = np.flatnonzero(tree.split_kind == kind)
        expected[nodes] = np.arange(len(nodes))
        for part in parts:
            _check_length(f"{prefix}_{part}", arrays[f"{prefix}_{part}"], len(nodes))
    _require(
        tree.split_index == expected,
        "split_index",
        "must count the splits of one kind in the order of their nodes, -1 for a leaf",
        tree.split_index,
    )


def check_thresholds(tree: Tree) -> None:
    """Thresholds are numbers, on columns that have an order."""
    table = tree.thresholds
    _check_columns(tree, "threshold_column", table.column, ("continuous", "ordinal", "binary"))
    _require(~np.isnan(table.threshold), "threshold_value", "must be a number", table.threshold)
    _check_two("threshold_missing", table.missing_child)


def check_subsets(tree: Tree) -> None:
    """Code sets are ascending and inside the levels of their categorical column."""
    table = tree.subsets
    _check_columns(tree, "subset_column", table.column, ("categorical",))
    _check_two("subset_missing", table.missing_child)
    _check_two("subset_unseen", table.unseen_child)
    _check_length("subset_start", table.start, len(table.column) + 1)
    _check_starts("subset_start", table.start, len(table.codes))
    n_levels = np.array([column.n_levels for column in tree.schema.columns], dtype=np.int64)
    limits = np.repeat(n_levels[table.column], np.diff(table.start))
    _check_codes("subset_codes", table.codes, table.start, limits)


def check_leaves(tree: Tree) -> None:
    """Each leaf has rows, a positive weight and its statistics; totals fit 64 (128) bits."""
    n_leaves = int(np.count_nonzero(tree.is_leaf))
    _check_length("leaf_rows", tree.leaf_rows, n_leaves)
    _check_positive("leaf_rows", tree.leaf_rows)
    match tree.leaf_stats:
        case ClassStats() as stats:
            _check_classes(stats, n_leaves, 0 if tree.classes is None else len(tree.classes))
        case MomentStats() as stats:
            _check_moments(stats, n_leaves)
    if not math.isfinite(float(stats.weight.sum()) * tree.weight_unit):
        raise ModelFormatError("weight_unit: the total weight is not finite")


def _check_kinds(tree: Tree) -> None:
    kind = tree.split_kind
    _require((kind >= LEAF) & (kind <= SUBSET), "split_kind", "must be 0, 1 or 2", kind)
    n_children = np.diff(tree.child_start)
    fits = n_children == CHILDREN_OF_KIND[kind]
    _require(fits, "child_start", "gives a node the wrong number of children", n_children)


def _check_children(tree: Tree, n_children: np.ndarray) -> None:
    """The first child follows its parent; the next begins where the one before it ends."""
    child = tree.child
    inner = np.flatnonzero(n_children)
    first = tree.child_start[inner]
    in_range = (child > 0) & (child < tree.n_nodes)
    _require(in_range, "child", "must be a node other than the root", child)
    expected = np.empty_like(child)
    expected[1:] = tree.subtree_end[child[:-1]]
    expected[first] = inner + 1
    _require(child == expected, "child", "must be the next node in pre-order", child)


def _check_columns(tree: Tree, name: str, column: np.ndarray, kinds: tuple[str, ...]) -> None:
    in_range = (column >= 0) & (column < len(tree.schema))
    _require(in_range, name, f"must be one of the {len(tree.schema)} columns", column)
    fits = np.array([one.kind in kinds for one in tree.schema.columns], dtype=bool)
    _require(fits[column], name, f"must be a column of kind {' or '.join(kinds)}", column)


def _check_classes(stats: ClassStats, n_leaves: int, n_classes: int) -> None:
    _check_length("class_start", stats.start, n_leaves + 1)
    _check_starts("class_start", stats.start, len(stats.code))
    some = np.diff(stats.start) > 0
    _require(some, "class_start", "gives a leaf no class", stats.start)
    _check_length("class_weight", stats.weight, len(stats.code))
    limits = np.full(len(stats.code), n_classes)
    _check_codes("class_code", stats.code, stats.start, limits)
    _check_positive("class_weight", stats.weight)


def _check_moments(stats: MomentStats, n_leaves: int) -> None:
    check_unit("target_unit", stats.target_unit)
    for name, array in (
        ("moment_weight", stats.weight),
        ("moment_sum", stats.sum),
        ("moment_squares", stats.sum_of_squares),
        ("moment_value", stats.value),
    ):
        _check_length(name, array, n_leaves)
    _check_positive("moment_weight", stats.weight)
    high = stats.sum_of_squares[:, 0]
    _require(high >= 0, "moment_squares", "must not be negative", high)
    _require(np.isfinite(stats.value), "moment_value", "must be finite", stats.value)
    _check_total("moment_sum", stats.sum[:, 0])
    _check_total("moment_squares", high)


def _check_positive(name: str, array: np.ndarray) -> None:
    _require(array > 0, name, "must be positive", array)
    _check_total(name, array)


def _check_total(name: str, array: np.ndarray) -> None:
    if np.abs(array.astype(np.float64)).sum() >= LARGEST_TOTAL:
        raise ModelFormatError(f"{name}: the total is too large for exact sums")


def _check_codes(name: str, codes: np.ndarray, start: np.ndarray, limits: np.ndarray) -> None:
    """Codes are below their limits and strictly ascending inside each group."""
    _require((codes >= 0) & (codes < limits), name, "is out of range", codes)
    ascends = np.ones(len(codes) + 1, dtype=bool)
    ascends[1:-1] = codes[1:] > codes[:-1]
    ascends[start] = True
    _require(ascends[:-1], name, "must be above the code before it", codes)


def _check_starts(name: str, start: np.ndarray, total: int) -> None:
    """Offsets begin at 0, never fall, and end at the length of the array they cut."""
    rises = np.ones(len(start), dtype=bool)
    rises[1:] = start[1:] >= start[:-1]
    rises[0] = start[0] == 0
    rises[-1] &= start[-1] == total
    _require(rises, name, f"must rise from 0 to {total}", start)


def _check_two(name: str, child: np.ndarray) -> None:
    _require(child < 2, name, "must be child 0 or 1", child)


def _check_length(name: str, array: np.ndarray, length: int) -> None:
    if len(array) != length:
        raise ModelFormatError(f"{name}: must have {length} entries, has {len(array)}")


def _require(holds: np.ndarray, name: str, rule: str, found: np.ndarray) -> None:
    if not holds.all():
        index = int(np.argmin(holds))
        raise ModelFormatError(f"{name}[{index}]: {rule}, is {found[index]}")
