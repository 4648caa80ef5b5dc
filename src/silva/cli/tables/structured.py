"""Files whose columns have types: Parquet, JSON, SQLite and Arrow, loaded into DuckDB."""

import csv
import os
import sqlite3
from collections.abc import Container
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from silva.cli.tables.duck import Connection, finished, identifier, literal, reason
from silva.cli.tables.fields import Field, Loaded, in_order
from silva.cli.tables.options import TableOptions
from silva.cli.tables.sources import Source
from silva.cli.tables.unpack import LimitedFile, limit_of
from silva.errors import DataError
from silva.messages import listed, nearest

_MOMENTS = ("DATE", "TIMESTAMP", "TIME")
_NULL = "\x1e"
_STORED = {
    frozenset(): "VARCHAR",
    frozenset({"integer"}): "BIGINT",
    frozenset({"real"}): "DOUBLE",
    frozenset({"integer", "real"}): "DOUBLE",
}


def load_parquet(connection: Connection, source: Source, only: Container[str] | None) -> Loaded:
    scan = f"read_parquet({literal(source.path)}, hive_partitioning = false)"
    return _loaded(connection, source, scan, only, "Parquet", has_dates=False)


def load_json(connection: Connection, source: Source, only: Container[str] | None) -> Loaded:
    """JSON and JSON lines. Dates are read by our own rules; values of several types are text."""
    path = literal(source.path)
    found = _described(
        connection,
        source,
        f"read_json({path}, sample_size = -1, hive_partitioning = false)",
        "JSON",
    )
    if [name for name, _ in found] == ["json"]:
        raise DataError(
            f"{source.name} holds no JSON objects; give a list of objects, or one object a line"
        )
    types = ", ".join(
        f"{literal(name)}: {literal('VARCHAR' if kind in _MOMENTS else kind)}"
        for name, kind in found
    )
    scan = f"read_json({path}, columns = {{{types}}}, hive_partitioning = false)"
    return _loaded(connection, source, scan, only, "JSON")


def load_arrow(connection: Connection, source: Source, only: Container[str] | None) -> Loaded:
    if find_spec("pyarrow") is None:
        raise DataError(
            f"{source.name} is an Arrow file, which needs pyarrow; run: pip install pyarrow"
        )
    import pyarrow as pa

    try:
        with pa.memory_map(source.path) as stream:
            table = _arrow_table(pa, stream)
    except (pa.ArrowException, OSError) as error:
        raise DataError(
            f"{source.name} cannot be read as Arrow ({str(error)[:200]}); write it again"
        ) from error
    connection.register("arrow_table", table)
    loaded = _loaded(connection, source, "arrow_table", only, "Arrow", has_dates=False)
    levels = {name: _ordered_levels(pa, table, name) for name in loaded.names}
    fields = tuple(
        in_order(one.name, one.sql, levels[one.name]) if levels[one.name] else one
        for one in loaded.fields
    )
    return replace(loaded, fields=fields)


def _ordered_levels(pa: Any, table: Any, name: str) -> list[str]:
    """The levels of an ordered dictionary of texts: DuckDB reads it as texts."""
    kind = table.schema.field(name).type
    if not (pa.types.is_dictionary(kind) and kind.ordered and table.num_rows):
        return []
    levels = table.column(name).unify_dictionaries().chunk(0).dictionary.to_pylist()
    are_texts = all(isinstance(level, str) for level in levels)
    return levels if are_texts and len(set(levels)) == len(levels) else []


def _arrow_table(pa: Any, stream: Any) -> Any:
    try:
        return pa.ipc.open_file(stream).read_all()
    except pa.ArrowInvalid:
        stream.seek(0)
        return pa.ipc.open_stream(stream).read_all()


def load_sqlite(
    connection: Connection, source: Source, options: TableOptions, only: Container[str] | None
) -> Loaded:
    """One table by Python's sqlite3: DuckDB's own reader would be a download."""
    copy = os.path.join(source.folder, "sqlite.csv")
    try:
        with ThreadPoolExecutor(1) as beside, closing(_open_sqlite(source.path)) as database:
            work = beside.submit(_copy_sqlite, database, source, options, copy)
            columns = finished(work, database.interrupt)
    except sqlite3.Error as error:
        raise DataError(
            f"{source.name} cannot be read as SQLite ({error}); write it again"
        ) from error
    types = ", ".join(f"{literal(name)}: '{kind}'" for name, kind in columns)
    scan = (
        f"read_csv({literal(copy)}, columns = {{{types}}}, auto_detect = false, header = false,"
        f" delim = ',', quote = '\"', escape = '\"', nullstr = {literal(_NULL)}, new_line = '\\n')"
    )
    return _loaded(connection, source, scan, only, "SQLite")


def _copy_sqlite(
    database: sqlite3.Connection, source: Source, options: TableOptions, copy: str
) -> list[tuple[str, str]]:
    """Write the rows of the chosen table; its columns, each with its DuckDB type."""
    table = _sqlite_table(database, source, options)
    columns = _sqlite_columns(database, table)
    with open(copy, "w", encoding="utf-8", newline="") as stream:
        limit = limit_of(source.folder, options.max_unpacked)
        _write_sqlite(database, table, columns, LimitedFile(stream, source.name, limit))
    return columns


def _open_sqlite(path: str) -> sqlite3.Connection:
    address = f"file:{_quoted(path)}?mode=ro"
    return sqlite3.connect(address, uri=True, check_same_thread=False)


def _quoted(path: str) -> str:
    from urllib.parse import quote

    return quote(os.path.abspath(path))


def _sqlite_table(database: sqlite3.Connection, source: Source, options: TableOptions) -> str:
    query = (
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
        " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
    )
    names = [name for (name,) in database.execute(query)]
    if options.table in names:
        return str(options.table)
    if options.table is not None:
        near = nearest(options.table, names)
        hint = f"did you mean {near!r}?" if near is not None else f"it has {listed(names)}"
        raise DataError(f"--table {options.table!r}: {source.name} has no such table; {hint}")
    if len(names) != 1:
        many = (
            f"has the tables {listed(names)}; choose one with --table" if names else "has no table"
        )
        raise DataError(f"{source.name} {many}")
    return str(names[0])


def _sqlite_columns(database: sqlite3.Connection, table: str) -> list[tuple[str, str]]:
    """Names and DuckDB types; SQLite types values, not columns, so all of them are asked."""
    cursor = database.execute(f"SELECT * FROM {identifier(table)} LIMIT 0")
    columns = []
    for name, *_ in cursor.description:
        query = f"SELECT DISTINCT typeof({identifier(name)}) FROM {identifier(table)}"
        kinds = frozenset(kind for (kind,) in database.execute(query)) - {"null"}
        columns.append((name, "BLOB" if "blob" in kinds else _STORED.get(kinds, "VARCHAR")))
    return columns


def _write_sqlite(
    database: sqlite3.Connection, table: str, columns: list[tuple[str, str]], target: LimitedFile
) -> None:
    cells = ", ".join(
        f"'{_NULL}'" if kind == "BLOB" else f"coalesce({identifier(name)}, '{_NULL}')"
        for name, kind in columns
    )
    writer = csv.writer(target, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    for row in database.execute(f"SELECT {cells} FROM {identifier(table)}"):
        writer.writerow(row)


def _loaded(
    connection: Connection,
    source: Source,
    scan: str,
    only: Container[str] | None,
    words: str,
    has_dates: bool = True,
) -> Loaded:
    found = _described(connection, source, scan, words)
    kept = [(name, kind) for name, kind in found if only is None or name in only]
    cells = ", ".join(
        f"({identifier(name)} ->> '$') AS {identifier(name)}"
        if kind == "JSON"
        else identifier(name)
        for name, kind in kept
    )
    statement = f"CREATE TABLE raw AS SELECT {cells or '1 AS nothing'} FROM {scan}"
    _run(connection, source, statement, words)
    fields = [
        Field(name, identifier(name), "VARCHAR" if kind == "JSON" else kind) for name, kind in kept
    ]
    n_rows = connection.execute("SELECT count(*) FROM raw").fetchone()[0]
    names = tuple(name for name, _ in found)
    return Loaded("raw", names, tuple(fields), n_rows, has_dates=has_dates, told=(words,))


def _described(
    connection: Connection, source: Source, scan: str, words: str
) -> list[tuple[str, str]]:
    rows = _run(connection, source, f"DESCRIBE SELECT * FROM {scan}", words).fetchall()
    return [(str(row[0]), str(row[1])) for row in rows]


def _run(connection: Connection, source: Source, statement: str, words: str) -> Any:
    import duckdb

    try:
        return connection.execute(statement)
    except duckdb.OutOfMemoryException as error:
        raise MemoryError from error
    except duckdb.Error as error:
        said = reason(error).replace(source.path, source.name)
        raise DataError(
            f"{source.name} cannot be read as {words} ({said}); write it again, or convert"
            " it to CSV"
        ) from error
