"""Packed files, archives and streams as plain files, which may not fill the disk."""

import bz2
import gzip
import lzma
import os
import shutil
import zipfile
import zlib
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from silva.cli.tables.duck import connect, literal, reason
from silva.cli.tables.options import EXTENSIONS
from silva.errors import DataError
from silva.messages import listed

_PACKED: dict[bytes, tuple[str, Any]] = {
    b"\x1f\x8b": ("gzip", gzip.open),
    b"BZh": ("bzip2", bz2.open),
    b"\xfd7zXZ\0": ("xz", lzma.open),
}
_ZSTD = b"\x28\xb5\x2f\xfd"
_ZIP = b"PK\x03\x04"
_ENDINGS = (".gz", ".bz2", ".xz", ".zst", ".zstd")
_DAMAGE = (
    *(gzip.BadGzipFile, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile),
    *(NotImplementedError, OSError),
)
_BLOCK = 2**20
_SMALL, _MOST_TIMES = 10**9, 100


class LimitedFile:
    """A file that raises DataError before it grows beyond a number of bytes."""

    def __init__(self, target: IO[Any], name: str, limit: int) -> None:
        self._target, self._name, self._limit, self._size = target, name, limit, 0

    def write(self, data: Any) -> int:
        self._size += len(data)
        if self._size > self._limit:
            raise too_large(self._name, self._limit)
        return int(self._target.write(data))


def limit_of(folder: str, limit: int | None, packed_size: int | None = None) -> int:
    """How many bytes a copy may have: those that were asked for, or half of the free disk.

    A file that was packed may also have no more than 1 GB, or 100 times its packed size.
    """
    if limit is not None:
        return limit
    room = shutil.disk_usage(folder).free // 2
    return room if packed_size is None else min(room, max(_SMALL, _MOST_TIMES * packed_size))


def too_large(name: str, limit: int) -> DataError:
    return DataError(
        f"{name} unpacks to more than {_shown(limit)}; if it is that large, give --max-unpacked,"
        " such as 200G, and make room in the temporary folder (the environment variable TMPDIR)"
    )


def copied(stream: IO[bytes], copy: str, name: str, limit: int | None) -> str:
    """The path of a copy of a stream."""
    with open(copy, "wb") as target:
        most = limit_of(os.path.dirname(copy), limit)
        shutil.copyfileobj(stream, LimitedFile(target, name, most), _BLOCK)
    return copy


def unpacked(plain: str, name: str, path: str, folder: str, limit: int | None) -> tuple[str, str]:
    """The file without its compression, and the name without the ending of the compression."""
    with open(plain, "rb") as stream:
        head = stream.read(max(map(len, _PACKED)))
    is_named_packed = path.lower().endswith(_ENDINGS)
    stem = path.rpartition(".")[0] if is_named_packed else path
    copy = os.path.join(folder, "unpacked")
    most = limit_of(folder, limit, os.path.getsize(plain))
    found = next((packing for magic, packing in _PACKED.items() if head.startswith(magic)), None)
    if found is not None:
        _unpack(plain, name, copy, *found, most)
        return copy, stem
    if head.startswith(_ZSTD):
        _unpack_zstd(plain, name, copy, most)
        return copy, stem
    if head.startswith(_ZIP):
        member = _member(plain, name)
        if member is None:
            return plain, path
        inside = os.path.join(folder, "member")
        _unpack(plain, name, inside, "zip", lambda path, _: _opened_member(path, member), most)
        return unpacked(inside, f"{member} in {name}", member, folder, limit)
    if is_named_packed and head:
        raise DataError(f"{name} is not a whole {Path(path).suffix} file; write it again")
    return plain, stem


def _unpack(plain: str, name: str, copy: str, packing: str, open_packed: Any, most: int) -> None:
    try:
        with open_packed(plain, "rb") as stream, open(copy, "wb") as target:
            shutil.copyfileobj(stream, LimitedFile(target, name, most), _BLOCK)
    except _DAMAGE as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise DataError(
            f"{name} is not a whole {packing} file ({error}); write it again"
        ) from error
    except RuntimeError as error:  # zipfile's word for a password
        raise DataError(f"{name} cannot be unpacked ({error}); unpack it first") from error


def _opened_member(path: str, member: str) -> IO[bytes]:
    with ExitStack() as stack:
        archive = stack.enter_context(zipfile.ZipFile(path))
        stream = archive.open(member)
        stack.pop_all()
    return stream


def _member(plain: str, name: str) -> str | None:
    """The one file in an archive that may be a table; None for a workbook of Excel."""
    try:
        with zipfile.ZipFile(plain) as archive:
            names = [one for one in archive.namelist() if _may_be_table(one)]
    except zipfile.BadZipFile as error:
        raise DataError(f"{name} is not a whole zip file ({error}); write it again") from error
    if "xl/workbook.xml" in names:
        return None
    if len(names) != 1:
        names = [one for one in names if _is_named_as_table(one)] or names
    if len(names) != 1:
        inside = f"holds {listed(names)}" if names else "holds no file"
        raise DataError(f"{name} {inside}, and silva reads archives of one table; unpack it first")
    return names[0]


def _may_be_table(member: str) -> bool:
    parts = member.split("/")
    return bool(parts[-1]) and parts[0] != "__MACOSX" and not parts[-1].startswith(".")


def _is_named_as_table(member: str) -> bool:
    """Whether this is no remark on another file, such as README.txt."""
    name = member.lower()
    if name.endswith(_ENDINGS):
        name = name.rpartition(".")[0]
    ending = Path(name).suffix
    return ending in EXTENSIONS and ending != ".txt"


def _unpack_zstd(plain: str, name: str, copy: str, most: int) -> None:
    """Python reads zstd from 3.14 on; DuckDB does on all: lines, each a single cell."""
    import duckdb

    with connect() as connection, open(copy, "wb") as target:
        limited = LimitedFile(target, name, most)
        try:
            lines = connection.execute(
                f"SELECT line FROM read_csv({literal(plain)}, columns = {{'line': 'VARCHAR'}}, "
                "auto_detect = false, header = false, delim = chr(1), quote = '', escape = '', "
                "compression = 'zstd')"
            )
            while some := lines.fetchmany(10_000):
                for (line,) in some:
                    limited.write(f"{line or ''}\n".encode())
        except duckdb.Error as error:
            raise DataError(
                f"{name} is not a whole zstd file of UTF-8 text ({reason(error)}); "
                "write it again, or unpack it first: zstd -d"
            ) from error


def _shown(size: int) -> str:
    units = (("GB", 10**9), ("MB", 10**6))
    found = next((f"{size / step:,.1f} {unit}" for unit, step in units if size >= step), None)
    return found or f"{size:,} bytes"
