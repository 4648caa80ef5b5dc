"""Delimited text record by record, with the lines as an editor counts them.

DuckDB reads the tables; this slow second reader says where something is wrong.
"""

import csv
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from silva.errors import DataError
from silva.messages import counted

if TYPE_CHECKING:
    from silva.cli.tables.dialect import Dialect

_LONGEST_CELL = 2**31 - 1
_BLOCK = 2**20


class _Lines:
    """The lines of a file for a CSV reader; knows which of them the latest record took."""

    def __init__(self, stream: Any, skip: int, comment: str | None) -> None:
        self.number = 0
        self.taken: list[str] = []
        self._stream, self._skip, self._comment = stream, skip, comment

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        for line in self._stream:
            self.number += 1
            is_first = not self.taken
            if is_first and (self.number <= self._skip or self._is_comment(line)):
                continue
            self.taken.append(line)
            return str(line)
        raise StopIteration

    def _is_comment(self, line: str) -> bool:
        return self._comment is not None and line.startswith(self._comment)


def records(path: str, dialect: "Dialect", source: str) -> Iterator[tuple[int, list[str], str]]:
    """Line, cells and text of each record that is not blank, the header first."""
    limit = csv.field_size_limit(_LONGEST_CELL)
    try:
        with open(path, encoding="utf-8-sig", newline="") as stream:
            lines = _Lines(stream, dialect.skip, dialect.comment)
            reader = csv.reader(lines, **_python_dialect(dialect))
            yield from _records(lines, reader, source)
    finally:
        csv.field_size_limit(limit)


def _records(lines: _Lines, reader: Any, source: str) -> Iterator[tuple[int, list[str], str]]:
    while True:
        lines.taken = []
        try:
            cells = next(reader, None)
        except csv.Error as error:
            first = lines.number - len(lines.taken) + 1
            raise DataError(
                f"line {first} of {source} is not delimited text ({error}); "
                "look for a quote that is never closed, or give --quote none"
            ) from error
        if cells is None:
            return
        if cells:
            yield lines.number - len(lines.taken) + 1, cells, "".join(lines.taken)


def refuse_ragged(path: str, dialect: "Dialect", source: str) -> None:
    """Raise for the first record that is not as wide as the header, or not delimited text."""
    expected = len(dialect.names)
    for line, cells, _ in records(path, dialect, source):
        if len(cells) != expected and not (len(cells) == expected + 1 and cells[-1] == ""):
            wide = "where the header names" if dialect.header else "where the first line has"
            raise DataError(
                f"line {line} of {source} has {counted(len(cells), 'cell')} {wide} "
                f"{counted(expected, 'column')}; quote cells that contain the delimiter "
                f"{dialect.delimiter!r}, or give another --delimiter"
            )


def line_of_row(path: str, dialect: "Dialect", source: str, row: int) -> int | None:
    """The line on which a row (from 0) begins."""
    at = row + dialect.header
    found = next(islice(records(path, dialect, source), at, None), None)
    return None if found is None else found[0]


def write_plain(
    path: str, dialect: "Dialect", source: str, copy: str, one_cell_a_line: bool = False
) -> None:
    """The rows alone: comma-separated, every cell in quotes, one kind of line end."""
    width = len(dialect.names)
    with open(copy, "w", encoding="utf-8", newline="") as target:
        writer = csv.writer(target, lineterminator="\n", quoting=csv.QUOTE_ALL)
        for _, cells, _ in islice(records(path, dialect, source), dialect.header, None):
            row = cells[:width] if cells[width:] == [""] else cells
            writer.writerows(zip(row) if one_cell_a_line else [row])


def line_end(path: str) -> str | None:
    """What ends the lines of a file; None where lines may end in several ways."""
    with open(path, "rb") as stream:
        n_returns = n_feeds = n_both = 0
        while block := stream.read(_BLOCK):
            if block.endswith(b"\r"):
                block += stream.read(1)
            n_returns += block.count(b"\r")
            n_feeds += block.count(b"\n")
            n_both += block.count(b"\r\n")
    if not n_returns:
        return "\n"
    if not n_feeds:
        return "\r"
    return "\r\n" if n_returns == n_feeds == n_both else None


def _python_dialect(dialect: "Dialect") -> dict[str, Any]:
    choices: dict[str, Any] = {"delimiter": dialect.delimiter, "strict": True}
    choices["skipinitialspace"] = dialect.delimiter not in " \t"
    if not dialect.quote:
        return choices | {"quoting": csv.QUOTE_NONE}
    if dialect.escape != dialect.quote:
        choices |= {"escapechar": dialect.escape, "doublequote": False}
    return choices | {"quotechar": dialect.quote}
