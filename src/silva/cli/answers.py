"""The work behind `silva predict`: a file read by the model's schema, answers as CSV."""

import warnings
from collections.abc import Iterable
from typing import Any

import click

import silva
from silva.cli.files import refuse_output, writing
from silva.cli.output import write_csv
from silva.cli.tables import nulls
from silva.cli.tables.options import TableOptions
from silva.cli.tables.read import read_data
from silva.cli.tables.wishes import Wish, number_wish
from silva.cli.terminal import note, working
from silva.data.frames.column_table import ColumnTable
from silva.data.schema import Column, Schema
from silva.errors import DataError
from silva.inspect.predicted import Predicted, predicted
from silva.inspect.subject import subject_of
from silva.messages import nearest

Wishes = dict[str, Wish]
"""How columns are read, by name."""


def write_answers(
    model: str, data: str, output: str | None, proba: bool, force: bool, reading: TableOptions
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
        table = read_for(subject.schema, data, reading)
    header, lines = answers(estimator, table, proba)
    with writing(output) as stream:
        write_csv(stream, header, lines)
    if output not in (None, "-"):
        note(f"wrote {len(table):,} predictions to {output}")


def predicted_by(model: Any, table: Any, with_shares: bool = True) -> Predicted:
    """Predictions of a saved model, which may have been fitted without column names."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X has feature names", UserWarning)
        return predicted(model, table, with_shares)


def read_for(schema: Schema, path: str, options: TableOptions | None = None) -> ColumnTable:
    """The columns of a file that a model needs, each read as it was in training."""
    if not schema.named:
        data = read_data(path, options, [wish_for(column) for column in schema.columns])
        return data.table(data.names)
    wanted = {column.name: wish_for(column) for column in schema.columns}
    data = read_data(path, options, wanted, only=schema.names)
    unused = [name for name in data.names if name not in wanted]
    absent = next((name for name in wanted if name not in data.names), None)
    if absent is not None:
        raise DataError(
            f"{path} lacks the column {absent!r} of the model{renaming_hint(absent, unused)}"
        )
    if unused:
        note(f"columns that the model does not use: {', '.join(unused)}")
    return data.table(schema.names)


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
    return Wish("text", levels=frozenset(level for level in column.levels if level in nulls.WORDS))
