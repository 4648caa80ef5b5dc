"""The fitted tree: frozen arrays in pre-order. It holds facts and answers questions of shape."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from silva import notebook
from silva.data.schema import Schema
from silva.data.table import Task
from silva.tree import shape
from silva.tree.arrays import Stored, array_types, flat, picked, stored
from silva.tree.edits import Edit
from silva.tree.frozen import FrozenArrays, frozen
from silva.tree.lazy import lazy
from silva.tree.linear import LINEAR_TYPES, LinearLeaves, Smoothing
from silva.tree.tables import (
    TABLES,
    DistanceTable,
    MultiwayTable,
    ObliqueTable,
    SplitTable,
    SubsetTable,
    ThresholdTable,
    empty_table,
)

Costs = tuple[tuple[float, ...], ...]
"""A row for each true class: what it costs to predict each class."""

CRITERIA: dict[Task, tuple[str, ...]] = {
    "classification": ("gini", "entropy", "error", "gain_ratio"),
    "regression": ("squared_error", "poisson"),
}


@dataclass(frozen=True, eq=False)
class ClassStats(FrozenArrays):
    """Class weights of the leaves in units of `weight_unit`, only classes that occur."""

    start: Annotated[np.ndarray, Stored("class_start", "int64")]
    code: Annotated[np.ndarray, Stored("class_code", "int32", "start")]
    weight: Annotated[np.ndarray, Stored("class_weight", "int64", "start")]


@dataclass(frozen=True, eq=False)
class MomentStats(FrozenArrays):
    """Weight (units of `weight_unit`), first and second moment of the leaves' targets.

    Moments are exact 128-bit integers (high int64, low 64 bits) of weight * q and weight * q * q,
    where q is the target as an integer: target = center + q * target_unit, to within half a unit.
    `value` is the exact mean of the original targets, rounded once.
    """

    weight: Annotated[np.ndarray, Stored("moment_weight", "int64")]
    sum: Annotated[np.ndarray, Stored("moment_sum", "int64", pairs=True)]
    sum_of_squares: Annotated[np.ndarray, Stored("moment_squares", "int64", pairs=True)]
    value: Annotated[np.ndarray, Stored("moment_value", "float64")]
    center: float
    target_unit: float


@dataclass(frozen=True, eq=False, repr=False)
class Tree(FrozenArrays):
    """Nodes are numbered in pre-order: node 0 is the root, a subtree is a slice of numbers.

    The children of node i are `child[child_start[i]:child_start[i + 1]]` (none, two or many);
    `split_kind[i]` says which table describes its split and `split_index[i]` which row of it
    (-1 for a leaf). Leaves are numbered 0, 1, ... in the order of their nodes. `gain` is the
    weighted decrease of impurity per unit of the node's own weight (0 for leaves), `leaf_rows`
    counts training rows, whatever their weight. `smoothing` and `linear` change what leaves
    answer (see `tree.linear`), `costs` which class nodes predict (see `tree.decision`); `edits`
    tells what was changed by hand, the oldest first.

    The arrays are read-only. Making a Tree does not check them: `silva.tree.check` does, when the
    tree is made by anything but the core, or else when it is first routed, viewed or explained.
    Pickle and copy carry the bytes of the model file, checked when read.
    """

    schema: Schema
    task: Task
    classes: np.ndarray | None
    criterion: str
    child_start: Annotated[np.ndarray, Stored("child_start", "int64")]
    child: Annotated[np.ndarray, Stored("child", "int64", "child_start")]
    split_kind: Annotated[np.ndarray, Stored("split_kind", "int8")]
    split_index: Annotated[np.ndarray, Stored("split_index", "int64")]
    gain: Annotated[np.ndarray, Stored("gain", "float64")]
    thresholds: ThresholdTable
    subsets: SubsetTable
    multiways: MultiwayTable
    obliques: ObliqueTable
    distances: DistanceTable
    leaf_rows: Annotated[np.ndarray, Stored("leaf_rows", "int64")]
    leaf_stats: ClassStats | MomentStats
    weight_unit: float
    smoothing: Smoothing | None = None
    linear: LinearLeaves | None = None
    edits: tuple[Edit, ...] = ()
    costs: Costs | None = None

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
        return notebook.printers["tree"](self)

    def _repr_html_(self) -> str:
        return notebook.painters["tree"](self)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": self._repr_html_()}

    def __reduce__(self) -> tuple[Callable[[bytes], "Tree"], tuple[bytes]]:
        from silva.model_file.store import dumps
        from silva.tree.store import loads

        return loads, (dumps(self),)


STATS: dict[Task, type[ClassStats | MomentStats]] = {
    "classification": ClassStats,
    "regression": MomentStats,
}

IS_SOUND = "_is_sound"
"""What trees have in their `__dict__` whose arrays are known to fit each other."""

_PLAIN_LEAVES: dict[str, Any] = {"smoothing": None, "linear": None, "edits": (), "costs": None}

ARRAYS: dict[str, Stored] = array_types(
    Tree, *(table_type for _, table_type in TABLES.values()), ClassStats, MomentStats
)
"""Every array of a tree by flat name; linear leaves have theirs in `linear.LINEAR_TYPES`."""

_CORE_TABLES = tuple(
    (field, one, stored(one)["missing_child"].name, empty_table(one))
    for field, one in TABLES.values()
)
"""Field, type, name of the array with one entry a row, and table without rows of each kind."""

ARRAY_TYPES: dict[str, str] = {name: how.dtype for name, how in ARRAYS.items()} | LINEAR_TYPES


def split_tables(tree: Tree) -> dict[int, SplitTable]:
    """The tables of splits by their kind."""
    return {kind: getattr(tree, field) for kind, (field, _) in TABLES.items()}


def from_arrays(
    schema: Schema,
    task: Task,
    classes: np.ndarray | None,
    criterion: str,
    arrays: Mapping[str, Any],
    smoothing: Smoothing | None = None,
    edits: tuple[Edit, ...] = (),
    costs: Costs | None = None,
) -> Tree:
    """The tree with these flat arrays, by the names that the core and the model file use.

    `weight_unit` (and for regression `center` and `target_unit`) are numbers among them. The
    arrays of linear leaves may be there or not. Nothing is checked or copied.
    """
    tables: dict[str, Any] = {field: one(**picked(one, arrays)) for field, one in TABLES.values()}
    stats_type = STATS[task]
    return Tree(
        schema=schema,
        task=task,
        classes=classes,
        criterion=criterion,
        leaf_stats=stats_type(**_stats_values(stats_type, arrays)),
        weight_unit=float(arrays["weight_unit"]),
        smoothing=smoothing,
        linear=_linear(arrays),
        edits=edits,
        costs=costs,
        **tables,
        **picked(Tree, arrays),
    )


def from_core(
    schema: Schema,
    task: Task,
    classes: np.ndarray | None,
    criterion: str,
    arrays: Mapping[str, Any],
) -> Tree:
    """The tree of arrays that the core has just made, and that nobody else holds.

    Kinds of splits whose arrays are left out share one empty table: most trees have a single kind,
    and making the tables of the others takes longer than growing a small tree.
    """
    tables = {
        field: one.adopted(picked(one, arrays)) if n_rows in arrays else empty
        for field, one, n_rows, empty in _CORE_TABLES
    }
    stats_type = STATS[task]
    facts = {
        "schema": schema,
        "task": task,
        "classes": None if classes is None else frozen(classes),
        "criterion": criterion,
        "leaf_stats": stats_type.adopted(_stats_values(stats_type, arrays)),
        "weight_unit": float(arrays["weight_unit"]),
    }
    return trusted(Tree.adopted(facts | tables | picked(Tree, arrays) | _PLAIN_LEAVES))


def trusted(tree: Tree) -> Tree:
    """The tree, whose arrays fit each other: it is not checked when it is used."""
    vars(tree)[IS_SOUND] = True
    return tree


def altered(tree: Tree, **parts: Any) -> Tree:
    """The tree with other parts, which fit it: trusted as the tree is."""
    made = replace(tree, **parts)
    return trusted(made) if IS_SOUND in vars(tree) else made


def with_statistics(tree: Tree, arrays: Mapping[str, Any]) -> Tree:
    """The tree with other gains and leaves: flat arrays and numbers, nothing of which is checked.

    Numbers that are left out stay as they are.
    """
    stats_type = STATS[tree.task]
    numbers: dict[str, Any] = {**numbers_of(tree), **arrays}
    return altered(
        tree,
        gain=arrays["gain"],
        leaf_rows=arrays["leaf_rows"],
        leaf_stats=stats_type(**_stats_values(stats_type, numbers)),
        weight_unit=float(numbers["weight_unit"]),
    )


def to_arrays(tree: Tree) -> dict[str, np.ndarray]:
    """The flat arrays of a tree by name, without the numbers: the inverse of `from_arrays`."""
    arrays = flat(tree)
    for part in (*split_tables(tree).values(), tree.leaf_stats):
        arrays |= flat(part)
    return arrays if tree.linear is None else arrays | tree.linear.arrays()


def numbers_of(tree: Tree) -> dict[str, float]:
    """The numbers that `from_arrays` takes beside the arrays."""
    numbers = {"weight_unit": tree.weight_unit}
    if isinstance(tree.leaf_stats, MomentStats):
        numbers |= {name: getattr(tree.leaf_stats, name) for name in ("center", "target_unit")}
    return numbers


def same(a: Tree, b: Tree) -> bool:
    """Whether two trees are equal to the last bit: the same bytes in the model file."""
    from silva.model_file.store import dumps

    return a is b or dumps(a) == dumps(b)


def _stats_values(stats_type: type, arrays: Mapping[str, Any]) -> dict[str, Any]:
    values = picked(stats_type, arrays)
    if stats_type is MomentStats:
        values |= {name: float(arrays[name]) for name in ("center", "target_unit")}
    return values


def _linear(arrays: Mapping[str, Any]) -> LinearLeaves | None:
    if not any(name in arrays for name in LINEAR_TYPES):
        return None
    return LinearLeaves(**{name.removeprefix("linear_"): arrays[name] for name in LINEAR_TYPES})
