"""What was understood, in few lines."""

from collections import Counter
from collections.abc import Sequence

from silva.cli.tables import nulls
from silva.cli.tables.fields import Field, Loaded
from silva.cli.tables.kinds import Reading
from silva.cli.tables.options import Form, TableOptions
from silva.cli.tables.typed import is_usable
from silva.cli.tables.wishes import kind_of
from silva.messages import counted, first_of

_OF_TEXT = ("delimiter", "quote", "comment", "encoding")
_OF_LINES = ("no_header", "skip_rows")
_MOST_COLUMNS = 4
_MOST_NOTES = 6


def summary(name: str, loaded: Loaded, fields: Sequence[Field]) -> str:
    """The file, its rows, the kinds of its columns and its dialect."""
    kinds = Counter(map(_kind, fields))
    of_kinds = ", ".join(f"{count} of {kind}" for kind, count in kinds.items())
    columns = counted(len(loaded.names), "column") + (f" ({of_kinds})" if of_kinds else "")
    return f"read {counted(loaded.n_rows, 'row')}, {columns} from {name}: {', '.join(loaded.told)}"


def unused(options: TableOptions, form: Form) -> list[str]:
    """The options that were given though they mean nothing for this kind of file."""
    names = [] if form == "text" else [*_OF_TEXT]
    names += [] if form in ("text", "excel") else [*_OF_LINES]
    names += [] if form == "sqlite" else ["table"]
    names += [] if form == "excel" else ["sheet"]
    names = [name for name in names if getattr(options, name) not in (None, 0, False)]
    flags = ", ".join(f"--{name.replace('_', '-')}" for name in names)
    return [f"ignored, because the file is {form}: {flags}"] if names else []


def words(readings: Sequence[Reading]) -> list[str]:
    """Which words were read as missing, and which would be in columns of numbers."""
    missing = {one.field.name: one.missing for one in readings}
    kept = {one.field.name: one.kept for one in readings}
    return [nulls.told(missing), nulls.told_levels(kept)]


def notes(readings: Sequence[Reading]) -> list[str]:
    """What there is to tell of the columns, once for all columns that it is true of."""
    names: dict[str, list[str]] = {}
    for one in readings:
        if one.told:
            names.setdefault(one.told, []).append(repr(one.field.name))
    told = [
        text.replace("{}", first_of(columns[:_MOST_COLUMNS], len(columns)), 1)
        for text, columns in names.items()
    ]
    more = len(told) - _MOST_NOTES
    return told if more <= 0 else [*told[:_MOST_NOTES], f"and {counted(more, 'more note')}"]


def _kind(field: Field) -> str:
    if not is_usable(field):
        return "other values"
    if field.type.startswith("ENUM"):
        return "ordered levels"
    words = {"number": "numbers", "boolean": "booleans", "moment": "dates", "text": "text"}
    return words[kind_of(field.type)]
