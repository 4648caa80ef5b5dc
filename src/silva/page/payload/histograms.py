"""What the rows of a node hold in the column that it asks about, in bins of round numbers.

Edges are multiples of 1, 2 or 5 times a power of ten: they are easy to read, and none of them is
there because a row has this value. A bin holds the values from its edge to below the next.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from silva.data.schema import MISSING_CODE, UNSEEN_CODE, Column
from silva.data.time_words import rounded
from silva.inspect.importance import split_columns
from silva.inspect.subject import Subject
from silva.page.payload.given_rows import GivenRows, NodeRows
from silva.page.payload.masking import with_ancestors
from silva.page.payload.privacy import hidden_cells
from silva.tree.splits import Threshold, split_of
from silva.tree.tree import Tree

MOST_NODES = 400
MOST_CELLS = 100_000
N_BINS = 20
MOST_LEVELS = 30


def histograms(
    subject: Subject,
    tree: Tree,
    rows: GivenRows,
    at: NodeRows,
    hidden: np.ndarray,
    min_cell: int | None,
) -> dict[str, Any]:
    """A histogram for each of the nodes with the most rows, by node number.

    Splits of several columns have none, and neither have nodes with hidden rows or classes at them
    or below: bins on one side of the threshold are the rows of a child. With `min_cell`,
    nodes below one that asks about the same column have none: their bins are a part of its bins.
    Classes that the model does not know are in none of the counts.
    """
    assert rows.target is not None
    n_classes = 1 if tree.classes is None else len(tree.classes)
    codes = np.zeros(rows.table.n_rows, np.int64) if tree.classes is None else rows.target.values
    asked = split_columns(tree)
    usable = np.flatnonzero((asked >= 0) & (at.count > 0) & ~with_ancestors(tree, hidden))
    if min_cell is not None:
        usable = _first_to_ask(tree, usable, asked)
    most = min(MOST_NODES, MOST_CELLS // (N_BINS * n_classes))
    found = {}
    for node in usable[np.argsort(-at.count[usable], kind="stable")][:most].tolist():
        number = int(asked[node])
        these = at.of(node)
        values, classes = rows.table.columns[number][these], codes[these]
        made = _histogram(subject.schema.columns[number], values, classes, n_classes, min_cell)
        if made is not None:
            if tree.classes is None:
                made["bins"] = [line[0] for line in made["bins"]]
            found[str(node)] = made | {"cut": _cut(tree, node)}
    return found


def _first_to_ask(tree: Tree, nodes: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """The nodes that are below no other that asks about their column."""
    below: dict[int, int] = {}
    found = []
    for node in nodes.tolist():
        if node >= below.get(int(asked[node]), 0):
            below[int(asked[node])] = int(tree.subtree_end[node])
            found.append(node)
    return np.array(found, dtype=np.int64)


def _cut(tree: Tree, node: int) -> float | None:
    split = split_of(tree, node)
    if isinstance(split, Threshold) and math.isfinite(split.threshold):
        return split.threshold
    return None


def _histogram(
    column: Column, values: np.ndarray, classes: np.ndarray, n_classes: int, min_cell: int | None
) -> dict[str, Any] | None:
    if column.levels is None:
        return _of_numbers(column, values.astype(np.float64), classes, n_classes, min_cell)
    return _of_levels(column, values.astype(np.int64), classes, n_classes, min_cell)


def _of_numbers(
    column: Column, values: np.ndarray, classes: np.ndarray, n_classes: int, min_cell: int | None
) -> dict[str, Any] | None:
    """Infinite values are in the first and the last bin, and with `min_cell` its extreme values."""
    ends = ends_of(values[np.isfinite(values)], min_cell)
    edges = None if ends is None else round_edges(*ends)
    if edges is None:
        return None
    place = np.searchsorted(edges, values, side="right") - 1
    place = np.clip(place, 0, len(edges) - 2)
    place[np.isnan(values)] = len(edges) - 1
    cells, missing = _counted(place, classes, len(edges) - 1, 1, n_classes, min_cell)
    told = {"low": edges[0], "high": edges[-1], "edges": edges}
    if column.time is not None:
        told["words"] = [rounded(column.time, edge) for edge in edges]
    return {**told, "bins": cells, "missing": missing[0]}


def _of_levels(
    column: Column, codes: np.ndarray, classes: np.ndarray, n_classes: int, min_cell: int | None
) -> dict[str, Any]:
    """One bin a level that occurs, the most frequent ones in the order of their codes."""
    occurring = np.bincount(codes[codes >= 0], minlength=column.n_levels)
    shown = np.argsort(-occurring, kind="stable")[:MOST_LEVELS]
    shown = np.sort(shown[occurring[shown] > 0])
    of_code = np.full(column.n_levels, len(shown))
    of_code[shown] = np.arange(len(shown))
    place = of_code[np.maximum(codes, 0)]
    place[codes == MISSING_CODE] = len(shown) + 1
    place[codes == UNSEEN_CODE] = len(shown) + 2
    cells, rest = _counted(place, classes, len(shown), 3, n_classes, min_cell)
    names = zip(("others", "missing", "unseen"), rest, strict=True)
    return {"levels": shown.tolist(), "bins": cells, **dict(names)}


def _counted(
    place: np.ndarray,
    classes: np.ndarray,
    n_bins: int,
    n_more: int,
    n_classes: int,
    min_cell: int | None,
) -> tuple[list[Any], list[int | None]]:
    """The counts of each bin (by class, if there are classes), and the rows of each place beyond.

    The classes of the whole node are known, so what is hidden must not follow from them.
    """
    known = classes >= 0
    lines = n_bins + n_more
    flat = np.bincount(place[known] * n_classes + classes[known], minlength=lines * n_classes)
    table = flat.reshape(lines, n_classes)
    hidden = hidden_cells(table, min_cell, axes=(0,))
    cells = [_masked(line, these) for line, these in zip(table, hidden, strict=True)]
    rest = [
        None if these.any() else int(line.sum())
        for line, these in zip(table[n_bins:], hidden[n_bins:], strict=True)
    ]
    return cells[:n_bins], rest


def _masked(line: np.ndarray, hidden: np.ndarray) -> list[int | None]:
    pairs = zip(line.tolist(), hidden.tolist(), strict=True)
    return [None if is_hidden else count for count, is_hidden in pairs]


def ends_of(values: np.ndarray, min_cell: int | None) -> tuple[float, float] | None:
    """The lowest and the highest value; with `min_cell` such that as many are not beyond them."""
    spare = (min_cell or 1) - 1
    if len(values) <= 2 * spare:
        return None
    in_order = np.partition(values, (spare, len(values) - 1 - spare))
    return float(in_order[spare]), float(in_order[len(values) - 1 - spare])


def round_edges(low: float, high: float, most: int = N_BINS) -> list[float] | None:
    """Round numbers in equal steps from at most `low` to above `high`: at most `most` steps.

    None where float64 has no such numbers.
    """
    spread = high - low
    if not math.isfinite(spread):
        return None
    step = _round_up(spread / (most - 1) if spread > 0 else abs(low) / 10 or 1.0)
    if step is None or max(abs(low), abs(high)) / step > 2**50:
        return None
    first, last = math.floor(low / step), math.floor(high / step) + 1
    edges = [_multiple(step, place) for place in range(first, last + 1)]
    return edges if _fit(edges, low, high) else None


def _fit(edges: Sequence[float], low: float, high: float) -> bool:
    return edges[0] <= low and high < edges[-1] and all(np.diff(edges) > 0)


def _round_up(size: float) -> float | None:
    """The smallest of 1, 2 and 5 times a power of ten that is at least `size`."""
    if not 1e-290 < size < 1e290:
        return None
    power = math.floor(math.log10(size))
    options = [_parsed(digit, power + more) for more in (0, 1) for digit in (1, 2, 5)]
    return min(one for one in options if one >= size)


def _parsed(digit: int, power: int) -> float:
    return float(f"{digit}e{power}")


def _multiple(step: float, place: int) -> float:
    """`place` steps, as the decimal number that it is."""
    digits, power = f"{step:.0e}".split("e")
    return float(f"{int(digits) * place}e{power}")
