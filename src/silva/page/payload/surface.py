"""Where the page fixes columns when it draws predictions over one or two of them."""

import math
import statistics
from collections.abc import Sequence
from typing import Any

from silva.data.schema import Column
from silva.inspect.importance import columns_used
from silva.inspect.plane.setting import setting_of
from silva.inspect.rules.lexicon import Lexicon
from silva.inspect.subject import Subject
from silva.page.payload.given_rows import GivenRows
from silva.tree import words
from silva.tree.tree import Tree

DIGITS = 4
MOST_SAID = 8


def surface(
    subject: Subject,
    trees: Sequence[Tree],
    by_importance: Sequence[int],
    rows: GivenRows | None,
    min_cell: int | None = None,
) -> dict[str, Any]:
    """The columns that the trees use, by importance, and a row in the middle of the rows.

    Medians and most frequent levels; without rows, the means of training. Numbers have four digits,
    so that no value of a row is there in full; what nobody knows is None. With `min_cell` the row
    is made of the trees alone: the middle threshold of a column, and the first level.
    """
    used = sorted({int(one) for tree in trees for one in columns_used(tree)})
    row = _middle_row(subject, rows) if min_cell is None else _row_of_model(subject, trees)
    rank = {column: place for place, column in enumerate(by_importance)}
    order = sorted(used, key=lambda column: rank.get(column, len(rank)))
    return {"columns": order, "row": row, "row_words": _said(subject, row, order)}


def _middle_row(subject: Subject, rows: GivenRows | None) -> list[float | int | None]:
    middle = setting_of(subject, None if rows is None else rows.table, None).row
    pairs = zip(subject.schema.columns, middle.columns, strict=True)
    return [_plain(column, float(values[0])) for column, values in pairs]


def _row_of_model(subject: Subject, trees: Sequence[Tree]) -> list[float | int | None]:
    thresholds: dict[int, list[float]] = {}
    for tree in trees:
        table = tree.thresholds
        for number, value in zip(table.column.tolist(), table.threshold.tolist(), strict=True):
            thresholds.setdefault(number, []).append(value)
    return [
        _plain(column, statistics.median_low(thresholds.get(number, [math.nan])))
        if column.levels is None
        else 0
        for number, column in enumerate(subject.schema.columns)
    ]


def _plain(column: Column, value: float) -> float | int | None:
    if column.levels is not None:
        return int(value) if value >= 0 else None
    if not math.isfinite(value):
        return None
    return value if column.time is not None else float(f"{value:.{DIGITS}g}")


def _said(subject: Subject, row: list[float | int | None], columns: list[int]) -> str:
    lexicon = Lexicon(subject.schema)
    said = [_one(lexicon, number, row[number]) for number in columns[:MOST_SAID]]
    more = len(columns) - len(said)
    return ", ".join([*said, *([f"and {more:,} more"] if more else [])])


def _one(lexicon: Lexicon, number: int, value: float | int | None) -> str:
    column, name = lexicon.columns[number], lexicon.names[number]
    if value is None:
        return f"{name} missing"
    if column.levels is not None:
        return f"{name} = {lexicon.levels(number)[int(value)]}"
    return f"{name} = {words.quantity(column, value, DIGITS)}"
