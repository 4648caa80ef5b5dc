"""Results on standard output: text for people, JSON and CSV for programs."""

import csv
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from textwrap import indent
from typing import IO, Any

import click

from silva.cli.files import writing
from silva.cli.terminal import draws_unicode
from silva.errors import DataError
from silva.messages import json_escaped, visible

Columns = Mapping[str, Sequence[Any]]


def require_output(what: str) -> None:
    """Raise where nobody can read the result, before any work is done for it."""
    if sys.stdout is None:
        raise DataError(f"standard output is closed: there is nowhere to print {what}")


def say(text: str) -> None:
    """Print text; what standard output cannot show or a terminal would obey is escaped."""
    text = visible(text)
    click.echo(text if draws_unicode() else text.encode("ascii", "backslashreplace").decode())


def say_json(value: Any) -> None:
    """Print plain values as JSON, the same values with or without these escapes."""
    click.echo(_json(value))


def say_json_list(head: Mapping[str, Any], name: str, values: Iterable[Any]) -> None:
    """Print an object whose last entry is a list, of which only one value is made at a time."""
    click.echo(f'{_json(head).removesuffix("}").rstrip()},\n  "{name}": [', nl=False)
    for number, value in enumerate(values):
        click.echo("," * (number > 0) + "\n" + indent(_json(value), "    "), nl=False)
    click.echo("\n  ]\n}")


def _json(value: Any) -> str:
    ascii_only = not draws_unicode()
    text = json.dumps(value, indent=2, ensure_ascii=ascii_only, allow_nan=False)
    return visible(text, json_escaped)


def say_document(text: str) -> None:
    """Print what belongs into a file, as it is; a terminal gets it escaped."""
    click.echo(visible(text) if _is_terminal(sys.stdout) else text)


def say_csv(columns: Columns) -> None:
    """Print columns as CSV; None is an empty cell."""
    with writing(None) as stream:
        write_csv(stream, list(columns), zip(*columns.values(), strict=True))


def write_csv(stream: IO[str], header: Sequence[str], lines: Iterable[Sequence[Any]]) -> None:
    """Write a table as CSV; a terminal gets its texts escaped, a file or a pipe as they are."""
    writer = csv.writer(stream, lineterminator="\n")
    every: Iterable[Sequence[Any]] = chain([header], lines)
    writer.writerows(map(_visible_cells, every) if _is_terminal(stream) else every)


def _visible_cells(line: Sequence[Any]) -> list[Any]:
    return [visible(one).replace("\n", "\\n") if isinstance(one, str) else one for one in line]


def _is_terminal(stream: Any) -> bool:
    return bool(stream is not None and stream.isatty())


def say_record(record: Any, style: str, columns: Callable[[], Columns] | None = None) -> None:
    """Print a record that has words, `to_dict()` and, for CSV, columns."""
    if style == "json":
        say_json(record.to_dict())
    elif style == "csv" and columns is not None:
        say_csv(columns())
    else:
        say(str(record))
