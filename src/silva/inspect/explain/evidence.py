"""The training rows behind a prediction, and the linear models of leaves for one row."""

import math
from typing import Any

import numpy as np

from silva.inspect.explain.records import CONFIDENCE, Evidence, LeafModel, Part
from silva.inspect.explain.values import Row
from silva.inspect.intervals import SMALL_SAMPLE, student, wilson
from silva.tree import stats, words
from silva.tree.lazy import lazy
from silva.tree.linear import LinearLeaves, models_a_leaf
from silva.tree.tree import Tree


class Witness:
    """The evidence of the nodes of a tree."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    @lazy
    def _rows(self) -> np.ndarray:
        return stats.node_rows(self._tree)

    @lazy
    def _weight(self) -> np.ndarray:
        return stats.node_weight(self._tree)

    @lazy
    def is_weighted(self) -> bool:
        """Whether rows have weights, by `sample_weight` or `class_weight`."""
        return bool((self._rows != self._weight).any())

    def of(self, node: int, code: int | None) -> Evidence:
        """Of a row that ends at this node and is predicted the class of this code, if any."""
        rows, total = int(self._rows[node]), int(self._rows[0])
        estimate, low, high = self._interval(node, rows, code)
        return Evidence(
            node=node,
            is_leaf=bool(self._tree.is_leaf[node]),
            rows=rows,
            total_rows=total,
            weight=float(self._weight[node]),
            is_weighted=self.is_weighted,
            coverage=rows / total if total else 0.0,
            estimate=estimate,
            low=low if math.isfinite(low) else None,
            high=high if math.isfinite(high) else None,
            is_small=rows < SMALL_SAMPLE,
        )

    def _interval(self, node: int, rows: int, code: int | None) -> tuple[float, float, float]:
        where, count = np.array([node]), np.array([rows])
        if code is None:
            mean = stats.node_mean(self._tree, where)
            deviation = stats.node_deviation(self._tree, where)
            with np.errstate(over="ignore"):
                low, high = student(mean, deviation, count, 1.0 - CONFIDENCE)
            return float(mean[0]), float(low[0]), float(high[0])
        units = stats.node_class_units(self._tree, where)[0]
        share = float(units[code] / units.sum())
        low, high = wilson(np.array([share * rows]), count, 1.0 - CONFIDENCE)
        return share, float(low[0]), float(high[0])


def leaf_models(tree: Tree, row: Row, end: int) -> tuple[LeafModel, ...]:
    """The models that answered for a row: one, or one a class; none without linear leaves."""
    n_classes = 0 if tree.classes is None else len(tree.classes)
    if tree.linear is None or not tree.is_leaf[end] or n_classes == 1:
        return ()
    labels: list[Any] = [None] if tree.classes is None else tree.classes.tolist()
    width = models_a_leaf(n_classes)
    first = int(stats.leaf_number(tree)[end]) * width
    return tuple(
        _model(tree.linear, first + number, label, row)
        for number, label in enumerate(labels[-width:])
    )


def _model(linear: LinearLeaves, model: int, label: Any, row: Row) -> LeafModel:
    entries = range(int(linear.start[model]), int(linear.start[model + 1]))
    terms = tuple(_term(linear, entry, row) for entry in entries)
    intercept = float(linear.intercept[model])
    total = intercept
    for term in terms:
        total += term.product
    total = intercept if math.isnan(total) else total
    low, high = float(linear.low[model]), float(linear.high[model])
    answer = min(max(total, low), high)
    return LeafModel(
        label=label,
        intercept=intercept,
        terms=terms,
        total=total,
        answer=answer,
        low=low if math.isfinite(low) else None,
        high=high if math.isfinite(high) else None,
        is_clipped=answer != total,
    )


def _term(linear: LinearLeaves, entry: int, row: Row) -> Part:
    column, code = int(linear.column[entry]), int(linear.code[entry])
    weight, center = float(linear.weight[entry]), float(linear.center[entry])
    value = row.number_of(column, code)
    if value is not None and math.isinf(value):
        value = None
    product = 0.0 if value is None else weight * (value - center)
    told = words.term(row.table.schema.columns[column], code)
    return Part(told, weight, value, center, product)
