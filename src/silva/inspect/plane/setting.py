"""Which columns a plane shows, and where the others are fixed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from silva.checks import is_whole, refuse
from silva.data.bind import bind_prediction
from silva.data.columns import column_number
from silva.data.schema import MISSING_CODE, UNSEEN_CODE, Column, Schema
from silva.data.table import Table
from silva.errors import DataError, PlanError
from silva.inspect.importance import columns_used, impurity_importance
from silva.inspect.plane.axis import PlaneAxis, level_axis, number_axis
from silva.inspect.subject import Subject
from silva.messages import listed, nearest
from silva.tree import words


@dataclass(frozen=True, eq=False)
class Setting:
    """The value of each column outside the plane: where it is fixed, and why there.

    `row` is a table of one row; `why` has the columns that are fixed: "given", "row 3", "median",
    "most frequent" or "mean".
    """

    row: Table
    why: Mapping[int, str]

    def words(self, number: int) -> tuple[str, str]:
        """The name of a column and its value: `age`, `41.5 (median)`."""
        column, why = self.row.schema.columns[number], self.why[number]
        note = "" if why == "given" else f" ({why})"
        return column.name, f"{_value_words(column, self.row, number)}{note}"

    def check(self, number: int) -> None:
        """Refuse a column that the prediction depends on and that is fixed nowhere."""
        if number not in self.why:
            name = self.row.schema.columns[number].name
            raise DataError(
                f"the prediction also depends on column {name!r}, which is fixed nowhere: give"
                f" at={{{name!r}: ...}}, or X, whose most frequent value is then taken."
            )


def chosen_columns(subject: Subject, columns: Any, counts: Sequence[int]) -> tuple[int, ...]:
    """The numbers of the columns of the axes; by default the most important ones.

    `counts` says how many may be chosen; the last is that of the default.
    """
    names = subject.schema.names
    if columns is None:
        ranks = np.argsort(-_importances(subject), kind="stable")
        return tuple(ranks[: counts[-1]].tolist())
    given = [columns] if isinstance(columns, str) or is_whole(columns) else columns
    if not isinstance(given, Sequence | np.ndarray) or getattr(given, "ndim", 1) != 1:
        refuse("columns", columns, "give names or indices of columns")
    found = tuple(column_number(one, names, "columns", PlanError) for one in given)
    if len(found) not in counts or len(set(found)) < len(found):
        wanted = " or ".join(map(str, sorted(counts)))
        refuse("columns", columns, f"give {wanted} different columns", f"There are {listed(names)}")
    return found


def _importances(subject: Subject) -> np.ndarray:
    """The mean importance of each column over the trees, or how many trees ask about it."""
    try:
        return np.asarray(np.sum([impurity_importance(tree) for tree in subject.trees()], axis=0))
    except DataError:  # gains beyond float64
        used = [columns_used(tree) for tree in subject.trees()]
        return np.bincount(np.concatenate(used), minlength=len(subject.schema)).astype(float)


def setting_of(subject: Subject, table: Table | None, at: Any) -> Setting:
    """Where columns are fixed: by `at`, else at the middle of the rows, or of training."""
    columns = subject.schema.columns
    values: dict[int, Any] = {}
    why: dict[int, str] = {}
    if table is not None and table.n_rows:
        values = {number: _middle(column, table, number) for number, column in enumerate(columns)}
        why = {number: _MIDDLE[column.levels is None] for number, column in enumerate(columns)}
    elif subject.facts is not None:
        known = np.flatnonzero(np.isfinite(subject.facts.mean)).tolist()
        values = {number: float(subject.facts.mean[number]) for number in known}
        why = dict.fromkeys(known, "mean")
    given, reason = _given(subject.schema, table, at)
    values |= given
    why |= dict.fromkeys(given, reason)
    return Setting(_row(subject.schema, values), why)


_MIDDLE = {True: "median", False: "most frequent"}


def _middle(column: Column, table: Table, number: int) -> Any:
    """The median of the numbers, or the most frequent level; missing if nothing else is there."""
    values = table.columns[number]
    if column.levels is None:
        known = np.asarray(values, dtype=np.float64)
        known = np.sort(known[~np.isnan(known)])
        if column.time is not None and len(known):  # a date that occurs reads better
            return float(known[(len(known) - 1) // 2])
        return float(np.median(known)) if len(known) else np.nan
    codes = values[values >= 0] if values.dtype != bool else values
    return int(np.bincount(codes).argmax()) if len(codes) else MISSING_CODE


def _given(schema: Schema, table: Table | None, at: Any) -> tuple[dict[int, Any], str]:
    if at is None:
        return {}, ""
    if hasattr(at, "items"):  # a mapping, or a row of a pandas frame
        pairs = [
            (column_number(name, schema.names, "at", PlanError), one) for name, one in at.items()
        ]
        return {number: _bound(schema.columns[number], value) for number, value in pairs}, "given"
    if not is_whole(at):
        refuse("at", at, "give values by column, such as {'age': 40}, or the number of a row of X")
    if table is None or not 0 <= at < table.n_rows:
        rows = "is not given" if table is None else f"has the rows 0 to {table.n_rows - 1}"
        refuse("at", at, f"it is the number of a row of X, and X {rows}")
    return {number: values[at] for number, values in enumerate(table.columns)}, f"row {int(at)}"


def _bound(column: Column, value: Any) -> Any:
    """The value as the column's code or number."""
    cell = np.empty((1, 1), dtype=object)
    cell[0, 0] = value
    found = bind_prediction(cell, Schema((column,), named=False)).columns[0][0]
    if column.levels is not None and found == UNSEEN_CODE:
        near = nearest(value, [str(level) for level in column.levels])
        hint = f" Did you mean {near!r}?" if near else f" Its levels are {listed(column.levels)}."
        raise DataError(f"at has {value!r} for column {column.name!r}, no level of it.{hint}")
    return found


def _row(schema: Schema, values: Mapping[int, Any]) -> Table:
    """A table of one row; columns without a value are missing."""
    cells = [
        np.array([values.get(number, np.nan)], dtype=np.float64)
        if column.levels is None
        else np.array([values.get(number, MISSING_CODE)], dtype=np.int32)
        for number, column in enumerate(schema.columns)
    ]
    return Table(schema, tuple(cells), 1)


def _value_words(column: Column, row: Table, number: int) -> str:
    value = row.columns[number][0]
    if column.levels is None:
        return "missing" if np.isnan(value) else words.quantity(column, float(value), 4)
    if value < 0:
        return "missing" if value == MISSING_CODE else "unseen"
    return words.value(column.levels[value])


def axis_of(subject: Subject, table: Table | None, number: int) -> PlaneAxis:
    """The axis of a column: as far as the rows reach, or else those of training."""
    column = subject.schema.columns[number]
    if column.levels is not None:
        codes = () if table is None else set(np.unique(table.columns[number]).tolist())
        return level_axis(number, column, MISSING_CODE in codes, UNSEEN_CODE in codes)
    values = np.empty(0) if table is None else np.asarray(table.columns[number], dtype=np.float64)
    missing = bool(np.isnan(values).any())
    known = values[np.isfinite(values)]
    if len(known):
        return number_axis(number, column, float(known.min()), float(known.max()), missing)
    return number_axis(number, column, *_training_range(subject, number), missing)


def _training_range(subject: Subject, number: int) -> tuple[float, float]:
    facts = subject.facts
    if facts is not None and np.isfinite(facts.low[number]):
        return float(facts.low[number]), float(facts.high[number])
    tables = [tree.thresholds for tree in subject.trees()]
    limits = np.concatenate([one.threshold[one.column == number] for one in tables])
    limits = limits[np.isfinite(limits)]
    if not len(limits):
        return 0.0, 1.0
    reach = 0.5 * float(limits.max() - limits.min()) or max(1.0, 0.1 * abs(float(limits[0])))
    return float(limits.min()) - reach, float(limits.max()) + reach
