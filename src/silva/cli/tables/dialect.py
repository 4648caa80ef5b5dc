"""How a file of delimited text is written: guessed by DuckDB, within limits, or as told."""

import os
import re
from collections import Counter
from dataclasses import dataclass, replace
from io import StringIO
from itertools import islice

from silva.cli.tables.duck import Connection, literal
from silva.cli.tables.encodings import refuse_undecodable
from silva.cli.tables.lines import records
from silva.cli.tables.options import TableOptions
from silva.cli.tables.sources import Source
from silva.errors import DataError
from silva.messages import counted

_DELIMITERS = ",;\t|"
_ONE_COLUMN = "\x1f"
_HEAD = 2**18
_FIRST_RECORDS = 1000
_WIDE, _FEW = 500, 50
_WORDS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe", " ": "space"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """`skip` lines come before the header; lines that begin with `comment` are no records.

    `folded` says whether the header has line breaks inside its quotes.
    """

    delimiter: str
    quote: str
    escape: str
    skip: int
    comment: str | None
    header: bool
    names: tuple[str, ...] = ()
    folded: bool = False

    @property
    def needs_copy(self) -> bool:
        """Whether DuckDB might take other lines for the rows than an editor does."""
        return self.comment is not None or self.folded or len(self.names) == 1

    @property
    def words(self) -> str:
        """As a sentence names it."""
        parts = [f"{self._delimiter}-separated"]
        if self.delimiter == _ONE_COLUMN:
            parts = ["no delimiter in the header (--delimiter)"]
        if self.quote not in ('"', ""):
            parts.append(f"quoted by {self.quote}")
        if self.skip:
            parts.append(f"{counted(self.skip, 'line')} before the header skipped")
        return ", ".join(parts)

    @property
    def _delimiter(self) -> str:
        return _WORDS.get(self.delimiter, repr(self.delimiter))


PLAIN = Dialect(",", '"', '"', 0, None, header=False)
"""The dialect of copies."""


def guess(connection: Connection, source: Source, path: str, options: TableOptions) -> Dialect:
    """The dialect of a file in UTF-8, with the names of its columns."""
    lines = _first_lines(source, path)
    declared = _declared_delimiter(lines)
    first = max(options.skip_rows, 1 if declared else 0)
    skip = _leading(lines, options.comment or "#", first)
    header = _header(lines[skip:])
    sniffed = _sniffed(connection, _excerpt(source, path, header, lines, skip, first), options)
    delimiter = options.delimiter or declared or _delimiter(header, sniffed[0])
    if options.comment is None and _names_begin_with_hash(lines[first:], skip - first, delimiter):
        skip -= 1
    quote = _quote(options, sniffed[1], "".join(lines))
    dialect = Dialect(delimiter, quote, quote, skip, options.comment, not options.no_header)
    if quote and sniffed[2] == "\\" and not _doubles_quotes(path, dialect, source):
        dialect = replace(dialect, escape="\\")
    return with_names(path, dialect, source)


def with_names(path: str, dialect: Dialect, source: Source) -> Dialect:
    """The dialect with the names of the columns, which the first record of the file gives."""
    names, folded = _names(path, dialect, source)
    return replace(dialect, names=names, folded=folded)


def _first_lines(source: Source, path: str) -> list[str]:
    with open(path, "rb") as stream:
        head = stream.read(_HEAD)
    if len(head) == _HEAD and b"\n" in head:
        head = head[: head.rindex(b"\n") + 1]
    try:
        return _lines_of(head.decode("utf-8-sig"))
    except UnicodeDecodeError:
        refuse_undecodable(source, path)
        return _lines_of(head.decode("utf-8-sig", "replace"))


def _lines_of(text: str) -> list[str]:
    """The lines as the reader of records sees them: str.splitlines knows further line breaks."""
    return list(StringIO(text, newline=""))


def _declared_delimiter(lines: list[str]) -> str | None:
    """That of a first line such as sep=; which Excel reads and writes."""
    found = re.fullmatch(r'"?sep=(.)"?', lines[0].rstrip("\r\n"), re.IGNORECASE) if lines else None
    return found[1] if found else None


def _excerpt(
    source: Source, path: str, header: str, lines: list[str], skip: int, first: int
) -> str:
    """What DuckDB guesses from: of wide files the first cells, as it would take long for all."""
    delimiter = max(_DELIMITERS, key=header.count)
    is_wide = header.count(delimiter) >= _WIDE
    if not (first or is_wide):
        return path
    copy = os.path.join(source.folder, "excerpt")
    with open(copy, "w", encoding="utf-8", newline="") as target:
        for line in lines[skip:]:
            cut = delimiter.join(line.split(delimiter, _FEW)[:_FEW]).rstrip("\r\n") + "\n"
            target.write(cut if is_wide else line)
    return copy


def _sniffed(connection: Connection, path: str, options: TableOptions) -> tuple[str, str, str]:
    """DuckDB's guess of delimiter, quote and escape; empty where it has none."""
    import duckdb

    known = f", delim = {literal(options.delimiter)}" if options.delimiter else ""
    query = f"SELECT Delimiter, Quote, Escape FROM sniff_csv({literal(path)}{known})"
    try:
        found = connection.execute(query).fetchone()
    except duckdb.Error:  # a ragged file has no guess; the reader says what is wrong with it
        return "", "", ""
    delimiter, quote, escape = ("" if one in (None, "(empty)") else str(one) for one in found)
    return delimiter, quote, escape


def _leading(lines: list[str], comment: str, first: int) -> int:
    """How many lines come before the header: comments, and blank lines, from `first` on."""
    for number, line in islice(enumerate(lines), first, None):
        if line.strip() and not line.startswith(comment):
            return number
    return len(lines)


def _header(lines: list[str]) -> str:
    """The first line, and those that it continues on inside quotes."""
    text = ""
    for line in lines:
        text += line
        if not text.count('"') % 2:
            return text
    return "".join(lines[:1])


def _names_begin_with_hash(lines: list[str], skip: int, delimiter: str) -> bool:
    """Whether the last comment is a header such as #id,name: as wide as the first row."""
    if not 0 < skip < len(lines):
        return False
    last = lines[skip - 1]
    width = last.count(delimiter)
    earlier = any(delimiter in line for line in lines[: skip - 1])
    return last.startswith("#") and 0 < width == lines[skip].count(delimiter) and not earlier


def _delimiter(header: str, sniffed: str) -> str:
    """DuckDB's guess if the header has it, else what the header has most of."""
    if sniffed and sniffed in header:
        return sniffed
    best = max(_DELIMITERS, key=header.count)
    return best if best in header else _ONE_COLUMN


def _quote(options: TableOptions, sniffed: str, head: str) -> str:
    if options.quote is not None:
        return options.quote
    return "'" if sniffed == "'" and '"' not in head else '"'


def _doubles_quotes(path: str, dialect: Dialect, source: Source) -> bool:
    """Whether the first records are as wide as the header if quotes in cells stand twice."""
    first = islice(records(path, dialect, source.name), _FIRST_RECORDS)
    try:
        return len({len(cells) for _, cells, _ in first}) == 1
    except DataError:
        return False


def _names(path: str, dialect: Dialect, source: Source) -> tuple[tuple[str, ...], bool]:
    """The names of the columns, and whether their record takes several lines."""
    _, first, text = next(records(path, dialect, source.name), (1, [], ""))
    if not any(cell.strip() for cell in first):
        raise DataError(
            f"{source.name} is empty or has no header; its first line must name the columns"
        )
    folded = len(_lines_of(text)) > 1
    if not dialect.header:
        return tuple(f"column {place}" for place in range(1, len(first) + 1)), folded
    names = tuple(cell.strip() or f"column {place}" for place, cell in enumerate(first, start=1))
    repeated = next((name for name, count in Counter(names).items() if count > 1), None)
    if repeated is not None:
        raise DataError(f"{source.name} names the column {repeated!r} twice; rename one of the two")
    return names, folded
