"""The fitted tree: frozen arrays in pre-order. It holds facts and answers questions of shape."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from silva.data.schema import Schema
from silva.data.table import Task
from silva.tree import shape
from silva.tree.frozen import FrozenArrays, frozen
from silva.tree.lazy import lazy
from silva.tree.linear import LinearLeaves, Smoothing

CRITERIA: dict[Task, tuple[str, ...]] = {
    "classification": ("gini", "entropy", "error"),
    "regression": ("squared_error", "poisson"),
}

ARRAY_TYPES: dict[str, str] = {
    "child_start": "int64",
    "child": "int64",
    "split_kind": "int8",
    "split_index": "int64",
    "gain": "float64",
    "leaf_rows": "int64",
    "threshold_column": "int32",
    "threshold_value": "float64",
    "threshold_missing": "uint8",
    "subset_column": "int32",
    "subset_start": "int64",
    "subset_codes": "int32",
    "subset_missing": "uint8",
    "subset_unseen": "uint8",
    "class_start": "int64",
    "class_code": "int32",
    "class_weight": "int64",
    "moment_weight": "int64",
    "moment_sum": "int64",
    "moment_squares": "int64",
    "moment_value": "float64",
}
PAIRS = ("moment_sum", "moment_squares")


@dataclass(frozen=True, eq=False)
class ThresholdTable(FrozenArrays):
    column: np.ndarray  # int32
    threshold: np.ndarray  # float64
    missing_child: np.ndarray  # uint8


@dataclass(frozen=True, eq=False)
class SubsetTable(FrozenArrays):
    column: np.ndarray  # int32
    start: np.ndarray  # int64, one more than splits: codes[start[i]:start[i + 1]]
    codes: np.ndarray  # int32, ascending inside a split
    missing_child: np.ndarray  # uint8
    unseen_child: np.ndarray  # uint8


@dataclass(frozen=True, eq=False)
class ClassStats(FrozenArrays):
    """Class weights of the leaves in units of `weight_unit`, only classes that occur."""

    start: np.ndarray  # int64, one more than leaves
    code: np.ndarray  # int32, ascending inside a leaf
    weight: np.ndarray  # int64


@dataclass(frozen=True, eq=False)
class MomentStats(FrozenArrays):
    """Weight (units of `weight_unit`), first and second moment of the leaves' targets.

    Moments are exact 128-bit integers (high int64, low 64 bits) of weight * q and weight * q * q,
    where q is the target as an integer: target = center + q * target_unit, to within half a unit.
    `value` is the exact mean of the original targets, rounded once.
    """

    weight: np.ndarray  # int64
    sum: np.ndarray  # int64 (leaves, 2): high, low
    sum_of_squares: np.ndarray  # int64 (leaves, 2): high, low
    value: np.ndarray  # float64
    center: float
    target_unit: float


@dataclass(frozen=True, eq=False, repr=False)
class Tree(FrozenArrays):
    """Nodes are numbered in pre-order: node 0 is the root, a subtree is a slice of numbers.

    The children of node i are `child[child_start[i]:child_start[i + 1]]` (none, two or many);
    `split_kind[i]` says which table describes its split and `split_index[i]` which row of it.
    Leaves are numbered 0, 1, ... in the order of their nodes. `gain` is the weighted decrease of
    impurity per unit of the node's own weight (0 for leaves).

    The arrays are read-only. Making a Tree does not check them: `silva.tree.check` does, and all
    but the grower call it. Pickle and copy carry the bytes of the model file, checked when read.
    """

    schema: Schema
    task: Task
    classes: np.ndarray | None
    criterion: str
    child_start: np.ndarray  # int64[nodes + 1]
    child: np.ndarray  # int64[nodes - 1]
    split_kind: np.ndarray  # int8[nodes]
    split_index: np.ndarray  # int64[nodes], -1 for a leaf
    gain: np.ndarray  # float64[nodes]
    thresholds: ThresholdTable
    subsets: SubsetTable
    leaf_rows: np.ndarray  # int64[leaves]: training rows, whatever their weight
    leaf_stats: ClassStats | MomentStats
    weight_unit: float
    smoothing: Smoothing | None = None
    linear: LinearLeaves | None = None

    @property
    def n_nodes(self) -> int:
        return len(self.split_kind)

    @property
    def n_leaves(self) -> int:
        return len(self.leaf_rows)

    @lazy
    def is_leaf(self) -> np.ndarray:
        return frozen(self.split_kind == 0)

    @lazy
    def subtree_end(self) -> np.ndarray:
        """The subtree of node i is the nodes i, i + 1, ..., subtree_end[i] - 1 (int64)."""
        return frozen(shape.subtree_end(np.diff(self.child_start)))

    def __repr__(self) -> str:
        return f"Tree({self.task}, {self.criterion}, nodes={self.n_nodes}, leaves={self.n_leaves})"

    def __str__(self) -> str:
        from silva.tree.outline import PRINT_LIMITS, outline
        from silva.tree.view import TreeView

        return outline(TreeView(self), PRINT_LIMITS)

    def __reduce__(self) -> tuple[Callable[[bytes], "Tree"], tuple[bytes]]:
        from silva.tree.store import dumps, loads

        return loads, (dumps(self),)


def from_arrays(
    schema: Schema,
    task: Task,
    classes: np.ndarray | None,
    criterion: str,
    arrays: Mapping[str, Any],
) -> Tree:
    """The tree with these flat arrays, by the names that the core and the model file use.

    `weight_unit` (and for regression `center` and `target_unit`) are numbers among them.
    Nothing is checked or copied.
    """
    return Tree(
        schema=schema,
        task=task,
        classes=classes,
        criterion=criterion,
        thresholds=ThresholdTable(**_pick(arrays, _THRESHOLDS)),
        subsets=SubsetTable(**_pick(arrays, _SUBSETS)),
        leaf_stats=_leaf_stats(task, arrays),
        weight_unit=float(arrays["weight_unit"]),
        **{name: arrays[name] for name in _NODES},
    )


def to_arrays(tree: Tree) -> dict[str, np.ndarray]:
    """The flat arrays of a tree by name, without the numbers: the inverse of `from_arrays`."""
    arrays = {name: getattr(tree, name) for name in _NODES}
    arrays |= {name: getattr(tree.thresholds, field) for field, name in _THRESHOLDS.items()}
    arrays |= {name: getattr(tree.subsets, field) for field, name in _SUBSETS.items()}
    names = _CLASSES if isinstance(tree.leaf_stats, ClassStats) else _MOMENTS
    return arrays | {name: getattr(tree.leaf_stats, field) for field, name in names.items()}


def same(a: Tree, b: Tree) -> bool:
    """Whether two trees are equal to the last bit: the same bytes in the model file."""
    from silva.tree.store import dumps

    return a is b or dumps(a) == dumps(b)


_NODES = ("child_start", "child", "split_kind", "split_index", "gain", "leaf_rows")
_THRESHOLDS = {
    "column": "threshold_column",
    "threshold": "threshold_value",
    "missing_child": "threshold_missing",
}
_SUBSETS = {
    "column": "subset_column",
    "start": "subset_start",
    "codes": "subset_codes",
    "missing_child": "subset_missing",
    "unseen_child": "subset_unseen",
}
_CLASSES = {"start": "class_start", "code": "class_code", "weight": "class_weight"}
_MOMENTS = {
    "weight": "moment_weight",
    "sum": "moment_sum",
    "sum_of_squares": "moment_squares",
    "value": "moment_value",
}


def _leaf_stats(task: Task, arrays: Mapping[str, Any]) -> ClassStats | MomentStats:
    if task == "classification":
        return ClassStats(**_pick(arrays, _CLASSES))
    numbers = {name: float(arrays[name]) for name in ("center", "target_unit")}
    return MomentStats(**(_pick(arrays, _MOMENTS) | numbers))


def _pick(arrays: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {field: arrays[name] for field, name in names.items()}
