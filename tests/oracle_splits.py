"""The questions of the oracle's trees as plain values, and the child that each answer leads to.

A row gives the cell of each column that it is asked for: a number, a code, None (missing) or UNSEEN
(a level that training did not list).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

STOP = -1
UNSEEN = "unseen"

Cell = float | int | str | None
Row = Sequence[Cell] | Mapping[int, Cell]


@dataclass(frozen=True)
class Threshold:
    """Less than `threshold` goes to child 0, anything else to child 1."""

    column: int
    threshold: float
    missing_child: int
    unseen_child: int


@dataclass(frozen=True)
class Subset:
    """`codes` go to child 1, `rest` to child 0; without a `rest` every other known code does."""

    column: int
    codes: tuple[int, ...]
    rest: tuple[int, ...]
    missing_child: int
    unseen_child: int


@dataclass(frozen=True)
class Multiway:
    """`codes[i]` goes to child i."""

    column: int
    codes: tuple[int, ...]
    missing_child: int
    unseen_child: int


@dataclass(frozen=True)
class Oblique:
    """A weighted sum below `threshold` goes to child 0; a code of -1 stands for the value itself,
    another code for "is it this level"."""

    columns: tuple[int, ...]
    codes: tuple[int, ...]
    weights: tuple[float, ...]
    threshold: float
    missing_child: int


@dataclass(frozen=True)
class Distance:
    """A distance to `center` below `threshold` goes to child 0."""

    metric: str
    columns: tuple[int, ...]
    center: tuple[float, ...]
    scale: tuple[float, ...]
    matrix: tuple[float, ...]
    threshold: float
    missing_child: int


Split = Threshold | Subset | Multiway | Oblique | Distance
METRICS = ("euclidean", "manhattan", "cosine", "mahalanobis")


def child_of(split: Split, row: Row) -> int:
    """The number of the child that a row goes to, or STOP."""
    if isinstance(split, Oblique | Distance):
        number = measure(split, row)
        return split.missing_child if number is None else int(number >= split.threshold)
    cell = row[split.column]
    if cell is None:
        return split.missing_child
    if cell == UNSEEN:
        return split.unseen_child
    if isinstance(split, Threshold):
        return 0 if cell < split.threshold else 1
    return child_of_code(split, cell)


def child_of_code(split: Subset | Multiway, code: int) -> int:
    if isinstance(split, Multiway):
        return split.codes.index(code) if code in split.codes else split.unseen_child
    if code in split.codes:
        return 1
    return 0 if not split.rest or code in split.rest else split.unseen_child


def n_known_children(split: Split) -> int:
    """Children without the own branch of missing values."""
    return len(split.codes) if isinstance(split, Multiway) else 2


def n_children(split: Split) -> int:
    known = n_known_children(split)
    return known + (split.missing_child == known)


def used_columns(split: Split) -> tuple[int, ...]:
    return split.columns if isinstance(split, Oblique | Distance) else (split.column,)


def measure(split: Oblique | Distance, row: Row) -> float | None:
    """The projection or distance of a row; None where it counts as missing."""
    cells = [row[column] for column in split.columns]
    if any(cell is None or cell == UNSEEN for cell in cells):
        return None
    number = projection(split, cells) if isinstance(split, Oblique) else distance(split, cells)
    return number if math.isfinite(number) else None


def projection(split: Oblique, cells: Sequence) -> float:
    terms = [
        weight * (float(cell) if code < 0 else float(cell == code))
        for cell, code, weight in zip(cells, split.codes, split.weights, strict=True)
    ]
    return added(terms)


def distance(split: Distance, cells: Sequence) -> float:
    values = [float(cell) for cell in cells]
    if split.metric == "cosine":
        return cosine_distance(split, values)
    steps = [
        (value - center) * scale
        for value, center, scale in zip(values, split.center, split.scale, strict=True)
    ]
    if split.metric == "manhattan":
        return added([abs(step) for step in steps])
    if split.metric == "euclidean":
        return math.sqrt(added([step * step for step in steps]))
    return math.sqrt(max(0.0, quadratic_form(split.matrix, steps)))


def cosine_distance(split: Distance, values: list[float]) -> float:
    row = [value * scale for value, scale in zip(values, split.scale, strict=True)]
    center = [value * scale for value, scale in zip(split.center, split.scale, strict=True)]
    lengths = [math.sqrt(added([part * part for part in vector])) for vector in (row, center)]
    if 0.0 in lengths:
        return 1.0
    product = added([a * b for a, b in zip(row, center, strict=True)])
    both = lengths[0] * lengths[1]
    return 1.0 - product / both if both else math.nan


def quadratic_form(matrix: Sequence[float], steps: list[float]) -> float:
    size = len(steps)
    terms = [steps[i] * matrix[i * size + j] * steps[j] for i in range(size) for j in range(size)]
    total = added(terms)
    return total if not math.isnan(total) else math.inf


def added(terms: Sequence[float]) -> float:
    """From left to right, each addition rounded."""
    total = terms[0]
    for term in terms[1:]:
        total += term
    return total
