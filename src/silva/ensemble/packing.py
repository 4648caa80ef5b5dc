"""One tree in few bytes: what follows from other arrays is left out, the rest is narrow.

Left out are the children and the index of splits (they follow from the kinds of the nodes in
pre-order and the tables of their splits), gains of leaves, the offsets (lengths are kept), and the
moments of leaves whose training rows all have one target.

The core writes and reads the bytes (pack_tree.hpp): it packs trees of classes in the threads that
grow them, all others when `pack` is called. This module chooses what is kept.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from silva import _core
from silva.errors import ModelFormatError
from silva.tree import shape
from silva.tree.arrays import offsets, stored
from silva.tree.linear import LINEAR_TYPES
from silva.tree.tables import LEAF, MULTIWAY, TABLES, rows_in_tables
from silva.tree.tree import ARRAYS, ClassStats, MomentStats, Tree, numbers_of, to_arrays

NUMBERS, KNOWN_MOMENTS = "numbers", "moment_known"
NUMBER_NAMES = ("weight_unit", "center", "target_unit")
DERIVED = ("child_start", "child", "split_index")
STARTS = frozenset(
    stored(one)[field].name
    for one in (*(table_type for _, table_type in TABLES.values()), ClassStats)
    for field in offsets(one)
) | {"linear_start"}
PAIRS = tuple(name for name, how in ARRAYS.items() if how.pairs)
TYPES: dict[str, str] = {
    **{name: how.dtype for name, how in ARRAYS.items() if name not in DERIVED},
    **LINEAR_TYPES,
    KNOWN_MOMENTS: "int8",
    NUMBERS: "float64",
}
NAMES = tuple(TYPES)
"""The arrays of a packed tree; the bytes name one by its place here."""

_LARGEST_TARGET = 2.0**62


def pack(tree: Tree) -> bytes:
    """The tree without schema, task, classes, criterion, smoothing and edits."""
    kept = _kept_arrays(tree)
    return _core.pack_arrays([NAMES.index(name) for name in kept], list(kept.values()))


def arrays_of(data: bytes, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Some arrays as they are kept: lengths for offsets, gains of inner nodes only.

    Raises ModelFormatError where the bytes cannot be a tree.
    """
    try:
        return _core.unpack_arrays(data, TYPES, names)
    except ValueError as error:
        raise ModelFormatError(str(error)) from None


def unpack(data: bytes, task: str) -> dict[str, Any]:
    """The flat arrays and numbers of the tree, as `tree.from_arrays` takes them.

    Raises ModelFormatError where they cannot be put together; `tree.check` judges the rest.
    """
    kept = arrays_of(data, _names_of(data, task))
    arrays: dict[str, Any] = {}
    for name, array in kept.items():
        arrays[name] = to_starts(array) if name in STARTS else array
    kinds = kept["split_kind"]
    arrays["gain"] = _spread(kinds != LEAF, kept["gain"], "gain")
    arrays |= _shape(kinds, kept)
    arrays |= _numbers(arrays_of(data, [NUMBERS])[NUMBERS], task)
    if task == "regression":
        arrays |= _moments(data, arrays)
    return arrays


def _kept_arrays(tree: Tree) -> dict[str, np.ndarray]:
    arrays = {name: one for name, one in to_arrays(tree).items() if name not in DERIVED}
    for name in STARTS & arrays.keys():
        arrays[name] = arrays[name][1:] - arrays[name][:-1]
    arrays["gain"] = arrays["gain"][np.flatnonzero(~tree.is_leaf)]
    if isinstance(tree.leaf_stats, MomentStats):
        arrays |= _unknown_moments(tree.leaf_stats)
    numbers = numbers_of(tree)
    arrays[NUMBERS] = np.array([numbers[name] for name in NUMBER_NAMES if name in numbers])
    return arrays


def _names_of(data: bytes, task: str) -> list[str]:
    """The arrays to read: all of a tree of this task, and those of linear leaves if it has any."""
    try:
        written = _core.packed_names(data, TYPES)
    except ValueError as error:
        raise ModelFormatError(str(error)) from None
    other = "moment_" if task == "classification" else "class_"
    derived = (NUMBERS, KNOWN_MOMENTS, *PAIRS)
    wanted = [one for one in NAMES if not one.startswith(other) and one not in derived]
    for name in written:
        if name.startswith(other):
            raise ModelFormatError(f"{name}: is not an array of a {task} tree")
    if LINEAR_TYPES.keys() & set(written):
        return wanted
    return [name for name in wanted if name not in LINEAR_TYPES]


def to_starts(lengths: np.ndarray) -> np.ndarray:
    """The offsets that lengths stand for."""
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def _spread(where: np.ndarray, values: np.ndarray, name: str) -> np.ndarray:
    if len(values) != np.count_nonzero(where):
        raise ModelFormatError(f"{name}: has {len(values)} entries for the nodes that have one")
    spread = np.zeros(len(where), dtype=values.dtype)
    spread[where] = values
    return spread


def _shape(kinds: np.ndarray, kept: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Children and split index, from the kinds of the nodes in pre-order."""
    n_children = np.zeros(len(kinds), dtype=np.int64)
    for kind, (_, table_type) in TABLES.items():
        nodes = np.flatnonzero(kinds == kind)
        missing = kept[stored(table_type)["missing_child"].name]
        known = kept["multiway_start"] if kind == MULTIWAY else np.full(len(missing), 2)
        if not len(nodes) == len(missing) == len(known):
            raise ModelFormatError(f"split_kind: {len(nodes)} splits of kind {kind} have no table")
        n_children[nodes] = known + (missing == known)
    if np.abs(n_children).max(initial=0) > len(kinds) or not shape.is_preorder(n_children):
        raise ModelFormatError("split_kind: the nodes do not make one tree")
    return {
        "child_start": to_starts(n_children),
        "child": shape.children(n_children),
        "split_index": rows_in_tables(kinds),
    }


def _numbers(found: np.ndarray, task: str) -> dict[str, float]:
    names = NUMBER_NAMES[:1] if task == "classification" else NUMBER_NAMES
    if len(found) != len(names):
        raise ModelFormatError(f"{NUMBERS}: must be {len(names)}, are {len(found)}")
    return dict(zip(names, found.tolist(), strict=True))


def _unknown_moments(stats: MomentStats) -> dict[str, np.ndarray]:
    """Which leaves have the moments of one target, and the moments of the others."""
    found = {"moment_sum": stats.sum, "moment_squares": stats.sum_of_squares}
    expected = _moments_of_one(stats.weight, stats.value, stats.center, stats.target_unit)
    known = np.ones(len(stats.weight), dtype=bool)
    for name in PAIRS:
        known &= (found[name] == expected[name]).all(axis=1)
    rest = {name: found[name][~known].ravel() for name in PAIRS}
    return rest | {KNOWN_MOMENTS: known.astype(np.int8)}


def _moments(data: bytes, arrays: Mapping[str, Any]) -> dict[str, np.ndarray]:
    weight, value = arrays["moment_weight"], arrays["moment_value"]
    kept = arrays_of(data, (KNOWN_MOMENTS, *PAIRS))
    known = kept[KNOWN_MOMENTS]
    if not len(known) == len(weight) == len(value):
        raise ModelFormatError(f"{KNOWN_MOMENTS}: has {len(known)} entries for {len(weight)}")
    moments = _moments_of_one(weight, value, arrays["center"], arrays["target_unit"])
    apart = known == 0
    for name in PAIRS:
        rest = kept[name]
        if len(rest) != 2 * np.count_nonzero(apart):
            raise ModelFormatError(f"{name}: has {len(rest)} numbers for the leaves without")
        moments[name][apart] = rest.reshape(-1, 2)
    return moments


def _moments_of_one(
    weight: np.ndarray, value: np.ndarray, center: float, unit: float
) -> dict[str, np.ndarray]:
    """The moments of leaves all of whose rows have the target `value`, as 128-bit pairs."""
    with np.errstate(all="ignore"):
        target = np.rint((value - center) / unit)
    target[~(np.abs(target) < _LARGEST_TARGET)] = 0.0
    q = target.astype(np.int64)
    size = np.abs(q).astype(np.uint64)
    high, low = _product(weight.view(np.uint64), size)
    over, squares_low = _product(low, size)
    squares_high = high * size + over
    negative = q < 0
    sum_low = np.where(negative, ~low + np.uint64(1), low)
    sum_high = np.where(negative, ~high + (low == 0).astype(np.uint64), high)
    pairs = ((sum_high, sum_low), (squares_high, squares_low))
    columns = (np.stack(pair, axis=1).view(np.int64) for pair in pairs)
    return dict(zip(PAIRS, columns, strict=True))


def _product(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """High and low 64 bits of the products of unsigned integers."""
    half, mask = np.uint64(32), np.uint64(0xFFFFFFFF)
    a_high, a_low, b_high, b_low = a >> half, a & mask, b >> half, b & mask
    low = a_low * b_low
    middle = a_high * b_low + (low >> half)
    other = a_low * b_high + (middle & mask)
    high = a_high * b_high + (middle >> half) + (other >> half)
    return high, a * b
