"""The writer of trees: nodes come in any order, a checked tree in pre-order comes out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, assert_never

import numpy as np

from silva.data.schema import Schema
from silva.data.table import Task
from silva.errors import ModelFormatError
from silva.tree import moments
from silva.tree.check import check
from silva.tree.splits import LEAF, SUBSET, THRESHOLD, Split, Subset, Threshold
from silva.tree.tree import ARRAY_TYPES, PAIRS, Tree, from_arrays


@dataclass(frozen=True, slots=True)
class Moments:
    """What a regression leaf knows: weight, sum of w*q, sum of w*q*q (integers) and its mean."""

    weight: int
    sum: int
    sum_of_squares: int
    value: float


@dataclass(frozen=True, slots=True)
class _Leaf:
    rows: int
    stats: Mapping[int, int] | Moments


@dataclass(frozen=True, slots=True)
class _Inner:
    split: Split
    gain: float


class TreeBuilder:
    """Collects nodes; a node's parent must be added before it, siblings in any order.

    `finish` numbers the nodes in pre-order, checks every invariant and freezes the result.
    """

    def __init__(
        self,
        schema: Schema,
        task: Task,
        classes: np.ndarray | None = None,
        criterion: str | None = None,
        *,
        weight_unit: float = 1.0,
        center: float = 0.0,
        target_unit: float = 1.0,
    ) -> None:
        self._schema, self._task, self._classes = schema, task, classes
        default = "gini" if task == "classification" else "squared_error"
        self._criterion = criterion or default
        self._numbers = {"weight_unit": weight_unit, "center": center, "target_unit": target_unit}
        self._nodes: list[_Inner | _Leaf] = []
        self._children: list[dict[int, int]] = []

    def add_split(self, parent: int | None, child_no: int, split: Split, gain: float = 0.0) -> int:
        """Add an inner node as child `child_no` of `parent` (None: the root); its handle."""
        return self._add(parent, child_no, _Inner(split, gain))

    def add_leaf(
        self, parent: int | None, child_no: int, rows: int, stats: Mapping[int, int] | Moments
    ) -> int:
        """Add a leaf: `stats` is the weight of each class code, in units, or `Moments`."""
        return self._add(parent, child_no, _Leaf(rows, stats))

    def finish(self) -> Tree:
        """The tree. Raises ModelFormatError if a child is lacking or an invariant is broken."""
        order = self._preorder()
        columns = _Columns()
        new_number = {handle: number for number, handle in enumerate(order)}
        for handle in order:
            columns.add_node(self._nodes[handle])
            children = self._children[handle]
            columns.add_children([new_number[children[no]] for no in sorted(children)])
        arrays = columns.arrays() | self._numbers
        return check(from_arrays(self._schema, self._task, self._classes, self._criterion, arrays))

    def _add(self, parent: int | None, child_no: int, node: _Inner | _Leaf) -> int:
        handle = len(self._nodes)
        if (parent is None) != (handle == 0):
            raise ModelFormatError("the first node is the root; every other node has a parent")
        if parent is not None:
            if child_no in self._children[parent]:
                raise ModelFormatError(f"node {parent} already has a child {child_no}")
            self._children[parent][child_no] = handle
        self._nodes.append(node)
        self._children.append({})
        return handle

    def _preorder(self) -> list[int]:
        order, stack = [], [0] if self._nodes else []
        while stack:
            handle = stack.pop()
            order.append(handle)
            children = self._children[handle]
            if sorted(children) != list(range(len(children))):
                raise ModelFormatError(f"node {handle} has only the children {sorted(children)}")
            stack += [children[no] for no in sorted(children, reverse=True)]
        return order


class _Columns:
    """The flat arrays of a tree, growing."""

    def __init__(self) -> None:
        self._lists: dict[str, list[Any]] = {name: [] for name in ARRAY_TYPES}
        for name in ("child_start", "subset_start", "class_start"):
            self._lists[name].append(0)

    def add_node(self, node: _Inner | _Leaf) -> None:
        match node:
            case _Inner(split, gain):
                self._add_split(split)
                self._append(gain=gain)
            case _Leaf(rows, stats):
                self._append(split_kind=LEAF, split_index=-1, gain=0.0, leaf_rows=rows)
                self._add_stats(stats)

    def add_children(self, children: list[int]) -> None:
        self._lists["child"] += children
        self._append(child_start=len(self._lists["child"]))

    def arrays(self) -> dict[str, np.ndarray]:
        arrays = {name: _array(name, values) for name, values in self._lists.items()}
        return arrays | {name: moments.to_pairs(self._lists[name]) for name in PAIRS}

    def _add_split(self, split: Split) -> None:
        match split:
            case Threshold(column, threshold, missing_child):
                index = len(self._lists["threshold_column"])
                self._append(split_kind=THRESHOLD, split_index=index, threshold_column=column)
                self._append(threshold_value=threshold, threshold_missing=missing_child)
            case Subset(column, codes, missing_child, unseen_child):
                index = len(self._lists["subset_column"])
                self._append(split_kind=SUBSET, split_index=index, subset_column=column)
                self._append(subset_missing=missing_child, subset_unseen=unseen_child)
                self._lists["subset_codes"] += codes
                self._append(subset_start=len(self._lists["subset_codes"]))
            case _:
                assert_never(split)

    def _add_stats(self, stats: Mapping[int, int] | Moments) -> None:
        if isinstance(stats, Moments):
            self._append(moment_weight=stats.weight, moment_sum=stats.sum)
            self._append(moment_squares=stats.sum_of_squares, moment_value=stats.value)
        else:
            self._lists["class_code"] += sorted(stats)
            self._lists["class_weight"] += [stats[code] for code in sorted(stats)]
            self._append(class_start=len(self._lists["class_code"]))

    def _append(self, **values: Any) -> None:
        for name, value in values.items():
            self._lists[name].append(value)


def _array(name: str, values: list[Any]) -> np.ndarray:
    try:
        return np.array([] if name in PAIRS else values, dtype=ARRAY_TYPES[name])
    except (OverflowError, ValueError, TypeError) as error:
        raise ModelFormatError(f"{name}: {error}") from error
