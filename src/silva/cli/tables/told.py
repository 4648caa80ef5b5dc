"""What was understood, in one line."""

from collections import Counter
from collections.abc import Sequence

from silva.cli.tables.fields import Field, Loaded
from silva.cli.tables.kinds import kind_of
from silva.cli.tables.typed import is_usable
from silva.data.names import counted


def summary(name: str, loaded: Loaded, fields: Sequence[Field]) -> str:
    """The file, its rows, the kinds of its columns and its dialect."""
    kinds = Counter(map(_kind, fields))
    of_kinds = ", ".join(f"{count} of {kind}" for kind, count in kinds.items())
    columns = counted(len(loaded.names), "column") + (f" ({of_kinds})" if of_kinds else "")
    return f"read {counted(loaded.n_rows, 'row')}, {columns} from {name}: {', '.join(loaded.told)}"


def _kind(field: Field) -> str:
    if not is_usable(field):
        return "other values"
    words = {"number": "numbers", "boolean": "booleans", "moment": "dates", "text": "text"}
    return words[kind_of(field.type)]
