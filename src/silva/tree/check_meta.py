"""The invariants of what a tree knows besides its arrays: schema, classes, task and units."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from silva.data.schema import KINDS, POLICIES, Column, RepeatedColumns, Schema
from silva.data.timescale import SORTS, UNITS, UTC, TimeScale
from silva.errors import ModelFormatError
from silva.tree.edits import check_edits
from silva.tree.tree import CRITERIA, ClassStats, MomentStats, Tree

CLASS_KINDS = "biufU"
FARTHEST_ORIGIN = 2**63 * 366 * UNITS["D"]
"""In attoseconds: NumPy counts no farther from 1970, in years."""


def check_meta(tree: Tree) -> None:
    """Raise ModelFormatError for a task, criterion, schema, class list or unit that cannot be."""
    if tree.task not in CRITERIA:
        raise ModelFormatError(f"task: must be one of {list(CRITERIA)}, is {tree.task!r}")
    if tree.criterion not in CRITERIA[tree.task]:
        known = list(CRITERIA[tree.task])
        raise ModelFormatError(
            f"criterion: must be one of {known} for {tree.task}, is {tree.criterion!r}"
        )
    check_schema(tree.schema)
    check_unit("weight_unit", tree.weight_unit)
    check_edits(tree.edits)
    match tree.leaf_stats:
        case ClassStats() if tree.task == "classification":
            check_classes(tree.classes)
            check_costs(tree)
        case MomentStats(center=center) if tree.task == "regression":
            check_numbers_only(tree.classes, center)
            if tree.costs is not None:
                raise ModelFormatError("costs: a regression tree has none")
        case other:
            raise ModelFormatError(f"leaf_stats: {type(other).__name__} is not for {tree.task}")


def check_schema(schema: Schema) -> None:
    """Column names are unique, kinds known, levels unique and there when the kind needs them."""
    if not schema.columns:
        raise ModelFormatError("schema: must have at least one column")
    index = 0
    for column, length in schema.runs:
        _check_column(f"schema.columns[{index}]", column)
        index += length
    repeated = None if isinstance(schema.columns, RepeatedColumns) else first_repeat(schema.names)
    if repeated is not None:
        raise ModelFormatError(f"schema.columns[{repeated}]: the name occurs twice")


def check_classes(classes: np.ndarray | None) -> None:
    """Classes are a list of different labels."""
    if classes is None or classes.ndim != 1 or len(classes) == 0:
        raise ModelFormatError("classes: must be a list of at least one class")
    if classes.dtype.kind not in CLASS_KINDS:
        raise ModelFormatError(f"classes: labels of type {classes.dtype} cannot be stored")
    if classes.dtype.kind == "f" and not np.isfinite(classes).all():
        raise ModelFormatError("classes: must be finite")
    check_values("classes", classes.tolist())


def check_costs(tree: Tree) -> None:
    """Costs are a square matrix of numbers of at least 0, beside plain class shares only."""
    if tree.costs is None or tree.classes is None:
        return
    n_classes = len(tree.classes)
    if len(tree.costs) != n_classes or any(len(row) != n_classes for row in tree.costs):
        raise ModelFormatError(f"costs: must have {n_classes} rows and columns, one a class")
    if not all(math.isfinite(cost) and cost >= 0.0 for row in tree.costs for cost in row):
        raise ModelFormatError("costs: must be finite and at least 0")
    if tree.smoothing is not None or tree.linear is not None:
        raise ModelFormatError("costs: are for leaves of plain class shares")


def check_numbers_only(classes: np.ndarray | None, center: float) -> None:
    """A regression tree has no classes and a finite centre."""
    if classes is not None:
        raise ModelFormatError("classes: a regression tree has none")
    if not math.isfinite(center):
        raise ModelFormatError(f"center: must be finite, is {center}")


def check_unit(name: str, unit: float) -> None:
    """Units are positive powers of two."""
    if not (math.isfinite(unit) and unit > 0 and math.frexp(unit)[0] == 0.5):
        raise ModelFormatError(f"{name}: must be a positive power of two, is {unit}")


def check_values(name: str, values: Sequence[Any]) -> None:
    """Levels or labels are strings, numbers or booleans, none of them twice, none of them NaN."""
    for index, value in enumerate(values):
        if not isinstance(value, str | int | float | np.bool_ | np.integer | np.floating):
            found = type(value).__name__
            raise ModelFormatError(f"{name}[{index}]: a value of type {found} cannot be stored")
        if value != value:
            raise ModelFormatError(f"{name}[{index}]: must not be NaN")
    repeated = first_repeat(values)
    if repeated is not None:
        raise ModelFormatError(f"{name}[{repeated}]: the value occurs twice")


def first_repeat(values: Sequence[Any]) -> int | None:
    """The place of the first value that occurred before, None if all are different."""
    seen: set[Any] = set()
    for place, value in enumerate(values):
        if value in seen:
            return place
        seen.add(value)
    return None


def _check_column(where: str, column: Column) -> None:
    if column.kind not in KINDS:
        raise ModelFormatError(f"{where}: kind must be one of {list(KINDS)}, is {column.kind!r}")
    if not isinstance(column.name, str):
        raise ModelFormatError(f"{where}: name must be a string")
    for field in ("missing", "unseen"):
        if getattr(column, field) not in POLICIES:
            found = getattr(column, field)
            raise ModelFormatError(
                f"{where}: {field} must be one of {list(POLICIES)}, is {found!r}"
            )
    if (column.levels is None) != (column.kind == "continuous"):
        raise ModelFormatError(f"{where}: a {column.kind} column has the wrong levels")
    if column.kind == "binary" and column.n_levels != 2:
        raise ModelFormatError(f"{where}: a binary column has 2 levels, not {column.n_levels}")
    check_values(f"{where}.levels", column.levels or ())
    if column.time is not None:
        _check_time(f"{where}.time", column.time, column.kind)


def _check_time(where: str, time: TimeScale, kind: str) -> None:
    if kind != "continuous":
        raise ModelFormatError(f"{where}: a {kind} column has no scale of time")
    if time.sort not in SORTS or time.unit not in UNITS:
        raise ModelFormatError(f"{where}: {time.sort!r:.80} in {time.unit!r:.80} is not known")
    if abs(time.origin) * time.length > FARTHEST_ORIGIN:
        raise ModelFormatError(f"{where}.origin: is too far from 1970-01-01")
    if time.zone is not None and (time.zone != UTC or time.sort != "datetime"):
        raise ModelFormatError(f"{where}.zone: must be null, or {UTC} for dates")
