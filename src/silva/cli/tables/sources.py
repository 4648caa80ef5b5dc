"""Which file a path means: refused, spooled from standard input, unpacked, and of which format."""

import bz2
import gzip
import lzma
import os
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from silva.cli.tables.duck import connect, literal, reason
from silva.cli.tables.options import Form
from silva.errors import DataError

_EXTENSIONS: dict[str, Form] = {
    **dict.fromkeys((".csv", ".tsv", ".tab", ".txt", ".data", ".dat", ".psv"), "text"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), "json"),
    **dict.fromkeys((".sqlite", ".sqlite3", ".db", ".db3"), "sqlite"),
    **dict.fromkeys((".arrow", ".feather", ".ipc", ".arrows"), "arrow"),
}
_MAGIC: tuple[tuple[bytes, Form], ...] = (
    (b"PAR1", "parquet"),
    (b"SQLite format 3\0", "sqlite"),
    (b"ARROW1", "arrow"),
    (b"FEA1", "arrow"),
)
_SHEETS = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods")
_PACKED: dict[bytes, tuple[str, Any]] = {
    b"\x1f\x8b": ("gzip", gzip.open),
    b"BZh": ("bzip2", bz2.open),
    b"\xfd7zXZ\0": ("xz", lzma.open),
}
_ZSTD = b"\x28\xb5\x2f\xfd"
_HEAD = 4096
_DAMAGE = (gzip.BadGzipFile, EOFError, zlib.error, lzma.LZMAError, OSError)


@dataclass(frozen=True, slots=True)
class Source:
    """A plain file on this machine: `path` to read it, `name` for messages, `folder` for copies."""

    name: str
    path: str
    form: Form
    folder: str


@contextmanager
def opened(path: str, form: Form | None) -> Iterator[Source]:
    """The file behind a path as long as the block runs; raises DataError where there is none."""
    _refuse_address(path)
    name = "standard input" if path == "-" else path
    with tempfile.TemporaryDirectory(prefix="silva-") as folder:
        plain = _regular(path, folder)
        _refuse_kind(plain, name)
        plain, stem = _unpacked(plain, name, path, folder)
        head = _head(plain)
        if not head.strip():
            raise DataError(f"{name} is empty; it must hold a table")
        yield Source(name, _linked(plain, folder), form or _form(head, stem, name), folder)


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
        f"{name} is a spreadsheet, which silva does not read; run first: "
        f"libreoffice --headless --convert-to csv '{name}' (or save it as CSV)"
    )


def _head(path: str) -> bytes:
    with open(path, "rb") as stream:
        return stream.read(_HEAD)


def _regular(path: str, folder: str) -> str:
    """The file itself, or a copy of a stream, which can be read only once."""
    if path != "-" and (os.path.isfile(path) or os.path.isdir(path)):
        return path
    if path != "-":
        with open(path, "rb") as stream:
            return _copied(stream, folder)
    if sys.stdin is None:
        raise DataError("standard input is closed; give the name of a file")
    return _copied(sys.stdin.buffer, folder)


def _copied(stream: IO[bytes], folder: str) -> str:
    copy = os.path.join(folder, "input")
    with open(copy, "wb") as target:
        shutil.copyfileobj(stream, target)
    return copy


def _linked(plain: str, folder: str) -> str:
    """A plain name for the file: DuckDB takes * for a pattern and year=2024/ for a column."""
    link = os.path.join(folder, "table")
    try:
        os.symlink(os.path.abspath(plain), link)
    except OSError:  # not allowed on this system
        return plain
    return link


def _unpacked(plain: str, name: str, path: str, folder: str) -> tuple[str, str]:
    """The file without its compression, and the name without the ending of the compression."""
    head = _head(plain)
    stem = path
    if path.lower().endswith((".gz", ".bz2", ".xz", ".zst", ".zstd")):
        stem = path.rpartition(".")[0]
    found = next((packing for magic, packing in _PACKED.items() if head.startswith(magic)), None)
    copy = os.path.join(folder, "unpacked")
    if found is not None:
        _unpack(plain, name, copy, *found)
        return copy, stem
    if head.startswith(_ZSTD):
        _unpack_zstd(plain, name, copy)
        return copy, stem
    if stem != path and head:
        raise DataError(f"{name} is not a whole {Path(path).suffix} file; write it again")
    return plain, stem


def _unpack(plain: str, name: str, copy: str, packing: str, open_packed: Any) -> None:
    try:
        with open_packed(plain, "rb") as stream, open(copy, "wb") as target:
            shutil.copyfileobj(stream, target, 2**20)
    except _DAMAGE as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise DataError(
            f"{name} is not a whole {packing} file ({error}); write it again"
        ) from error


def _unpack_zstd(plain: str, name: str, copy: str) -> None:
    """Python reads zstd from 3.14 on; DuckDB does on all: lines, each a single cell."""
    import duckdb

    with connect() as connection, open(copy, "wb") as target:
        try:
            lines = connection.execute(
                f"SELECT line FROM read_csv({literal(plain)}, columns = {{'line': 'VARCHAR'}}, "
                "auto_detect = false, header = false, delim = chr(1), quote = '', escape = '', "
                "compression = 'zstd')"
            )
            while some := lines.fetchmany(10_000):
                _write_lines(target, [line for (line,) in some])
        except duckdb.Error as error:
            raise DataError(
                f"{name} is not a whole zstd file of UTF-8 text ({reason(error)}); "
                "write it again, or unpack it first: zstd -d"
            ) from error


def _write_lines(target: IO[bytes], lines: list[str | None]) -> None:
    target.writelines(f"{line or ''}\n".encode() for line in lines)


def _form(head: bytes, stem: str, name: str) -> Form:
    found = next((form for magic, form in _MAGIC if head.startswith(magic)), None)
    if found is not None:
        return found
    suffix = Path(stem).suffix.lower()
    if head.startswith(b"PK\x03\x04"):
        raise DataError(
            f"{name} is a zip archive or a spreadsheet; unpack it, or save the sheet as CSV, first"
        )
    if suffix in _EXTENSIONS:
        return _EXTENSIONS[suffix]
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    opens_json = text.startswith(b"{") or (
        text.startswith(b"[") and text[1:].lstrip().startswith(b"{")
    )
    return "json" if opens_json else "text"
