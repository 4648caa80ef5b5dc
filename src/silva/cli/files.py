"""Data files in, result files out; `-` stands for standard input and standard output."""

import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, Literal, Protocol

import narwhals as nw
import numpy as np

from silva.cli.csvfile import CellType, read_csv
from silva.errors import DataError
from silva.tree.store import target_of

_PARQUET = (".parquet", ".pq")
_BACKENDS: tuple[Literal["polars", "pyarrow", "pandas"], ...] = ("polars", "pyarrow", "pandas")


class DataFile(Protocol):
    """What was read from a file. `names` are all columns that the file has."""

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def n_rows(self) -> int: ...

    def column(self, name: str) -> np.ndarray: ...

    def table(self, names: Sequence[str]) -> Any:
        """These columns as a table that the estimators take."""

    def take(self, rows: np.ndarray) -> "DataFile": ...


@dataclass(frozen=True, slots=True)
class TextFile:
    """Delimited text: typed columns of a structured array, which needs no data frame library."""

    names: tuple[str, ...]
    rows: np.ndarray

    @property
    def n_rows(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> np.ndarray:
        return self.rows[name]

    def table(self, names: Sequence[str]) -> np.ndarray:
        return self.rows[list(names)]

    def take(self, rows: np.ndarray) -> "TextFile":
        return TextFile(self.names, self.rows[rows])


@dataclass(frozen=True, slots=True)
class ParquetFile:
    """A Parquet file in the data frame library that is installed."""

    names: tuple[str, ...]
    frame: nw.DataFrame[Any]

    @property
    def n_rows(self) -> int:
        return len(self.frame)

    def column(self, name: str) -> np.ndarray:
        return self.frame[name].to_numpy()

    def table(self, names: Sequence[str]) -> Any:
        return self.frame.select(names).to_native()

    def take(self, rows: np.ndarray) -> "ParquetFile":
        return ParquetFile(self.names, self.frame[rows.tolist(), :])


def read_data(
    path: str, types: Mapping[str, CellType] | None = None, only: Iterable[str] | None = None
) -> DataFile:
    """Read delimited text, plain or gzipped, or Parquet; arguments as in `csvfile.read_csv`."""
    if path.lower().endswith(_PARQUET):
        return _read_parquet(path)
    source = "standard input" if path == "-" else path
    try:
        with _open_text(path) as stream:
            names, columns = read_csv(stream, source, types, only)
    except UnicodeDecodeError as error:
        raise DataError(f"{source} is not UTF-8 text ({error.reason}); save it as UTF-8") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"{source} is not a whole gzip file ({error}); write it again") from error
    return TextFile(names, _structured(columns))


def refuse_output(path: str | None, force: bool) -> None:
    """Raise when the file cannot be written or is there already, before any work is done for it."""
    if path is None or path == "-":
        return
    target_of(path)
    if not force and Path(path).exists():
        raise DataError(f"{path} exists already; give --force to overwrite it, or another name")
    folder = Path(path).parent
    if not folder.is_dir():
        raise DataError(f"{path} cannot be written: there is no folder {folder}; make it first")


@contextmanager
def writing(path: str | None) -> Iterator[IO[str]]:
    """A text stream that becomes the file only when all went well; None is standard output."""
    if path is None or path == "-":
        if sys.stdout is None:
            raise DataError("standard output is closed; give the name of a file with --output")
        yield sys.stdout
        return
    target = target_of(path)
    unfinished = Path(f"{target}.{os.getpid()}.part")
    try:
        with unfinished.open("w", encoding="utf-8", newline="") as stream:
            yield stream
        unfinished.replace(target)
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error
    finally:
        unfinished.unlink(missing_ok=True)


def _open_text(path: str) -> IO[str]:
    if path == "-":
        if sys.stdin is None:
            raise DataError("standard input is closed; give the name of a file")
        return io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", newline="")
    if path.lower().endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return open(path, encoding="utf-8-sig", newline="")


def _structured(columns: Mapping[str, np.ndarray]) -> np.ndarray:
    dtype = [(name, values.dtype) for name, values in columns.items()]
    rows = np.empty(len(next(iter(columns.values()), ())), dtype=dtype)
    for name, values in columns.items():
        rows[name] = values
    return rows


def _read_parquet(path: str) -> ParquetFile:
    backend = next((name for name in _BACKENDS if find_spec(name)), None)
    if backend is None:
        raise DataError(
            f"{path} is a Parquet file, which needs polars, pyarrow or pandas; "
            "install one of them, or convert the file to CSV"
        )
    try:
        frame = nw.read_parquet(path, backend=backend)
    except (MemoryError, PermissionError, KeyboardInterrupt):
        raise
    except BaseException as error:  # each library has its own; a panic of polars is no Exception
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise DataError(
            f"{path} cannot be read as Parquet by {backend} ({reason}); write it again, or convert"
            " it to CSV"
        ) from error
    return ParquetFile(tuple(frame.columns), frame)
