"""Columns of texts under examination: how many cells are filled, missing by a word, or numbers."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as made_by
from itertools import islice
from typing import Literal

from silva.cli.tables import nulls
from silva.cli.tables.duck import Connection, aggregates, literal
from silva.cli.tables.fields import Field, Loaded
from silva.cli.tables.numbers import POINT, Notation
from silva.cli.tables.options import TableOptions

Kind = Literal["number", "text", "boolean", "moment"]

_FIRST_ROWS, _SAMPLE = 500, 200
_SPACES = " \t\r\n\f\v\u00a0\u3000\ufeff"


@dataclass(slots=True)
class Examined:
    """A column of texts under examination; `cell` is NULL where a word says missing."""

    field: Field
    wanted: Kind | None
    n_filled: int = 0
    n_numbers: int = 0
    has_nan: bool = False
    largest: float = 0.0
    words: Counter[str] = made_by(default_factory=Counter)
    cell: str = ""
    sample: list[str] = made_by(default_factory=list)
    notation: Notation | None = None

    @property
    def n_known(self) -> int:
        return self.n_filled - self.words.total()

    @property
    def is_numeric(self) -> bool:
        return 0 < self.n_known <= self.n_numbers


def examined(
    connection: Connection, loaded: Loaded, options: TableOptions, wanted: Mapping[str, Kind]
) -> list[Examined]:
    fields = [one for one in loaded.fields if one.type == "VARCHAR"]
    words = tuple(word for word in options.nulls if word) if options.nulls else nulls.WORDS
    if not (loaded.infers or options.nulls):
        words = ()
    columns = [Examined(one, wanted.get(one.name), cell=one.sql) for one in fields]
    _sample(connection, loaded.relation, columns, words)
    _count_cells(connection, loaded.relation, columns)
    in_numbers = any(map(POINT.takes, options.nulls))
    doubtful = [one for one in columns if one.n_numbers < one.n_filled or one.has_nan or in_numbers]
    _trim(connection, loaded.relation, doubtful)
    cells = [one.cell for one in doubtful]
    hits = nulls.words_found(connection, loaded.relation, cells, words)
    for column, found in zip(doubtful, hits, strict=True):
        column.words = found
        column.cell = nulls.known(column.cell, tuple(found))
        column.n_numbers -= sum(found[word] for word in found if POINT.takes(word))
    return columns


def _sample(
    connection: Connection, relation: str, columns: Sequence[Examined], words: Sequence[str]
) -> None:
    """Give each column its first known cells."""
    if not columns:
        return
    cells = ", ".join(one.cell for one in columns)
    rows = connection.execute(f"SELECT {cells} FROM {relation} LIMIT {_FIRST_ROWS}").fetchall()
    for place, column in enumerate(columns):
        column.sample = _known((row[place] for row in rows), words)
        if not column.sample and len(rows) == _FIRST_ROWS:
            known = nulls.known(column.cell, words)
            query = f"SELECT {known} FROM {relation} WHERE {known} IS NOT NULL LIMIT {_SAMPLE}"
            column.sample = _known((row[0] for row in connection.execute(query).fetchall()), words)


def _known(cells: Iterable[str | None], words: Sequence[str]) -> list[str]:
    stripped = (cell.strip(_SPACES) for cell in cells if cell is not None)
    return list(islice((cell for cell in stripped if cell and cell not in words), _SAMPLE))


def _count_cells(connection: Connection, relation: str, columns: Sequence[Examined]) -> None:
    """Filled cells and numbers; columns whose sample has no number are not asked for them."""
    facts = [
        fact
        for one in columns
        for fact in (_facts(one.cell) if any(map(POINT.takes, one.sample)) else _filled(one.cell))
    ]
    row = aggregates(connection, relation, facts)
    for at, column in enumerate(columns):
        counts = row[4 * at : 4 * at + 4]
        column.n_filled, column.n_numbers, column.has_nan, column.largest = counts


def _filled(cell: str) -> tuple[str, ...]:
    return f"count({cell})", "0", "false", "0"


def _facts(cell: str) -> tuple[str, ...]:
    """Cells that are filled, those that are numbers, whether one is NaN, the largest size."""
    number = f"try_cast({cell} AS DOUBLE)"
    return (
        f"count({cell})",
        f"count({number})",
        f"coalesce(isnan(max({number})), false)",
        f"coalesce(max(abs({number})) FILTER (NOT isnan({number})), 0)",
    )


def _trim(connection: Connection, relation: str, columns: Sequence[Examined]) -> None:
    """Drop the spaces around cells, in those columns that have some: DuckDB's trim is slow."""
    found = aggregates(connection, relation, [_has_spaces(one.cell) for one in columns])
    trimmed = [one for one, count in zip(columns, found, strict=True) if count]
    for column in trimmed:
        column.cell = f"nullif(trim({column.cell}, {literal(_SPACES)}), '')"
    _count_cells(connection, relation, trimmed)


def _has_spaces(cell: str) -> str:
    codes = ", ".join(str(ord(sign)) for sign in _SPACES)
    return f"count_if(unicode({cell}) IN ({codes}) OR unicode(right({cell}, 1)) IN ({codes}))"
