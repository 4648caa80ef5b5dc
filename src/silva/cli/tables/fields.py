"""What was loaded into DuckDB: a relation, its columns, and how to speak of its rows."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from silva.cli.tables.duck import literal


@dataclass(frozen=True, slots=True)
class Field:
    """A column: its name for people, its SQL expression over the relation, its DuckDB type."""

    name: str
    sql: str
    type: str


def in_order(name: str, sql: str, levels: Iterable[str]) -> Field:
    """A column of texts as one whose levels have an order; NULL where a text is none of them."""
    kind = f"ENUM({', '.join(map(literal, levels))})"
    return Field(name, f"try_cast({sql} AS {kind})", kind)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A relation of DuckDB. `names` are all columns of the file, `fields` those that were loaded.

    `infers` says whether texts may be numbers: so in delimited text, where nothing has a type.
    `has_dates` says whether they may be dates, or numbers with a unit.
    `delimiter` is that of delimited text. `where` names a row (counted from 0) in messages.
    """

    relation: str
    names: tuple[str, ...]
    fields: tuple[Field, ...]
    n_rows: int
    infers: bool = False
    has_dates: bool = True
    delimiter: str = ""
    told: tuple[str, ...] = ()
    where: Callable[[int], str] = field(default=lambda row: f"row {row}, counted from 0")
