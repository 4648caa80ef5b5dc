"""The writer of trees: nodes come in any order, a checked tree in pre-order comes out."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from silva.data.schema import Schema
from silva.data.table import Task
from silva.errors import ModelFormatError
from silva.tree import moments
from silva.tree.arrays import Stored, offsets, stored
from silva.tree.check import check
from silva.tree.linear import Smoothing
from silva.tree.splits import LEAF, Split, kind_of, values_of
from silva.tree.tables import TABLES
from silva.tree.tree import ARRAYS, ClassStats, MomentStats, Tree, altered, from_core


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
        smoothing: Smoothing | None = None,
    ) -> None:
        self._schema, self._task, self._classes = schema, task, classes
        default = "gini" if task == "classification" else "squared_error"
        self._criterion = criterion or default
        self._numbers = {"weight_unit": weight_unit, "center": center, "target_unit": target_unit}
        self._smoothing = smoothing
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
        return check(self.unchecked())

    def unchecked(self) -> Tree:
        """The same, but for the invariants: of splits and leaves that are known to be right."""
        order = self._preorder()
        columns = _Columns()
        new_number = {handle: number for number, handle in enumerate(order)}
        for handle in order:
            columns.add_node(self._nodes[handle])
            children = self._children[handle]
            columns.add_children([new_number[children[no]] for no in sorted(children)])
        arrays = columns.arrays() | self._numbers
        facts = (self._schema, self._task, self._classes, self._criterion)
        tree = from_core(*facts, arrays)
        return tree if self._smoothing is None else altered(tree, smoothing=self._smoothing)

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
        self._lists: dict[str, list[Any]] = {}
        self._n_splits: dict[int, int] = {}
        for table_type in (Tree, ClassStats, MomentStats):
            self._open(table_type)

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
        return {name: _array(ARRAYS[name], values) for name, values in self._lists.items()}

    def _open(self, table_type: type) -> None:
        """Lists for the arrays of a table without rows."""
        starts = offsets(table_type)
        for field, how in stored(table_type).items():
            self._lists[how.name] = [0] if field in starts else []

    def _add_split(self, split: Split) -> None:
        kind = kind_of(split)
        if kind not in self._n_splits:
            self._open(TABLES[kind][1])
            self._n_splits[kind] = 0
        self._append(split_kind=kind, split_index=self._n_splits[kind])
        self._n_splits[kind] += 1
        self._add_row(TABLES[kind][1], values_of(split))

    def _add_stats(self, stats: Mapping[int, int] | Moments) -> None:
        if isinstance(stats, Moments):
            self._add_row(MomentStats, asdict(stats))
        else:
            codes = sorted(stats)
            self._add_row(ClassStats, {"code": codes, "weight": [stats[code] for code in codes]})

    def _add_row(self, table_type: type, values: Mapping[str, Any]) -> None:
        """One more row of a table: numbers, and lists where offsets cut."""
        forms = stored(table_type)
        for field, value in values.items():
            self._lists[forms[field].name] += value if forms[field].cut_by else [value]
        ends = {how.cut_by: len(self._lists[how.name]) for how in forms.values() if how.cut_by}
        for field, end in ends.items():
            self._lists[forms[field].name].append(end)

    def _append(self, **values: Any) -> None:
        for name, value in values.items():
            self._lists[name].append(value)


def _array(how: Stored, values: list[Any]) -> np.ndarray:
    try:
        return moments.to_pairs(values) if how.pairs else np.array(values, dtype=how.dtype)
    except (OverflowError, ValueError, TypeError) as error:
        raise ModelFormatError(f"{how.name}: {error}") from error
