"""Which file a path means: refused, spooled from standard input, unpacked, and of which format."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from silva.cli.tables.options import EXTENSIONS, Form, TableOptions
from silva.cli.tables.unpack import copied, unpacked
from silva.errors import DataError

_MAGIC: tuple[tuple[bytes, Form], ...] = (
    (b"PAR1", "parquet"),
    (b"SQLite format 3\0", "sqlite"),
    (b"ARROW1", "arrow"),
    (b"FEA1", "arrow"),
    (b"PK\x03\x04", "excel"),
)
_SHEETS = (".xls", ".xlsb", ".ods")
_HEAD = 4096


@dataclass(frozen=True, slots=True)
class Source:
    """A plain file on this machine: `path` to read it, `name` for messages, `folder` for copies."""

    name: str
    path: str
    form: Form
    folder: str


@contextmanager
def opened(path: str, options: TableOptions) -> Iterator[Source]:
    """The file behind a path as long as the block runs; raises DataError where there is none."""
    _refuse_address(path)
    name = "standard input" if path == "-" else path
    with tempfile.TemporaryDirectory(prefix="silva-") as folder:
        plain = _regular(path, name, folder, options.max_unpacked)
        _refuse_kind(plain, name)
        plain, stem = unpacked(plain, name, path, folder, options.max_unpacked)
        head = _head(plain)
        if not head.strip():
            raise DataError(f"{name} is empty; it must hold a table")
        yield Source(name, _linked(plain, folder), options.form or _form(head, stem), folder)


def _refuse_address(path: str) -> None:
    if path == "-" or "://" not in path:
        return
    scheme = path.partition("://")[0].lower()
    if scheme in ("postgres", "postgresql"):
        remedy = f"psql '{path}' -c \"\\copy (SELECT * FROM your_table) TO 'table.csv' CSV HEADER\""
    elif scheme in ("mysql", "mariadb"):
        remedy = "mysql --batch -e 'SELECT * FROM your_table' your_database > table.tsv"
    elif scheme in ("http", "https", "ftp"):
        remedy = f"curl -LO '{path}'"
    elif scheme in ("s3", "gs"):
        remedy = f"{'aws s3' if scheme == 's3' else 'gsutil'} cp '{path}' ."
    else:
        remedy = "copy the table into a file first"
    raise DataError(f"{path} is an address, and silva reads files only; run first: {remedy}")


def _refuse_kind(plain: str, name: str) -> None:
    if os.path.isdir(plain):
        raise DataError(f"{name} is a directory; give one of the files in it")
    if (
        Path(plain).suffix.lower() in _SHEETS
        or _head(plain)[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    ):
        raise DataError(_sheet(name))


def _sheet(name: str) -> str:
    return (
        f"{name} is a spreadsheet, of which silva reads .xlsx alone; run first: "
        f"libreoffice --headless --convert-to xlsx '{name}' (or save it as CSV)"
    )


def _head(path: str) -> bytes:
    with open(path, "rb") as stream:
        return stream.read(_HEAD)


def _regular(path: str, name: str, folder: str, limit: int | None) -> str:
    """The file itself, or a copy of a stream, which can be read only once."""
    if path != "-" and (os.path.isfile(path) or os.path.isdir(path)):
        return path
    copy = os.path.join(folder, "input")
    if path != "-":
        with open(path, "rb") as stream:
            return copied(stream, copy, name, limit)
    if sys.stdin is None:
        raise DataError("standard input is closed; give the name of a file")
    return copied(sys.stdin.buffer, copy, name, limit)


def _linked(plain: str, folder: str) -> str:
    """A plain name for the file: DuckDB takes * for a pattern and year=2024/ for a column."""
    link = os.path.join(folder, "table")
    try:
        os.symlink(os.path.abspath(plain), link)
    except OSError:  # not allowed on this system
        return plain
    return link


def _form(head: bytes, stem: str) -> Form:
    found = next((form for magic, form in _MAGIC if head.startswith(magic)), None)
    if found is not None:
        return found
    suffix = Path(stem).suffix.lower()
    if suffix in EXTENSIONS:
        return EXTENSIONS[suffix]
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    opens_json = text.startswith(b"{") or (
        text.startswith(b"[") and text[1:].lstrip().startswith(b"{")
    )
    return "json" if opens_json else "text"
