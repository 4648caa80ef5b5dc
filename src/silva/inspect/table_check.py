"""What may be wrong with a table and a target before anything is learned from them."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from silva import notebook
from silva.checks import check_choice, refuse
from silva.data.bind import bind_training
from silva.data.leaks import LEAK_ADVICE, leak
from silva.data.marks import marks
from silva.data.schema import Column
from silva.data.suspects import ADVICE, row_numbers, suspicion
from silva.data.table import Table, Target, Task
from silva.data.target import bind_classes, bind_numbers
from silva.errors import DataError
from silva.inspect.intervals import SMALL_SAMPLE
from silva.inspect.record import plain
from silva.messages import counted, first_of, shown
from silva.notebook import ShownAsText
from silva.tree import words

MARK = "a probable mark of missing values"
MANY_MISSING = 0.5
IMBALANCED = 0.9
MOST_CLASSES = 100
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class ColumnKind:
    """How a column is read, how many of its values differ and how many are missing."""

    name: str
    kind: str
    distinct: int
    missing: int


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding: where (None: the whole table), what sort, what was seen, what to do."""

    sort: str
    column: str | None
    seen: str
    advice: str

    def __str__(self) -> str:
        where = "" if self.column is None else f"{words.name(self.column)}: "
        return f"{where}{self.sort} ({self.seen}). {self.advice}"


@dataclass(frozen=True, slots=True)
class Checkup(ShownAsText):
    """What `checkup` found; `problems` is empty where nothing looks wrong."""

    target: str
    task: Task
    rows: int
    classes: tuple[tuple[Any, int], ...]
    columns: tuple[ColumnKind, ...]
    problems: tuple[Problem, ...]

    def to_dict(self) -> dict[str, Any]:
        """The findings as plain values that JSON can hold."""
        found = {name: plain(getattr(self, name)) for name in self.__slots__}
        rows = [{"class": plain(label), "rows": count} for label, count in self.classes]
        return found | {"classes": rows}

    def table(self) -> dict[str, list[Any]]:
        """One line a problem."""
        names = ("sort", "column", "seen", "advice")
        return {name: [getattr(one, name) for one in self.problems] for name in names}

    def __str__(self) -> str:
        return notebook.printers["checkup"](self)


def checkup(X: Any, y: Any, task: Task, target: str = "target") -> Checkup:
    """Look for what may be wrong with training data; nothing is learned.

    Parameters
    ----------
    X : table
        The columns to learn from.
    y : array-like
        The target; rows where it is missing are counted and left out.
    task : {"classification", "regression"}
        What `y` is for.
    target : str, default="target"
        The name of the target, for the text.

    Returns
    -------
    Checkup
        Kinds of the columns, and problems: missing cells, values such as -999 and 1900-01-01 that
        may stand for missing ones, constant columns, row numbers, identifiers, free text, dates
        and numbers stored as text, spellings, copies of the target, rare classes, imbalance,
        repeated and contradictory rows.
    """
    check_choice("task", task, get_args(Task))
    if not isinstance(target, str):
        refuse("target", target, "use the name of the target, as text")
    table, (known, bound) = bind_training(X), _known_target(y, task)
    if len(y) != table.n_rows:
        raise DataError(f"y has {len(y)} targets and X {table.n_rows} rows: give one a row.")
    kept = table if len(known) == table.n_rows else table.take(known)
    columns = tuple(map(_kind, table.schema.columns, table.columns))
    problems = [
        *_missing_target(table.n_rows - len(known)),
        *_class_problems(bound),
        *_column_problems(table, kept, bound, columns),
        *_repeated(kept, bound),
    ]
    return Checkup(target, task, table.n_rows, _classes(bound), columns, tuple(problems))


def _known_target(y: Any, task: Task) -> tuple[np.ndarray, Target]:
    values = np.asarray(y)
    if values.ndim != 1:
        refuse("y", y, "give one label or number a row, in one dimension")
    if values.dtype.kind == "O":
        missing = np.array([one is None or one != one for one in values.tolist()], bool)
    else:
        missing = values != values
    known = np.flatnonzero(~missing)
    bind = bind_numbers if task == "regression" else _bind_labels
    return known, bind(values[known], None, len(known))


def _bind_labels(labels: Any, weights: Any, n_rows: int) -> Target:
    return bind_classes(labels, weights, None, n_rows)


def _kind(column: Column, values: np.ndarray) -> ColumnKind:
    kind = column.kind if column.time is None else column.time.sort
    known = values[_is_known(column, values)]
    return ColumnKind(column.name, kind, len(np.unique(known)), len(values) - len(known))


def _is_known(column: Column, values: np.ndarray) -> np.ndarray:
    return np.asarray(values == values if column.levels is None else values >= 0)


def _missing_target(count: int) -> Iterator[Problem]:
    if count:
        advice = "Leave these rows out: nothing is learned without a target"
        yield Problem("the target is missing", None, counted(count, "row"), advice)


def _classes(target: Target) -> tuple[tuple[Any, int], ...]:
    """The classes and their rows, the largest first."""
    if target.classes is None:
        return ()
    counts = np.bincount(target.values, minlength=len(target.classes)).tolist()
    pairs = zip(target.classes.tolist(), counts, strict=True)
    return tuple(sorted(pairs, key=lambda pair: -pair[1]))


def _class_problems(target: Target) -> Iterator[Problem]:
    found = _classes(target)
    n_rows = len(target.values)
    if len(found) == 1 or (not found and n_rows and len(np.unique(target.values)) == 1):
        value = found[0][0] if found else target.values[0].item()
        advice = "There is nothing to learn: choose another target or other rows"
        yield Problem("the target is constant", None, f"always {words.value(value)}", advice)
    elif found and len(found) > MOST_CLASSES:
        seen = f"{len(found):,} classes in {counted(n_rows, 'row')}"
        advice = "Use regression for numbers, group the labels, or choose another target"
        yield Problem("very many classes", None, seen, advice)
    elif found:
        yield from _balance(found, n_rows)


def _balance(found: Sequence[tuple[Any, int]], n_rows: int) -> Iterator[Problem]:
    tiny = [pair for pair in found if pair[1] < SMALL_SAMPLE]
    if tiny:
        told = [f"{words.value(label)} {counted(count, 'row')}" for label, count in tiny[:5]]
        advice = "Gather more rows of them, or join them with other classes"
        yield Problem("tiny classes", None, first_of(told, len(tiny)), advice)
    label, largest = found[0]
    if largest > IMBALANCED * n_rows:
        seen = f"{words.percent(largest / n_rows)} of the rows are {words.value(label)}"
        advice = "Accuracy says little: look at recall and log loss, try class_weight='balanced'"
        yield Problem("imbalanced classes", None, seen, advice)


def _column_problems(
    whole: Table, table: Table, target: Target, kinds: Sequence[ColumnKind]
) -> Iterator[Problem]:
    """Problems of the rows with a target; row numbers are those of the whole table."""
    for i, (kind, column) in enumerate(zip(kinds, table.schema.columns, strict=True)):
        values = table.columns[i]
        if kind.distinct <= 1:
            yield _constant(kind, column, values)
            continue
        yield from _missing_cells(kind, table.n_rows)
        finding = row_numbers(column, whole.columns[i]) or suspicion(column, values)
        if finding is not None:
            yield Problem(finding.sort, column.name, finding.seen, ADVICE[finding.sort])
        yield from _marks(column, values)
        given_away = leak(column, values, target)
        if given_away is not None:
            yield Problem("copy of the target (a leak)", column.name, given_away, LEAK_ADVICE)


def _constant(kind: ColumnKind, column: Column, values: np.ndarray) -> Problem:
    if not kind.distinct:
        return Problem("empty column", kind.name, "every value is missing", "Drop the column")
    value = values[_is_known(column, values)][:1]
    told = "one value"
    if len(value):
        one = value[0].item()
        told = words.quantity(column, one) if column.levels is None else shown(column.levels[one])
    missing = f", {kind.missing:,} missing" if kind.missing else ""
    return Problem("constant column", kind.name, f"always {told}{missing}", "Drop the column")


def _missing_cells(kind: ColumnKind, n_rows: int) -> Iterator[Problem]:
    if kind.missing > MANY_MISSING * n_rows:
        seen = f"{kind.missing:,} of {counted(n_rows, 'row')}"
        advice = "Find out why; drop the column unless being missing means something"
        yield Problem("mostly missing", kind.name, seen, advice)


def _marks(column: Column, values: np.ndarray) -> Iterator[Problem]:
    for mark in marks(column, values):
        value, *others = (words.quantity(column, one) for one in (mark.value, mark.low, mark.high))
        day = column.time is not None and column.time.sort == "datetime"
        value = value.replace(" UTC", "Z") if day else value
        seen = f"{value} in {counted(mark.rows, 'row')}; others are from {' to '.join(others)}"
        old, new = (
            (f"pandas.Timestamp('{value}')", "pandas.NaT") if day else (value, "float('nan')")
        )
        name = f"X[{column.name!r}]"
        option = shlex.quote(f"{column.name}={value}")
        advice = (
            f"If it means missing, say so: --null {option} in the command line,"
            f" {name} = {name}.replace({old}, {new}) in pandas"
        )
        yield Problem(MARK, column.name, seen, advice)


def _repeated(table: Table, target: Target) -> Iterator[Problem]:
    """Rows that are equal in all columns, with the same or with different targets."""
    rows = _with_equal_hashes(table)
    if not len(rows):
        return
    group = np.zeros(len(rows), np.int64)
    for values in table.columns:
        group = _joined(group, values[rows])
    whole = _joined(group, target.values[rows])
    n_groups, n_whole = int(group.max()) + 1, int(whole.max()) + 1
    if n_whole < len(rows):
        copies = counted(len(rows) - n_whole, "copy", "copies")
        seen = f"{copies} of earlier rows, target included"
        advice = "Remove accidental copies: they make held-out scores optimistic"
        yield Problem("repeated rows", None, seen, advice)
    if n_whole > n_groups:
        several = np.bincount(np.unique(np.stack([group, whole], 1), axis=0)[:, 0]) > 1
        against = int(np.count_nonzero(several[group]))
        seen = f"{counted(against, 'row')} with the same columns as others and another target"
        advice = "No model can get all of them right; look for a column that tells them apart"
        yield Problem("contradictory rows", None, seen, advice)


def _with_equal_hashes(table: Table) -> np.ndarray:
    """The numbers of the rows that may equal another: nearly always just those that do.

    Hashes save sorting every column of a large table; equal ones are then compared exactly.
    """
    total = np.zeros(table.n_rows, np.uint64)
    for values in table.columns:
        numbers = values.astype(np.float64) + 0.0
        numbers[numbers != numbers] = np.nan
        total = (total ^ numbers.view(np.uint64)) * _MULTIPLIER
        total ^= total >> np.uint64(29)
    _, place, count = np.unique(total, return_inverse=True, return_counts=True)
    return np.flatnonzero(count[place.reshape(-1)] > 1)


def _joined(group: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Groups of rows that are in the same group and have the same value."""
    codes = np.unique(values, return_inverse=True)[1].reshape(-1).astype(np.int64)
    pairs = group * (int(codes.max()) + 1) + codes
    return np.unique(pairs, return_inverse=True)[1].reshape(-1).astype(np.int64)
