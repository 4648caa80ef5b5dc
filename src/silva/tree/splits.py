"""The closed set of questions that a node can ask, as plain values.

A child of a split is named by its number; `STOP` in its place ends the row at the node itself.
The fields have the names and the order of the split's table (see `tables`).
"""

from dataclasses import dataclass, fields
from typing import Any, assert_never

from silva.errors import ModelFormatError
from silva.tree.arrays import row_values
from silva.tree.linear import VALUE
from silva.tree.tables import (
    DISTANCE,
    LEAF,
    METRICS,
    MULTIWAY,
    OBLIQUE,
    STOP,
    SUBSET,
    TABLES,
    THRESHOLD,
)
from silva.tree.tree import Tree

__all__ = [
    "DISTANCE",
    "LEAF",
    "METRICS",
    "MULTIWAY",
    "OBLIQUE",
    "STOP",
    "SUBSET",
    "THRESHOLD",
    "VALUE",
    "Distance",
    "Multiway",
    "Oblique",
    "Split",
    "Subset",
    "Threshold",
    "columns_of",
    "has_own_branch",
    "kind_of",
    "n_children_of",
    "n_known_children",
    "split_of",
    "values_of",
]


@dataclass(frozen=True, slots=True)
class Threshold:
    """`value < threshold` goes to child 0, any other known value to child 1.

    A threshold of minus infinity with `missing_child` 0 asks "is it missing?".
    Codes of ordinal and binary columns are compared as numbers. `missing_child` 2 is a third
    child of missing values alone.
    """

    column: int
    threshold: float
    missing_child: int
    unseen_child: int


@dataclass(frozen=True, slots=True)
class Subset:
    """A code in `codes` goes to child 1 (yes), one in `rest` to child 0 (no).

    An empty `rest` stands for all other known codes; with a `rest`, a known code in neither set is
    unseen. No codes with `missing_child` 1 asks "is it missing?". `missing_child` 2 is a third
    child of missing values alone.
    """

    column: int
    codes: tuple[int, ...]
    rest: tuple[int, ...]
    missing_child: int
    unseen_child: int


@dataclass(frozen=True, slots=True)
class Multiway:
    """Code `codes[i]` goes to child i, every other code is unseen.

    `missing_child` len(codes) is one more child, of missing values alone.
    """

    column: int
    codes: tuple[int, ...]
    missing_child: int
    unseen_child: int


@dataclass(frozen=True, slots=True)
class Oblique:
    """The sum of weight * value, added up in order, is below `threshold`: child 0, else child 1.

    With code `VALUE` the value is that of the column (the code of an ordinal or binary one), with
    another it is 1 if the column has this code, else 0. A row that lacks any of the values goes to
    `missing_child`, which may be a third child of its own.
    """

    columns: tuple[int, ...]
    codes: tuple[int, ...]
    weights: tuple[float, ...]
    threshold: float
    missing_child: int


@dataclass(frozen=True, slots=True)
class Distance:
    """The distance from `center` is below `threshold`: child 0, else child 1.

    `metric` is one of `METRICS`, taken of the differences times `scale`; `matrix` (row by row) is
    there for mahalanobis only. Rows that lack a value go to `missing_child` as with `Oblique`.
    """

    metric: str
    columns: tuple[int, ...]
    center: tuple[float, ...]
    scale: tuple[float, ...]
    matrix: tuple[float, ...]
    threshold: float
    missing_child: int


Split = Threshold | Subset | Multiway | Oblique | Distance

_SPLITS: dict[int, type[Split]] = {
    THRESHOLD: Threshold,
    SUBSET: Subset,
    MULTIWAY: Multiway,
    OBLIQUE: Oblique,
    DISTANCE: Distance,
}


def split_of(tree: Tree, node: int) -> Split | None:
    """The question that a node asks, None for a leaf."""
    kind = int(tree.split_kind[node])
    if kind == LEAF:
        return None
    if kind not in _SPLITS:
        raise ValueError(f"split_kind[{node}] is {kind}, which is no known kind of split")
    values = row_values(getattr(tree, TABLES[kind][0]), int(tree.split_index[node]))
    if kind == DISTANCE:
        values["metric"] = METRICS[values["metric"]]
    return _SPLITS[kind](**values)


def values_of(split: Split) -> dict[str, Any]:
    """The split as a row of its kind's table, by field: what `split_of` reads back."""
    values = {field.name: getattr(split, field.name) for field in fields(split)}
    if isinstance(split, Distance):
        if split.metric not in METRICS:
            raise ModelFormatError(f"metric: must be one of {METRICS}, is {split.metric!r}")
        values["metric"] = METRICS.index(split.metric)
    return values


def kind_of(split: Split) -> int:
    """The number of the split's kind."""
    match split:
        case Threshold():
            return THRESHOLD
        case Subset():
            return SUBSET
        case Multiway():
            return MULTIWAY
        case Oblique():
            return OBLIQUE
        case Distance():
            return DISTANCE
        case _:
            assert_never(split)


def columns_of(split: Split) -> tuple[int, ...]:
    """The columns that a split asks about, each once, in the order of their first use."""
    match split:
        case Threshold() | Subset() | Multiway():
            return (split.column,)
        case Oblique() | Distance():
            return tuple(dict.fromkeys(split.columns))
        case _:
            assert_never(split)


def n_children_of(split: Split) -> int:
    """How many children a split has."""
    return n_known_children(split) + has_own_branch(split)


def n_known_children(split: Split) -> int:
    """How many children a split has for known values."""
    match split:
        case Multiway():
            return len(split.codes)
        case Threshold() | Subset() | Oblique() | Distance():
            return 2
        case _:
            assert_never(split)


def has_own_branch(split: Split) -> bool:
    """Whether missing values have a child of their own, the last one."""
    return split.missing_child == n_known_children(split)
