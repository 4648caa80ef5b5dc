"""How a file of delimited text is written: guessed by DuckDB, within limits, or as told."""

from dataclasses import dataclass, replace

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
_WORDS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe", " ": "space"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """`skip` lines come before the header; lines that begin with `comment` are no records."""

    delimiter: str
    quote: str
    escape: str
    skip: int
    comment: str | None
    header: bool
    names: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """As a sentence names it."""
        parts = [f"{self._delimiter}-separated"]
        if self.delimiter == _ONE_COLUMN:
            parts = ["no delimiter in the header (--delimiter)"]
        if self.quote not in ('"', ""):
            parts.append(f"quoted by {self.quote}")
        if self.skip:
            parts.append(f"{counted(self.skip, 'comment or blank line')} before the header")
        return ", ".join(parts)

    @property
    def _delimiter(self) -> str:
        return _WORDS.get(self.delimiter, repr(self.delimiter))


def guess(connection: Connection, source: Source, path: str, options: TableOptions) -> Dialect:
    """The dialect of a file in UTF-8, with the names of its columns."""
    lines = _first_lines(source, path)
    sniffed = _sniffed(connection, path, options)
    skip = _leading(lines, options.comment or "#")
    header = _header(lines[skip:])
    delimiter = options.delimiter or _delimiter(header, sniffed[0])
    if options.comment is None and _names_begin_with_hash(lines, skip, delimiter):
        skip -= 1
    quote, escape = _quotes(options, sniffed, "".join(lines))
    dialect = Dialect(delimiter, quote, escape, skip, options.comment, not options.no_header)
    return replace(dialect, names=_names(path, dialect, source))


def _first_lines(source: Source, path: str) -> list[str]:
    with open(path, "rb") as stream:
        head = stream.read(_HEAD)
    if len(head) == _HEAD and b"\n" in head:
        head = head[: head.rindex(b"\n") + 1]
    try:
        return head.decode("utf-8-sig").splitlines(keepends=True)
    except UnicodeDecodeError:
        refuse_undecodable(source, path)
        return head.decode("utf-8-sig", "replace").splitlines(keepends=True)


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


def _leading(lines: list[str], comment: str) -> int:
    """How many lines come before the header: comments, and blank lines."""
    for number, line in enumerate(lines):
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


def _quotes(options: TableOptions, sniffed: tuple[str, str, str], head: str) -> tuple[str, str]:
    quote = options.quote
    if quote is None:
        quote = "'" if sniffed[1] == "'" and '"' not in head else '"'
    return quote, "\\" if sniffed[2] == "\\" and quote else quote


def _names(path: str, dialect: Dialect, source: Source) -> tuple[str, ...]:
    first = next(records(path, dialect, source.name), (1, [], ""))[1]
    if not any(cell.strip() for cell in first):
        raise DataError(
            f"{source.name} is empty or has no header; its first line must name the columns"
        )
    if not dialect.header:
        return tuple(f"column {place}" for place in range(1, len(first) + 1))
    names = tuple(cell.strip() or f"column {place}" for place, cell in enumerate(first, start=1))
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise DataError(f"{source.name} names the column {repeated!r} twice; rename one of the two")
    return names
