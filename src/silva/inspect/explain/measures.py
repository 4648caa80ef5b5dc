"""Splits of several columns for one row: the sum or distance that decided, term by term."""

import math
from collections.abc import Callable, Sequence

from silva.inspect.explain.records import Measure, Part
from silva.inspect.explain.values import Row
from silva.tree import words
from silva.tree.splits import VALUE, Distance, Oblique


def measure(split: Oblique | Distance, row: Row) -> Measure:
    """The number that the split compares, computed as the router does: the same bits."""
    if isinstance(split, Oblique):
        parts = _summands(split, row)
        total = 0.0
        for part in parts:
            total += part.product
        return _measure("sum", total, split, parts)
    parts = _differences(split, row)
    return _measure(f"{split.metric} distance", _distance(split, parts), split, parts)


def _measure(
    what: str, value: float, split: Oblique | Distance, parts: tuple[Part, ...]
) -> Measure:
    known = math.isfinite(value) and all(part.value is not None for part in parts)
    return Measure(what, value if known else None, split.threshold, parts)


def _summands(split: Oblique, row: Row) -> tuple[Part, ...]:
    columns, found = row.table.schema.columns, []
    for column, code, weight in zip(split.columns, split.codes, split.weights, strict=True):
        value = row.number_of(column, code)
        product = 0.0 if value is None else weight * value
        found.append(Part(words.term(columns[column], code), weight, value, None, product))
    return tuple(found)


def _differences(split: Distance, row: Row) -> tuple[Part, ...]:
    columns, found = row.table.schema.columns, []
    for column, center, scale in zip(split.columns, split.center, split.scale, strict=True):
        value = row.number_of(column, VALUE)
        if value is None:
            product = 0.0
        elif split.metric == "cosine":
            product = (value * scale) * (center * scale)
        else:
            product = (value - center) * scale
        found.append(Part(words.term(columns[column]), scale, value, center, product))
    return tuple(found)


def _distance(split: Distance, parts: Sequence[Part]) -> float:
    differences = [part.product for part in parts]
    if split.metric == "cosine":
        return _cosine(parts)
    if split.metric == "manhattan":
        return _added(differences, abs)
    if split.metric == "euclidean":
        return math.sqrt(_added(differences, lambda one: one * one))
    return _mahalanobis(split.matrix, differences)


def _added(terms: Sequence[float], of: Callable[[float], float]) -> float:
    """In order, as the router adds: `sum` of Python compensates."""
    total = 0.0
    for term in terms:
        total += of(term)
    return total


def _cosine(parts: Sequence[Part]) -> float:
    row = _added([(part.value or 0.0) * part.weight for part in parts], lambda one: one * one)
    point = _added([(part.center or 0.0) * part.weight for part in parts], lambda one: one * one)
    if row == 0.0 or point == 0.0:
        return 1.0
    product = _added([part.product for part in parts], float)
    return 1.0 - product / (math.sqrt(row) * math.sqrt(point))


def _mahalanobis(matrix: Sequence[float], differences: Sequence[float]) -> float:
    width, total = len(differences), 0.0
    for i, one in enumerate(differences):
        for j, other in enumerate(differences):
            total += one * matrix[i * width + j] * other
    return 0.0 if total < 0.0 else math.sqrt(total)
