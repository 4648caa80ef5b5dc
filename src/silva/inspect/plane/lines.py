"""How the prediction of one node runs along one column: a level line, or a line with kinks."""

from dataclasses import replace

import numpy as np

from silva.data.table import Table
from silva.inspect.plane.axis import PlaneAxis, Span
from silva.leaf import answers
from silva.tree import stats
from silva.tree.linear import VALUE
from silva.tree.tree import Tree, altered

Line = tuple[tuple[float, float], ...]
"""Points, from left to right."""


def line_of(tree: Tree, axis: PlaneAxis, node: int, span: Span, row: Table) -> Line:
    """What the node predicts from one end of the span to the other.

    Answers of linear models are clipped, so that their line may have two kinks.
    """
    if tree.linear is None or not tree.is_leaf[node]:
        value = float(stats.node_mean(tree, np.array([node]))[0])
        return (span[0], value), (span[1], value)
    at = _at(axis, span)
    places = np.array([at[0], *_kinks(tree, axis, node, at, row), at[1]])
    shown = places.tolist() if at[0] < at[1] else span
    values = _answers(tree, axis, node, places, row)
    return tuple(zip(shown, values.tolist(), strict=False))


def _at(axis: PlaneAxis, span: Span) -> Span:
    """The values of the column at both ends; those of a band are the same."""
    for band in axis.bands:
        if band.low <= span[0] < band.high:
            code = np.nan if axis.has_numbers else float(band.code)
            return code, code
    return span


def _kinks(tree: Tree, axis: PlaneAxis, node: int, at: Span, row: Table) -> list[float]:
    """Where the line meets the limits of the model's answers, inside of the span."""
    linear = tree.linear
    assert linear is not None
    leaf = int(stats.leaf_number(tree)[node])
    entries = slice(linear.start[leaf], linear.start[leaf + 1])
    mine = (linear.column[entries] == axis.number) & (linear.code[entries] == VALUE)
    slope = float(linear.weight[entries][mine].sum())
    if slope == 0.0 or not at[0] < at[1]:
        return []
    free = np.full(linear.n_models, np.inf)
    unlimited = altered(tree, linear=replace(linear, low=-free, high=free))
    start = float(_answers(unlimited, axis, node, np.array(at[:1]), row)[0])
    limits = (float(linear.low[leaf]), float(linear.high[leaf]))
    meets = sorted(at[0] + (limit - start) / slope for limit in limits if np.isfinite(limit))
    return [place for place in meets if at[0] < place < at[1]]


def _answers(tree: Tree, axis: PlaneAxis, node: int, values: np.ndarray, row: Table) -> np.ndarray:
    columns = tuple(
        values.astype(column.dtype) if number == axis.number else column.repeat(len(values))
        for number, column in enumerate(row.columns)
    )
    table = Table(row.schema, columns, len(values))
    return answers.predict_values(tree, np.full(len(values), node), table)
