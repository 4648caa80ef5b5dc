"""The options of every verb that reads a table. Light: no heavy import, so that --help is quick."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])
Form = Literal["text", "parquet", "json", "sqlite", "arrow", "excel"]
FORMS: tuple[Form, ...] = ("text", "parquet", "json", "sqlite", "arrow", "excel")

EXTENSIONS: dict[str, Form] = {
    **dict.fromkeys((".csv", ".tsv", ".tab", ".txt", ".data", ".dat", ".psv"), "text"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), "json"),
    **dict.fromkeys((".sqlite", ".sqlite3", ".db", ".db3"), "sqlite"),
    **dict.fromkeys((".arrow", ".feather", ".ipc", ".arrows"), "arrow"),
    **dict.fromkeys((".xlsx", ".xlsm"), "excel"),
}
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_SPELLED = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";", "pipe": "|"}


@dataclass(frozen=True, slots=True)
class TableOptions:
    """How a table is read. None: guessed from the file, and said on standard error."""

    form: Form | None = None
    delimiter: str | None = None
    quote: str | None = None
    comment: str | None = None
    decimal: Literal[".", ","] | None = None
    encoding: str | None = None
    nulls: tuple[str, ...] = ()
    no_header: bool = False
    skip_rows: int = 0
    dates: bool = True
    date_format: str | None = None
    text: tuple[str, ...] = ()
    number: tuple[str, ...] = ()
    ordered: tuple[str, ...] = ()
    table: str | None = None
    sheet: str | None = None
    drop_missing_target: bool = False
    query: str | None = None
    max_unpacked: int | None = None


class DataPath(click.Path):
    """A table: a file, `-`, or what the reader refuses with a better sentence than click's."""

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=True, allow_dash=True)

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        return value if "://" in str(value) else super().convert(value, param, ctx)


DATA = DataPath()


def table_options(command: Command) -> Command:
    """Give a verb the options of `TableOptions`, collected in its argument `reading`."""

    @functools.wraps(command)
    def collected(*arguments: Any, **options: Any) -> Any:
        chosen = {field.name: options.pop(field.name) for field in fields(TableOptions)}
        return command(*arguments, reading=TableOptions(**chosen), **options)

    decorated: Any = collected
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]


def _one_character(_: click.Context, parameter: click.Parameter, text: str | None) -> str | None:
    if text is None:
        return None
    text = _SPELLED.get(text, text)
    if text == "none" and parameter.name == "quote":
        return ""
    if len(text) != 1 or text in "\r\n":
        raise click.BadParameter(f"{text!r} is not one character (tab is spelled tab or \\t).")
    return text


def _known_encoding(_: click.Context, __: click.Parameter, name: str | None) -> str | None:
    import codecs

    if name is None:
        return None
    try:
        return codecs.lookup(name).name
    except LookupError:
        raise click.BadParameter(
            f"{name!r} is not known to Python; known are utf-8, utf-16, latin-1, cp1252, shift_jis"
            " and others."
        ) from None


def _bytes(_: click.Context, __: click.Parameter, text: str | None) -> int | None:
    if text is None:
        return None
    number, unit = text.rstrip("bBkKmMgGtT"), text.lstrip("0123456789.").upper().rstrip("B")
    try:
        return int(float(number) * _UNITS[unit])
    except (ValueError, KeyError, OverflowError):
        raise click.BadParameter(f"{text!r} is not a size such as 500M or 20G.") from None


_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--format-in",
        "form",
        type=click.Choice(FORMS),
        help="What the file is, where its name and first bytes mislead; text is CSV and its kin.",
    ),
    click.option("--delimiter", metavar="CHAR", callback=_one_character, help="Between cells."),
    click.option(
        "--quote", metavar="CHAR", callback=_one_character, help="Around cells; none for no quotes."
    ),
    click.option(
        "--comment", metavar="CHAR", callback=_one_character, help="Skip lines that begin with it."
    ),
    click.option("--decimal", type=click.Choice([".", ","]), help="The decimal point of numbers."),
    click.option(
        "--encoding",
        metavar="NAME",
        callback=_known_encoding,
        help="The encoding of text, such as cp1252 or shift_jis; UTF-8 and BOMs need none.",
    ),
    click.option(
        "--null",
        "nulls",
        multiple=True,
        metavar="WORD|COLUMN=WORD",
        help="A word for missing cells, in place of NA, null, ? and others; or one more in a"
        " column, such as age=-999. Repeatable.",
    ),
    click.option("--no-header", is_flag=True, help="The first line is a row, not the names."),
    click.option(
        "--skip-rows",
        type=click.IntRange(min=0),
        default=0,
        metavar="N",
        help="Skip the first lines of a text, or rows of a sheet, before the header.",
    ),
    click.option(
        "--dates/--no-dates", default=True, help="Whether texts that are dates become dates."
    ),
    click.option(
        "--date-format", metavar="FORMAT", help="How dates are written, such as %d/%m/%Y."
    ),
    click.option("--text", multiple=True, metavar="COLUMN", help="Read as text; repeatable."),
    click.option("--number", multiple=True, metavar="COLUMN", help="Read as numbers; repeatable."),
    click.option(
        "--ordered",
        multiple=True,
        metavar="COLUMN=LEVELS",
        help="Levels with an order, lowest first, such as size=S,M,L; repeatable.",
    ),
    click.option("--table", metavar="NAME", help="The table of a SQLite file that has several."),
    click.option("--sheet", metavar="NAME", help="The sheet of a workbook that has several."),
    click.option(
        "--drop-missing-target", is_flag=True, help="Drop the rows without a known target."
    ),
    click.option(
        "--query",
        metavar="SQL",
        help="One SELECT over the table, which it calls data, in its place.",
    ),
    click.option(
        "--max-unpacked",
        metavar="SIZE",
        callback=_bytes,
        help="The largest size, such as 20G, that a packed file or a pipe may have on the disk;"
        " otherwise half of the free disk, and 100 times the packed file (1 GB for small ones).",
    ),
)
