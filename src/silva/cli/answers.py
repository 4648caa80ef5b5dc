"""The work behind `silva predict`: a file read by the model's schema, answers as CSV."""

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import click
import numpy as np

import silva
from silva.cli.files import refuse_output, writing
from silva.cli.output import write_csv
from silva.cli.tables import nulls
from silva.cli.tables.options import TableOptions
from silva.cli.tables.read import DataFile, read_data, read_table
from silva.cli.tables.wishes import Wish, number_wish
from silva.cli.tables.written import PARQUET, write_parquet
from silva.cli.terminal import note, working
from silva.data.frames.column_table import ColumnTable
from silva.data.raw import Times, value_at
from silva.data.schema import Column, Schema
from silva.errors import DataError
from silva.inspect.predicted import Predicted, predicted
from silva.inspect.subject import subject_of
from silva.messages import listed, nearest

Wishes = dict[str, Wish]
"""How columns are read, by name."""


def write_answers(
    model: str,
    data: str,
    output: str | None,
    ids: tuple[str, ...],
    proba: bool,
    force: bool,
    reading: TableOptions,
) -> None:
    """Load, read, predict, write."""
    refuse_output(output, force)
    estimator = silva.load(model)
    subject = subject_of(estimator)
    if proba and subject.classes is None:
        raise click.UsageError(
            f"--proba: {subject.title} is a regression model, which has no classes"
        )
    with working(f"reading {data}"):
        table, carried = read_with_ids(subject.schema, data, reading, ids)
    header, lines = answers(estimator, table, proba)
    _refuse_names(ids, header)
    rows = ([*cells, *line] for *cells, line in zip(*carried, lines, strict=True))
    if output is not None and output.lower().endswith(PARQUET):
        write_parquet(output, [*ids, *header], rows)
    else:
        with writing(output) as stream:
            write_csv(stream, [*ids, *header], rows)
    if output not in (None, "-"):
        note(f"wrote {len(table):,} predictions to {output}")


def _refuse_names(ids: Sequence[str], header: Sequence[str]) -> None:
    taken = next((name for at, name in enumerate(ids) if name in (*ids[:at], *header)), None)
    if taken is not None:
        raise DataError(
            f"--id {taken!r}: the output has a column of this name already; rename the column, or"
            " name it once"
        )


def predicted_by(model: Any, table: Any, with_shares: bool = True) -> Predicted:
    """Predictions of a saved model, which may have been fitted without column names."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X has feature names", UserWarning)
        return predicted(model, table, with_shares)


def read_for(schema: Schema, path: str, options: TableOptions | None = None) -> ColumnTable:
    """The columns of a file that a model needs, each read as it was in training."""
    return read_with_ids(schema, path, options, ())[0]


def read_with_ids(
    schema: Schema, path: str, options: TableOptions | None, ids: Sequence[str]
) -> tuple[ColumnTable, list[list[Any]]]:
    """The columns that a model needs, and the cells of those that identify the rows.

    The latter are as the file has them, unless the model reads the same column.
    """
    names: tuple[str, ...] = schema.names
    if not schema.named:
        if not ids:
            data = read_data(path, options, [wish_for(one) for one in schema.columns])
            return data.table(data.names), []
        names = _by_place(schema, path, options, ids)
    wanted = {name: wish_for(column) for name, column in zip(names, schema.columns, strict=True)}
    wishes: Wishes = {**dict.fromkeys(ids, Wish("verbatim")), **wanted}
    data = read_data(path, options, wishes, only=list(wishes))
    _refuse_absent(data, path, wanted, ids)
    return data.table(names), [_cells(data, name) for name in ids]


def _by_place(
    schema: Schema, path: str, options: TableOptions | None, ids: Sequence[str]
) -> tuple[str, ...]:
    if path == "-":
        raise DataError(
            "the model knows no column names, so its columns go by their places beside --id: write"
            " standard input to a file first"
        )
    names = tuple(name for name in read_table(path, options).names if name not in ids)
    if len(names) != len(schema):
        raise DataError(
            f"{path} has {len(names)} columns beside --id, and the model needs {len(schema)}; it"
            " knows no names, so its columns go by their places"
        )
    return names


def _refuse_absent(data: DataFile, path: str, wanted: Wishes, ids: Sequence[str]) -> None:
    unused = [name for name in data.names if name not in wanted and name not in ids]
    absent = next((name for name in wanted if name not in data.names), None)
    if absent is not None:
        raise DataError(
            f"{path} lacks the column {absent!r} of the model{renaming_hint(absent, unused)}"
        )
    unknown = next((name for name in ids if name not in data.names), None)
    if unknown is not None:
        near = nearest(unknown, data.names)
        hint = f"did you mean {near!r}?" if near is not None else f"it has {listed(data.names)}"
        raise DataError(f"--id {unknown!r}: {path} has no such column; {hint}")
    if unused:
        note(f"columns that the model does not use: {', '.join(unused)}")


def _cells(data: DataFile, name: str) -> list[Any]:
    """The values of a column as Python writes them; None where one is missing."""
    column, values = data.columns[name], data.column(name)
    if isinstance(column, Times):
        absent = np.zeros(len(values), bool) if column.missing is None else column.missing
        return [None if gone else value_at(column, row) for row, gone in enumerate(absent)]
    if isinstance(column, np.ma.MaskedArray):
        return list(column.tolist())
    if values.dtype.kind == "M":
        texts = (str(one).removesuffix(".000000") for one in values)
        return [None if text == "NaT" else text.replace("T", " ") for text in texts]
    return [None if one != one else one for one in values.tolist()]


def answers(estimator: Any, table: Any, proba: bool) -> tuple[list[str], Iterable[list[Any]]]:
    """A header and one line for each row: the prediction, then the probability of each class."""
    found = predicted_by(estimator, table, proba)
    predictions = found.told.tolist()
    if found.shares is None:
        return ["prediction"], ([prediction] for prediction in predictions)
    classes = subject_of(estimator).labels or []
    header = ["prediction", *(f"probability of {name}" for name in classes)]
    shares = found.shares.tolist()
    return header, ([one, *parts] for one, parts in zip(predictions, shares, strict=True))


def renaming_hint(absent: str, unused: list[str]) -> str:
    """What to do about a column that the model needs and the file lacks."""
    near = nearest(absent, unused)
    return f"; rename the column {near!r} if it is the same" if near is not None else "; add it"


def wish_for(column: Column) -> Wish:
    """How a column of a model is read from a file."""
    if column.time is not None:
        return Wish("moment")
    if column.levels is None:
        return number_wish(column.notation)
    level = next(iter(column.levels), "")
    if isinstance(level, bool):
        return Wish("boolean")
    if not isinstance(level, str):
        return Wish("number")
    known = frozenset(level for level in column.levels if level in nulls.WORDS)
    return Wish("text", levels=known, is_whole=column.kind == "ordinal")
