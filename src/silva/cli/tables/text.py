"""Delimited text into DuckDB: every cell as the text that it is."""

import os
from collections.abc import Container
from dataclasses import replace

from silva.cli.tables.dialect import PLAIN, Dialect, guess
from silva.cli.tables.duck import Connection, literal, reason
from silva.cli.tables.encodings import as_utf8, refuse_undecodable
from silva.cli.tables.fields import Field, Loaded
from silva.cli.tables.lines import line_end, line_of_row, refuse_ragged, write_plain
from silva.cli.tables.many_columns import cell_of, is_wide
from silva.cli.tables.numbers import is_plain
from silva.cli.tables.options import TableOptions
from silva.cli.tables.sources import Source
from silva.errors import DataError


def load_text(
    connection: Connection, source: Source, options: TableOptions, only: Container[str] | None
) -> Loaded:
    """A relation of texts, NULL where a cell is empty; with `only`, of the columns it names."""
    path, encoding = as_utf8(source, options.encoding)
    dialect = guess(connection, source, path, options)
    told = tuple(filter(None, (dialect.words, _shown(encoding), strange_header(dialect))))
    return load_lines(connection, source, path, dialect, only, told)


def load_lines(
    connection: Connection,
    source: Source,
    path: str,
    dialect: Dialect,
    only: Container[str] | None,
    told: tuple[str, ...],
) -> Loaded:
    """A file in UTF-8 whose dialect is known."""
    names = dialect.names
    kept = [place for place, name in enumerate(names) if only is None or name in only]
    if is_wide(path, len(names)):
        cell = cell_of
        _fill_wide(connection, source, path, dialect)
    else:
        cell = "c{}".format
        _fill(connection, source, path, dialect, kept)
    return Loaded(
        "raw",
        names,
        tuple(Field(names[place], cell(place), "VARCHAR") for place in kept),
        _n_rows(connection),
        infers=True,
        delimiter=dialect.delimiter,
        told=told,
        where=lambda row: _place(path, dialect, source, row),
    )


def _fill(
    connection: Connection, source: Source, path: str, dialect: Dialect, kept: list[int]
) -> None:
    import duckdb

    try:
        ends = line_end(path)
        if ends is None or dialect.needs_copy:
            _create_from_copy(connection, source, path, dialect, kept)
        else:
            _create(connection, path, dialect, ends, kept)
            if not _n_rows(connection):
                _create_from_copy(connection, source, path, dialect, kept)
    except duckdb.OutOfMemoryException as error:
        raise MemoryError from error
    except duckdb.Error as error:
        refuse_undecodable(source, path)
        refuse_ragged(path, dialect, source.name)
        try:
            _create_from_copy(connection, source, path, dialect, kept)
        except duckdb.Error:
            raise DataError(
                f"{source.name} cannot be read as delimited text ({reason(error)}); "
                "give --delimiter and --quote, or look for a line that is too long"
            ) from error


def _fill_wide(connection: Connection, source: Source, path: str, dialect: Dialect) -> None:
    """A row is a list of cells, read from a copy that has a line for each cell."""
    refuse_undecodable(source, path)
    refuse_ragged(path, dialect, source.name)
    copy = os.path.join(source.folder, "cells")
    write_plain(path, dialect, source.name, copy, one_cell_a_line=True)
    _create(connection, copy, replace(PLAIN, names=("",)), "\n", [0])
    width = len(dialect.names)
    connection.execute(
        "CREATE OR REPLACE TABLE raw AS SELECT list(c0 ORDER BY rowid) AS cells FROM raw"
        f" GROUP BY rowid // {width} ORDER BY rowid // {width}"
    )


def _n_rows(connection: Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM raw").fetchone()[0])


def _create_from_copy(
    connection: Connection, source: Source, path: str, dialect: Dialect, kept: list[int]
) -> None:
    """Read a copy that Python wrote, whose rows are clear whatever ends and folds their lines."""
    copy = os.path.join(source.folder, "plain")
    write_plain(path, dialect, source.name, copy)
    _create(connection, copy, replace(PLAIN, names=dialect.names), "\n", kept)


def _create(
    connection: Connection, path: str, dialect: Dialect, ends: str, kept: list[int]
) -> None:
    columns = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(dialect.names)))
    cells = ", ".join(f"c{place}" for place in kept)
    new_line = {"\n": "\\n", "\r\n": "\\r\\n", "\r": "\\r"}[ends]
    connection.execute(
        f"CREATE OR REPLACE TABLE raw AS SELECT {cells or '1 AS nothing'} FROM read_csv("
        f"{literal(path)}, columns = {{{columns}}}, auto_detect = false, "
        f"delim = {literal(dialect.delimiter)}, quote = {literal(dialect.quote)}, "
        f"escape = {literal(dialect.escape)}, new_line = '{new_line}', comment = '', "
        f"skip = {dialect.skip}, header = {str(dialect.header).lower()}, compression = 'none', "
        "hive_partitioning = false)"
    )


def _shown(encoding: str) -> str:
    return encoding.upper() if encoding.startswith("utf") else encoding


def strange_header(dialect: Dialect) -> str:
    numbers = [name for name in dialect.names if is_plain(name)]
    is_strange = len(numbers) == len(dialect.names) or any("." in name for name in numbers)
    if not (dialect.header and is_strange):
        return ""
    return "the names of columns look like numbers (--no-header)"


def _place(path: str, dialect: Dialect, source: Source, row: int) -> str:
    line = line_of_row(path, dialect, source.name, row)
    place = f"row {row}, counted from 0"
    return place if line is None else f"line {line} ({place})"
