"""How columns are to be read: as an option asks for, or as a model knows them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from silva.cli.tables.fields import Loaded
from silva.cli.tables.nulls import Marks
from silva.cli.tables.options import TableOptions
from silva.cli.tables.ordered import Levels
from silva.data.notation import DecimalSign, Notation
from silva.errors import DataError
from silva.messages import nearest

Kind = Literal["number", "text", "boolean", "moment", "verbatim"]
"""How a column is read; verbatim: as texts of which no word means that a cell is missing."""


@dataclass(frozen=True, slots=True)
class Wish:
    """How a column is to be read: as an option asks for, or as a model knows it.

    `decimal` decides where cells can be read in two ways. `unit` is that of the model's numbers
    (None: any will do). `levels` are known values: no word among them means missing. If they
    are all values there are (`is_whole`), then all other words of that sort do.
    """

    kind: Kind
    decimal: DecimalSign | None = None
    unit: str | None = None
    levels: frozenset[str] = frozenset()
    is_whole: bool = False

    def left_of(self, marks: Marks) -> Marks:
        """The words that mean missing here."""
        if self.kind == "verbatim":
            return Marks()
        left = marks.without(self.levels)
        return Marks(left.words) if self.is_whole else left


def number_wish(notation: Notation | None) -> Wish:
    """Numbers that are written as those of another table."""
    if notation is None:
        return Wish("number", unit="")
    return Wish("number", notation.decimal, notation.unit)


def asked(loaded: Loaded, options: TableOptions, ordered: Mapping[str, Levels]) -> dict[str, Wish]:
    """The wishes of --ordered, --text and --number."""
    found = {
        name: Wish("text", levels=frozenset(levels), is_whole=True)
        for name, levels in ordered.items()
    }
    for option, names in (("text", options.text), ("number", options.number)):
        for name in names:
            if name not in loaded.names:
                near = nearest(name, loaded.names)
                hint = f"; did you mean {near!r}?" if near is not None else ""
                raise DataError(f"--{option} {name!r}: there is no such column{hint}")
            wish = Wish("text" if option == "text" else "number")
            if found.setdefault(name, wish).kind != wish.kind:
                other = "--ordered" if name in ordered else "--text"
                raise DataError(f"{other} and --number name the column {name!r}; give one of them")
    return found


def kind_of(sql_type: str) -> Kind:
    """The kind of a column by its DuckDB type."""
    if sql_type in ("VARCHAR", "UUID") or sql_type.startswith("ENUM"):
        return "text"
    if sql_type == "BOOLEAN":
        return "boolean"
    is_moment = sql_type.startswith(("DATE", "TIME", "INSTANT", "INTERVAL"))
    return "moment" if is_moment else "number"
