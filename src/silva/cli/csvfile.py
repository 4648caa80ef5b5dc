"""Reading delimited text into typed columns, the same way on every machine.

The first line names the columns. A column whose known cells are all numbers becomes numbers (whole
numbers without gaps stay integers); any other column becomes text. Empty, `?`, `NA` and `NaN`
cells are missing.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import IO, Any, Literal

import numpy as np

from silva.errors import DataError

CellType = Literal["number", "text", "boolean"]

MISSING = frozenset({"", "?", "NA", "NaN", "nan"})
_BOOLEANS = {"true": True, "false": False, "yes": True, "no": False, "1": True, "0": False}
_DELIMITERS = ",;\t"
_BLOCK_ROWS = 4096
_CELL_END = "\x1f"


def read_csv(
    stream: IO[str],
    source: str,
    types: Mapping[str, CellType] | None = None,
    only: Iterable[str] | None = None,
) -> tuple[tuple[str, ...], dict[str, np.ndarray]]:
    """All names of the header, and the columns: int64, float64 (NaN) or object (str, bool, None).

    `types` fixes how named columns are read; the others are inferred. With `only`, columns that it
    does not name are skipped. `source` is what error messages call the file.
    """
    header = next(stream, "")
    delimiter = max(_DELIMITERS, key=header.count)
    names = _names(_header(header, delimiter, source), source)
    wanted = set(names if only is None else only)
    kept = [position for position, name in enumerate(names) if name in wanted]
    rows = _rows(csv.reader(stream, delimiter=delimiter, strict=True), names, source)
    blocks = _read_blocks(rows, kept, source)
    columns = {}
    for position, column_blocks in zip(kept, blocks, strict=True):
        name = names[position]
        columns[name] = _typed(_cells(column_blocks), (types or {}).get(name), name, source)
    return names, columns


def _header(line: str, delimiter: str, source: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error as error:
        raise DataError(
            f"line 1 of {source} is not delimited text ({error}); it must name the columns"
        ) from error


def _names(header: list[str], source: str) -> tuple[str, ...]:
    if not any(cell.strip() for cell in header):
        raise DataError(f"{source} is empty or has no header; its first line must name the columns")
    names = tuple(cell.strip() or f"column {place}" for place, cell in enumerate(header, start=1))
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise DataError(f"{source} names the column {repeated!r} twice; rename one of the two")
    return names


def _rows(reader: Any, names: Sequence[str], source: str) -> Iterator[list[str]]:
    """Rows that are not blank, each as wide as the header."""
    try:
        for row in reader:
            if row and len(row) != len(names):
                raise DataError(
                    f"line {reader.line_num + 1} of {source} has {len(row)} cells where the header "
                    f"names {len(names)} columns; quote cells that contain the delimiter"
                )
            if row:
                yield row
    except csv.Error as error:
        raise DataError(
            f"line {reader.line_num + 1} of {source} is not delimited text ({error}); "
            "look for a quote that is never closed"
        ) from error


def _read_blocks(rows: Iterator[list[str]], kept: list[int], source: str) -> list[list[str]]:
    """Each kept column as blocks of joined cells, so memory is that of the text, not of objects."""
    blocks: list[list[str]] = [[] for _ in kept]
    while some_rows := list(islice(rows, _BLOCK_ROWS)):
        for column_blocks, position in zip(blocks, kept, strict=True):
            block = _CELL_END.join([row[position] for row in some_rows])
            if block.count(_CELL_END) >= len(some_rows):
                raise DataError(f"{source} holds the control character U+001F; remove it")
            column_blocks.append(block)
    return blocks


def _cells(blocks: list[str]) -> list[str]:
    return [cell.strip() for block in blocks for cell in block.split(_CELL_END)]


def _typed(cells: list[str], cell_type: CellType | None, name: str, source: str) -> np.ndarray:
    if cell_type is None:
        return _inferred(cells)
    parse, expected = _READINGS[cell_type]
    try:
        return _numbers(cells) if cell_type == "number" else _objects(cells, parse)
    except ValueError:
        row, cell = _first_refused(cells, parse)
        raise DataError(
            f"column {name!r} of {source} holds {cell!r} in row {row} where the model needs "
            f"{expected}; correct the cell, or leave it empty if the value is not known"
        ) from None


def _inferred(cells: list[str]) -> np.ndarray:
    """Numbers if all known cells are; a column without a known cell is neither numbers nor text."""
    if all(cell in MISSING for cell in cells):
        return _objects(cells, str)
    try:
        return _numbers(cells)
    except ValueError:
        return _objects(cells, str)


def _numbers(cells: list[str]) -> np.ndarray:
    """Integers if every cell is one that fits, else float64; ValueError if a cell is no number."""
    if any("_" in cell for cell in cells):
        raise ValueError("Python would read 1_000 as a number; here it is text")
    try:
        return np.array([int(cell) for cell in cells], dtype=np.int64)
    except (ValueError, OverflowError):
        return np.array([_number(cell) for cell in cells], dtype=np.float64)


def _number(cell: str) -> float:
    if "_" in cell:
        raise ValueError(cell)
    return float("nan") if cell in MISSING else float(cell)


def _boolean(cell: str) -> bool:
    if cell.lower() not in _BOOLEANS:
        raise ValueError(cell)
    return _BOOLEANS[cell.lower()]


def _objects(cells: list[str], parse: Callable[[str], object]) -> np.ndarray:
    values = np.empty(len(cells), dtype=object)
    values[:] = [None if cell in MISSING else parse(cell) for cell in cells]
    return values


def _first_refused(cells: list[str], parse: Callable[[str], object]) -> tuple[int, str]:
    """The number (from 1) and text of the first known cell that `parse` refuses."""
    for row, cell in enumerate(cells, start=1):
        try:
            _ = cell in MISSING or parse(cell)
        except ValueError:
            return row, cell
    raise AssertionError("every cell can be read")


_READINGS: dict[CellType, tuple[Callable[[str], object], str]] = {
    "number": (_number, "a number"),
    "boolean": (_boolean, "yes or no"),
    "text": (str, "text"),
}
