"""Sheets of Excel workbooks, read by openpyxl and then as any text: cells have no column types."""

import csv
import datetime
import os
import zipfile
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from silva.cli.tables.dialect import PLAIN, with_names
from silva.cli.tables.duck import Connection
from silva.cli.tables.fields import Loaded
from silva.cli.tables.options import TableOptions
from silva.cli.tables.sources import Source
from silva.cli.tables.text import load_lines, strange_header
from silva.cli.tables.unpack import LimitedFile, limit_of, too_large
from silva.errors import DataError
from silva.messages import counted, listed, nearest

_ERRORS = ("#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#N/A")
_NOT_KNOWN = "#N/A"

Cells = list[str]


def load_sheet(
    connection: Connection, source: Source, options: TableOptions, only: Container[str] | None
) -> Loaded:
    """The one sheet of a workbook that has cells, or that of --sheet."""
    if find_spec("openpyxl") is None:
        raise DataError(
            f"{source.name} is an Excel workbook, which needs openpyxl; run: pip install"
            " 'silva-trees[excel]' (or save the sheet as CSV)"
        )
    limit = _checked_size(source, options)
    copy = os.path.join(source.folder, "sheet.csv")
    with open(source.path, "rb") as stream, open(copy, "w", encoding="utf-8", newline="") as target:
        sheet = _chosen(_workbook(stream, source), source, options)
        writer = csv.writer(LimitedFile(target, source.name, limit), quoting=csv.QUOTE_ALL)
        for row in _table(sheet, source, options.skip_rows):
            writer.writerow(row)
    dialect = with_names(copy, replace(PLAIN, header=not options.no_header), source)
    told = (f"sheet {sheet.title!r}", *filter(None, [strange_header(dialect)]))
    found = load_lines(connection, source, copy, dialect, only, told)
    return replace(found, where=lambda row: f"row {row + 1} below the header")


def _checked_size(source: Source, options: TableOptions) -> int:
    """The most bytes that the workbook may unpack to; raises where it says it has more."""
    limit = limit_of(source.folder, options.max_unpacked, os.path.getsize(source.path))
    try:
        with zipfile.ZipFile(source.path) as archive:
            size = sum(member.file_size for member in archive.infolist())
    except zipfile.BadZipFile as error:
        raise _damaged(source, error) from error
    if size > limit:
        raise too_large(source.name, limit)
    return limit


def _workbook(stream: Any, source: Source) -> Any:
    from openpyxl import load_workbook

    try:
        return load_workbook(stream, read_only=True, data_only=True)
    except Exception as error:  # openpyxl raises what its parts raise: KeyError, ParseError
        raise _damaged(source, error) from error


def _damaged(source: Source, error: Exception) -> DataError:
    said = " ".join(str(error).split())[:200]
    return DataError(
        f"{source.name} cannot be read as an Excel workbook ({said}); save it again, or as CSV"
    )


def _chosen(workbook: Any, source: Source, options: TableOptions) -> Any:
    sheets = {sheet.title: sheet for sheet in workbook.worksheets}
    if options.sheet is not None and options.sheet not in sheets:
        near = nearest(options.sheet, sheets)
        hint = f"did you mean {near!r}?" if near is not None else f"it has {listed(list(sheets))}"
        raise DataError(f"--sheet {options.sheet!r}: {source.name} has no such sheet; {hint}")
    if options.sheet is not None:
        return sheets[options.sheet]
    filled = [
        sheet
        for sheet in sheets.values()
        if sheet.sheet_state == "visible" and next(_rows(sheet, source), None) is not None
    ]
    if len(filled) != 1:
        names = listed([sheet.title for sheet in filled])
        many = f"has the sheets {names}; choose one with --sheet" if filled else "has empty sheets"
        raise DataError(f"{source.name} {many}")
    return filled[0]


def _table(sheet: Any, source: Source, skip: int) -> Iterator[Cells]:
    """The header and the rows, all as wide as the header."""
    width = None
    for number, cells in _rows(sheet, source):
        if number <= skip:
            continue
        width = width or len(cells)
        if len(cells) > width:
            raise DataError(
                f"row {number} of sheet {sheet.title!r} in {source.name} has"
                f" {counted(len(cells), 'cell')} where the header has {counted(width, 'cell')};"
                " give --skip-rows if the table begins below other rows"
            )
        yield cells + [""] * (width - len(cells))


def _rows(sheet: Any, source: Source) -> Iterator[tuple[int, Cells]]:
    """Rows that are not empty, with the numbers that Excel shows, without empty last cells."""
    sheet.reset_dimensions()
    try:
        for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
            cells = _without_last_empty([_text(value) for value in row])
            if cells:
                yield number, cells
    except (zipfile.BadZipFile, KeyError, ValueError, SyntaxError) as error:
        raise _damaged(source, error) from error


def _without_last_empty(cells: Sequence[str]) -> Cells:
    filled = [place for place, cell in enumerate(cells) if cell]
    return list(cells[: filled[-1] + 1]) if filled else []


def _text(value: Any) -> str:
    """A cell as text that is read as what it is: numbers exactly, dates as ISO 8601."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime.datetime):
        is_day = value.time() == datetime.time()
        return value.date().isoformat() if is_day else value.isoformat(" ")
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return repr(value.total_seconds())
    return _NOT_KNOWN if value in _ERRORS else str(value)
