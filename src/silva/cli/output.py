"""Results on standard output: text for people, JSON and CSV for programs."""

import csv
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from silva.cli.files import writing
from silva.cli.terminal import draws_unicode
from silva.errors import DataError

Columns = Mapping[str, Sequence[Any]]


def require_output(what: str) -> None:
    """Raise where nobody can read the result, before any work is done for it."""
    if sys.stdout is None:
        raise DataError(f"standard output is closed: there is nowhere to print {what}")


def say(text: str) -> None:
    """Print text; characters that standard output cannot show are escaped."""
    click.echo(text if draws_unicode() else text.encode("ascii", "backslashreplace").decode())


def say_json(value: Any) -> None:
    """Print plain values as JSON."""
    ascii_only = not draws_unicode()
    click.echo(json.dumps(value, indent=2, ensure_ascii=ascii_only, allow_nan=False))


def say_csv(columns: Columns) -> None:
    """Print columns as CSV; None is an empty cell."""
    with writing(None) as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def say_record(record: Any, style: str, columns: Callable[[], Columns] | None = None) -> None:
    """Print a record that has words, `to_dict()` and, for CSV, columns."""
    if style == "json":
        say_json(record.to_dict())
    elif style == "csv" and columns is not None:
        say_csv(columns())
    else:
        say(str(record))
