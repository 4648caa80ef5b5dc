"""The work behind `silva predict`: a file read by the model's schema, answers as CSV."""

import csv
import warnings
from collections.abc import Iterable
from typing import Any

import click

import silva
from silva.cli.files import refuse_output, writing
from silva.cli.tables.examine import Kind
from silva.cli.tables.options import TableOptions
from silva.cli.tables.read import read_data
from silva.cli.terminal import note, working
from silva.data.frames.column_table import ColumnTable
from silva.data.names import nearest
from silva.data.schema import Column, Schema
from silva.errors import DataError


def write_answers(
    model: str, data: str, output: str | None, proba: bool, force: bool, reading: TableOptions
) -> None:
    """Load, read, predict, write."""
    refuse_output(output, force)
    estimator = silva.load(model)
    if isinstance(estimator, silva.Tree):
        raise DataError(f"{model} holds a bare tree; save its estimator to predict from here")
    if proba and not hasattr(estimator, "predict_proba"):
        name = type(estimator).__name__
        raise click.UsageError(f"--proba: {name} is a regression model, which has no classes")
    with working(f"reading {data}"):
        table = read_for(_schema(estimator), data, reading)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X has feature names", UserWarning)
        header, lines = answers(estimator, table, proba)
    with writing(output) as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(lines)
    if output not in (None, "-"):
        note(f"wrote {len(table):,} predictions to {output}")


def _schema(estimator: Any) -> Schema:
    trees = getattr(estimator, "trees_", None)
    schema: Schema = (estimator.grown_tree_ if trees is None else trees).schema
    return schema


def read_for(schema: Schema, path: str, options: TableOptions | None = None) -> ColumnTable:
    """The columns of a file that a model needs, each read as it was in training."""
    if not schema.named:
        data = read_data(path, options, [_kind(column) for column in schema.columns])
        return data.table(data.names)
    wanted = {column.name: _kind(column) for column in schema.columns}
    data = read_data(path, options, wanted, only=schema.names)
    unused = [name for name in data.names if name not in wanted]
    absent = next((name for name in wanted if name not in data.names), None)
    if absent is not None:
        raise DataError(f"{path} lacks the column {absent!r} of the model{_hint(absent, unused)}")
    if unused:
        note(f"columns that the model does not use: {', '.join(unused)}")
    return data.table(schema.names)


def answers(estimator: Any, table: Any, proba: bool) -> tuple[list[str], Iterable[list[Any]]]:
    """A header and one line for each row: the prediction, then the probability of each class."""
    predictions = estimator.predict(table).tolist()
    if not proba:
        return ["prediction"], ([prediction] for prediction in predictions)
    header = ["prediction", *(f"probability of {name}" for name in estimator.classes_)]
    shares = estimator.predict_proba(table).tolist()
    return header, ([one, *parts] for one, parts in zip(predictions, shares, strict=True))


def _hint(absent: str, unused: list[str]) -> str:
    near = nearest(absent, unused)
    return f"; rename the column {near!r} if it is the same" if near is not None else "; add it"


def _kind(column: Column) -> Kind:
    if column.time is not None:
        return "moment"
    if column.levels is None:
        return "number"
    level = next(iter(column.levels), "")
    if isinstance(level, bool):
        return "boolean"
    return "text" if isinstance(level, str) else "number"
