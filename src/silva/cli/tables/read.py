"""Tables for the verbs: a file, its options and what is wanted in; columns for estimators out."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as made_by
from typing import Any

import numpy as np

from silva.cli.tables.duck import Connection, connect, literal, lock
from silva.cli.tables.fields import Field, Loaded
from silva.cli.tables.kinds import Reading, readings
from silva.cli.tables.options import TableOptions
from silva.cli.tables.query import refuse_statement, run_query
from silva.cli.tables.sheets import load_sheet
from silva.cli.tables.sources import Source, opened
from silva.cli.tables.structured import load_arrow, load_json, load_parquet, load_sqlite
from silva.cli.tables.text import load_text
from silva.cli.tables.told import notes, summary, unused, words
from silva.cli.tables.typed import fetch
from silva.cli.tables.wishes import Wish, kind_of, number_wish
from silva.cli.terminal import note
from silva.data.frames.column_table import Column, ColumnTable, as_array, taken
from silva.data.raw import Numbers
from silva.errors import DataError
from silva.messages import counted

Wanted = Mapping[str, Wish] | Sequence[Wish] | None


@dataclass(frozen=True, slots=True)
class DataFile:
    """What was read from a file. `names` are all columns that the file has.

    `kinds` are the DuckDB types of the columns that were read, `told` is what was understood.
    `missing` counts the words in each column that were read as missing.
    """

    names: tuple[str, ...]
    columns: Mapping[str, Column]
    n_rows: int
    kinds: Mapping[str, str]
    told: tuple[str, ...] = ()
    missing: Mapping[str, Counter[str]] = made_by(default_factory=dict)

    def column(self, name: str) -> np.ndarray:
        """One column as an array: numbers, or objects with None for missing ones."""
        values: np.ndarray = as_array(self._usable(name))
        return values

    def table(self, names: Sequence[str]) -> ColumnTable:
        """These columns as a table that the estimators take."""
        return ColumnTable(tuple(names), tuple(map(self._usable, names)), self.n_rows)

    def take(self, rows: np.ndarray) -> "DataFile":
        columns = {name: taken(column, rows) for name, column in self.columns.items()}
        return replace(self, columns=columns, n_rows=len(rows))

    def wanted(self, names: Iterable[str]) -> dict[str, Wish]:
        """How another file must be read to have columns of the same kinds."""
        return {name: self._wish(name) for name in names}

    def _wish(self, name: str) -> Wish:
        column, kind = self.columns[name], kind_of(self.kinds[name])
        if kind != "number":
            return Wish(kind)
        return number_wish(column.notation if isinstance(column, Numbers) else None)

    def _usable(self, name: str) -> Any:
        column = self.columns[name]
        if column is None:
            raise DataError(
                f"column {name!r} holds values of type {self.kinds[name]}, which trees cannot use; "
                "--drop it, or take it apart with --query"
            )
        return column


def read_data(
    path: str,
    options: TableOptions | None = None,
    wanted: Wanted = None,
    only: Sequence[str] | None = None,
    target: str | None = None,
) -> DataFile:
    """Read a table and say on standard error what was understood.

    Rows without a known `target` are dropped if the options say so.
    """
    data = read_table(path, options, wanted, only)
    for line in data.told:
        note(line)
    drops = options is not None and options.drop_missing_target
    if drops and target is None:
        note("ignored, because no target is read here: --drop-missing-target")
    return data if target not in data.columns else _with_target(data, str(target), drops)


def _with_target(data: DataFile, target: str, drops: bool) -> DataFile:
    """The rows with a known target if the others are dropped; says how many others there are."""
    values = data.column(target)
    missing = values == None if values.dtype.kind == "O" else values != values  # noqa: E711
    n_missing = int(np.count_nonzero(missing))
    if not n_missing:
        return data
    if not drops:
        note(f"{counted(n_missing, 'row')} without a value in {target!r} (--drop-missing-target)")
        return data
    if n_missing == data.n_rows:
        raise DataError(f"no row has a value in the column {target!r}; name another --target")
    note(f"dropped {counted(n_missing, 'row')} without a value in {target!r}")
    return data.take(np.flatnonzero(~missing))


def read_table(
    path: str,
    options: TableOptions | None = None,
    wanted: Wanted = None,
    only: Sequence[str] | None = None,
) -> DataFile:
    """Read a table of any supported format.

    `wanted` fixes how columns are read, by name or, for all columns, in order; the others are
    guessed. With `only`, other columns are not loaded.
    """
    options = options or TableOptions()
    with connect() as connection:
        if options.query is not None:
            refuse_statement(connection, options.query)
        with opened(path, options) as source:
            connection.execute(f"SET temp_directory = {literal(source.folder)}")
            loaded = _loaded(connection, source, options, only)
            lock(connection)
            data = _read(connection, source.name, loaded, options, wanted)
            return replace(data, told=(*data.told, *unused(options, source.form)))


def _loaded(
    connection: Connection, source: Source, options: TableOptions, only: Sequence[str] | None
) -> Loaded:
    kept = None if only is None or options.query is not None else frozenset(only)
    if source.form == "text":
        return load_text(connection, source, options, kept)
    if source.form == "excel":
        return load_sheet(connection, source, options, kept)
    if source.form == "sqlite":
        return load_sqlite(connection, source, options, kept)
    loaders = {"parquet": load_parquet, "json": load_json, "arrow": load_arrow}
    return loaders[source.form](connection, source, kept)


def _read(
    connection: Connection, name: str, loaded: Loaded, options: TableOptions, wanted: Wanted
) -> DataFile:
    if options.query is None:
        found = readings(connection, loaded, options, _by_name(wanted, loaded))
        return _fetched(connection, name, loaded, found)
    found = readings(connection, loaded, options, {})
    result = run_query(connection, options.query, loaded, [one.field for one in found])
    plain = replace(options, text=(), number=(), ordered=(), nulls=())
    again = readings(connection, result, plain, _by_name(wanted, result))
    return _fetched(connection, name, result, again, found)


def _by_name(wanted: Wanted, loaded: Loaded) -> Mapping[str, Wish]:
    if wanted is None or isinstance(wanted, Mapping):
        return wanted or {}
    same = len(wanted) == len(loaded.names)
    return dict(zip(loaded.names, wanted, strict=True)) if same else {}


def _fetched(
    connection: Connection,
    name: str,
    loaded: Loaded,
    found: Sequence[Reading],
    before: Sequence[Reading] = (),
) -> DataFile:
    fields: list[Field] = [one.field for one in found]
    columns = fetch(connection, loaded.relation, fields, loaded.n_rows)
    told = [summary(name, loaded, fields), *words(before or found), *notes([*before, *found])]
    return DataFile(
        loaded.names,
        {one.field.name: _noted(column, one) for one, column in zip(found, columns, strict=True)},
        loaded.n_rows,
        {one.name: one.type for one in fields},
        tuple(filter(None, told)),
        {one.field.name: one.missing for one in before or found},
    )


def _noted(column: Column, reading: Reading) -> Column:
    """The column; numbers that are not plain know how they are written."""
    if reading.notation is None or not isinstance(column, np.ndarray):
        return column
    return Numbers(column, reading.notation)
