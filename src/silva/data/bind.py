"""The door: user data in, checked and typed values out. Nothing past it judges user data."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from silva.data.columns import Levels, chosen_categories, matched_columns
from silva.data.encode import (
    Encoded,
    encode_declared,
    encode_known,
    encode_new,
)
from silva.data.frames import is_sparse, open_frame, sparse_columns
from silva.data.frames.records import frame_of_records, records_of
from silva.data.leaks import warn_of_leaks
from silva.data.matrix import MatrixColumns
from silva.data.objects import numbers_of_levels
from silva.data.policies import (
    MISSING_DEFAULT,
    UNSEEN_DEFAULT,
    are_default,
    refuse_forbidden,
    refuse_missing,
    refuse_unseen,
    with_policies,
)
from silva.data.raw import Categories, Raw, dense_raw, value_at
from silva.data.schema import Column, Schema, plain_columns
from silva.data.suspects import warn_of_suspects
from silva.data.table import Table, Target
from silva.data.target import bind_classes, bind_codes, bind_numbers
from silva.errors import DataError

__all__ = [
    "bind_classes",
    "bind_codes",
    "bind_numbers",
    "bind_prediction",
    "bind_training",
    "is_plain",
    "told_already",
    "warn_of_data",
]

MOST_ROWS = 2**31 - 1
MOST_COLUMNS = 2**30 - 1
_IS_TOLD = ContextVar("_IS_TOLD", default=False)


def bind_training(
    data: Any,
    categorical_features: Any = "from_dtype",
    missing: Any = MISSING_DEFAULT,
    unseen: Any = UNSEEN_DEFAULT,
) -> Table:
    """Any supported table, its columns typed by what they hold.

    Numbers are continuous; so are dates and durations, which become numbers of units from an
    origin. Booleans and two-valued yes/no text are binary with "no" first; ordered categories are
    ordinal; other categories and text are categorical. `categorical_features`
    (a boolean mask, names or indices, or a mapping from these to the levels) makes further columns
    categorical; None instead of "from_dtype" reads categories that are numbers as those numbers.
    `missing` and `unseen` (a policy, or a mapping from columns to policies) become part of the
    schema. Memory is borrowed wherever a column already holds real numbers.

    Raises DataError for a table that cannot be used, naming the column and the way out, and
    PlanError for a policy or a policy's column that does not exist.
    """
    chooses_nothing = _chooses_nothing(categorical_features)
    if is_plain(data) and chooses_nothing:
        table = _plain_table(data)
    else:
        sparse = _sparse_table(data) if chooses_nothing else None
        table = sparse or _typed_table(data, categorical_features)
    if are_default(missing, unseen):
        return table
    table = replace(table, schema=with_policies(table.schema, missing, unseen))
    refuse_forbidden(table)
    return table


def _typed_table(data: Any, categorical_features: Any) -> Table:
    frame = open_frame(data)
    _check_size(frame.n_rows, frame.n_columns)
    names = frame.names or _stand_in_names(frame.n_columns)
    chosen = chosen_categories(categorical_features, names)
    columns, values = [], []
    for i, name in enumerate(names):
        raw = frame.read(i, name)
        if categorical_features is None:
            raw = _numbers_if_possible(raw, name)
        column, encoded = _encoded(raw, name, i, chosen)
        columns.append(column)
        values.append(encoded)
    schema = Schema(tuple(columns), named=frame.names is not None)
    return Table(schema, tuple(values), frame.n_rows)


def _encoded(raw: Raw, name: str, number: int, chosen: Mapping[int, Levels]) -> Encoded:
    if number in chosen:
        raw = dense_raw(raw)
    levels = chosen.get(number)
    if levels is not None:
        return encode_declared(raw, name, levels)
    return encode_new(raw, name, number in chosen)


def warn_of_data(table: Table, target: Target) -> None:
    """The warnings about training data that `fit` gives once, however many trees it grows.

    They tell of columns that look like identifiers, free text, or dates and numbers stored as
    text, of levels that differ only in spaces or case, and of columns that give the target away.
    """
    if not _IS_TOLD.get():
        warn_of_suspects(table)
        warn_of_leaks(table, target)


@contextmanager
def told_already() -> Iterator[None]:
    """Fits inside give none of these warnings: they see data that another fit has told of."""
    before = _IS_TOLD.set(True)
    try:
        yield
    finally:
        _IS_TOLD.reset(before)


def bind_prediction(data: Any, schema: Schema) -> Table:
    """Any supported table in the columns and coding of a trained schema; it may have no rows.

    Rows that name their columns are a table too: a dict, a list of dicts, a row of a pandas table.

    Columns are matched by name when both sides have names (order is free, extra ones are warned
    about), else by position. Categories are matched by value, whatever the container's own codes.

    Raises DataError for a column that is absent or changed its sort (text for numbers), and for a
    missing or unseen value where the column's policy is `error`.
    """
    if is_plain(data) and data.shape[1] == len(schema.columns) and schema.takes_matrix:
        return Table(schema, MatrixColumns(data), data.shape[0])
    if is_sparse(data) and data.shape[-1] == len(schema.columns) and schema.takes_matrix:
        columns = sparse_columns(data)
        if columns is not None:
            return Table(schema, columns, columns.n_rows)
    return _matched_table(data, schema)


def _matched_table(data: Any, schema: Schema) -> Table:
    records = records_of(data, schema.names)
    frame = open_frame(data) if records is None else frame_of_records(records, schema.names)
    positions = matched_columns(frame, schema)
    values = tuple(
        _known(frame.read(i, column.name), column)
        for i, column in zip(positions, schema.columns, strict=True)
    )
    return Table(schema, values, frame.n_rows)


def _known(raw: Raw, column: Column) -> Any:
    if column.kind != "continuous" or column.time is not None:
        raw = dense_raw(raw)
    values = encode_known(raw, column)
    refuse_missing(column, values)
    refuse_unseen(column, values, lambda row: value_at(raw, row))
    return values


def is_plain(data: Any) -> bool:
    """A two-dimensional array of float32 or float64 that can be used as it is."""
    return (
        type(data) is np.ndarray
        and data.dtype.char in "fd"
        and data.ndim == 2
        and data.dtype.isnative
        and data.flags.aligned
        and not data.strides[0] % data.itemsize
        and not data.strides[1] % data.itemsize
    )


def _chooses_nothing(choice: Any) -> bool:
    return choice is None or (type(choice) is str and choice == "from_dtype")


def _plain_table(data: np.ndarray) -> Table:
    n_rows, n_columns = data.shape
    _check_size(n_rows, n_columns)
    return Table(_plain_schema(n_columns), MatrixColumns(data), n_rows)


def _sparse_table(data: Any) -> Table | None:
    """The table of a sparse matrix of numbers; None for anything else."""
    if is_sparse(data) and data.ndim == 2:
        _check_size(*data.shape)
    columns = sparse_columns(data) if is_sparse(data) else None
    if columns is None:
        return None
    return Table(_plain_schema(len(columns)), columns, columns.n_rows)


@lru_cache(maxsize=16)
def _plain_schema(n_columns: int) -> Schema:
    return Schema(plain_columns(n_columns), named=False)


def _stand_in_names(n_columns: int) -> tuple[str, ...]:
    return tuple(f"x{i}" for i in range(n_columns))


def _check_size(n_rows: int, n_columns: int) -> None:
    if not n_columns:
        raise DataError(
            f"Found array with 0 feature(s) (shape=({n_rows}, 0)) while a minimum of 1 is required."
            " Give the table at least one column"
        )
    if not n_rows:
        raise DataError(
            f"Found array with 0 sample(s) (shape=(0, {n_columns})) while a minimum of 1 is "
            "required. The table has no rows: look at the filter or the file it comes from"
        )
    if n_rows > MOST_ROWS:
        raise DataError(
            f"the table has {n_rows:,} rows, training takes at most {MOST_ROWS:,}. "
            "Train on a sample of the rows"
        )
    if n_columns > MOST_COLUMNS:
        raise DataError(
            f"the table has {n_columns:,} columns, training takes at most {MOST_COLUMNS:,}. "
            "Leave out the columns that are empty, or hash names into fewer columns"
        )


def _numbers_if_possible(raw: Raw, name: str) -> Raw:
    if not isinstance(raw, Categories) or raw.ordered or not raw.levels:
        return raw
    return numbers_of_levels(raw, name) or raw
