"""Columns of texts under examination: how many cells are filled, missing by a word, or numbers."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as made_by
from itertools import islice

from silva.cli.tables import nulls
from silva.cli.tables.duck import Connection, literal
from silva.cli.tables.fields import Field, Loaded
from silva.cli.tables.many_columns import aggregates, first_rows
from silva.cli.tables.nulls import Given, Marks
from silva.cli.tables.numbers import Signs, is_plain
from silva.cli.tables.wishes import Kind, Wish
from silva.data.notation import Notation

_FIRST_ROWS, _SAMPLE = 500, 200
_SPACES = " \t\r\n\f\v\u00a0\u3000\ufeff"


@dataclass(slots=True)
class Examined:
    """A column of texts under examination; `cell` is NULL where a word says missing.

    `text` is the same for a column of texts, where fewer words do. `words` are the marks found.
    `notations` are those of all known cells, `notation` is the chosen one, or that of most cells.
    """

    field: Field
    wish: Wish | None
    marks: Marks
    n_filled: int = 0
    n_numbers: int = 0
    has_nan: bool = False
    largest: float = 0.0
    words: Counter[str] = made_by(default_factory=Counter)
    cell: str = ""
    text: str = ""
    sample: list[str] = made_by(default_factory=list)
    notations: list[Notation] = made_by(default_factory=list)
    notation: Notation | None = None
    signs: Signs = made_by(default_factory=Signs)
    is_doubtful: bool = False

    @property
    def wanted(self) -> Kind | None:
        return None if self.wish is None else self.wish.kind

    @property
    def n_known(self) -> int:
        return self.n_filled - self.words.total()

    @property
    def is_sure(self) -> bool:
        """Whether spaces and words do not matter: cells are meant as numbers and are, or stay."""
        if self.wanted == "verbatim":
            return True
        are_numbers = self.n_numbers == self.n_filled and not self.has_nan
        return are_numbers and self.wanted in (None, "number")

    @property
    def is_numeric(self) -> bool:
        return 0 < self.n_known <= self.n_numbers

    def words_kept(self) -> Counter[str]:
        """The marks of missing numbers that are values where the column is one of texts."""
        sure = self.marks.anywhere
        return Counter({word: count for word, count in self.words.items() if word not in sure})


def examined(
    connection: Connection, loaded: Loaded, words: Given, wishes: Mapping[str, Wish]
) -> list[Examined]:
    usual = nulls.USUAL if loaded.infers else Marks()
    columns = []
    for one in loaded.fields:
        if one.type == "VARCHAR":
            wish, marks = wishes.get(one.name), words.marks(one.name, usual)
            marks = marks if wish is None else wish.left_of(marks)
            columns.append(Examined(one, wish, marks, cell=one.sql, text=one.sql))
    _sample(connection, loaded.relation, columns)
    _count_cells(connection, loaded.relation, columns)
    doubtful = [one for one in columns if _may_miss(one)]
    _trim(connection, loaded.relation, doubtful)
    _mark(connection, loaded.relation, doubtful)
    return columns


def _may_miss(column: Examined) -> bool:
    """Whether cells may be words for missing ones: not where all are finite numbers."""
    if not column.is_sure:
        return True
    return any(is_plain(word) for word in column.marks.words if word[-1:].isdigit())


def _mark(connection: Connection, relation: str, columns: Sequence[Examined]) -> None:
    """Take the words for missing cells out of the expressions and the counts."""
    cells, words = [one.cell for one in columns], [one.marks.words for one in columns]
    hits = nulls.words_found(connection, relation, cells, words)
    for column, found in zip(columns, hits, strict=True):
        column.words = found
        sure = [word for word in found if word in column.marks.anywhere]
        column.text = nulls.known(column.cell, sure)
        column.cell = nulls.known(column.cell, tuple(found))
        column.n_numbers -= sum(found[word] for word in found if is_plain(word))


def _sample(connection: Connection, relation: str, columns: Sequence[Examined]) -> None:
    """Give each column its first known cells."""
    first = first_rows(connection, relation, [one.cell for one in columns], _FIRST_ROWS)
    for column, cells in zip(columns, first, strict=True):
        words = column.marks.words
        column.sample = _known(cells, words)
        if not column.sample and len(cells) == _FIRST_ROWS:
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
        for fact in (_facts(one.cell) if any(map(is_plain, one.sample)) else _filled(one.cell))
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
    with_spaces = [one for one, count in zip(columns, found, strict=True) if count]
    for column in with_spaces:
        column.cell = trimmed(column.cell)
    _count_cells(connection, relation, with_spaces)


def trimmed(cell: str) -> str:
    """The expression of a text without the spaces around it; NULL where there is nothing else."""
    return f"nullif(trim({cell}, {literal(_SPACES)}), '')"


def _has_spaces(cell: str) -> str:
    codes = ", ".join(str(ord(sign)) for sign in _SPACES)
    return f"count_if(unicode({cell}) IN ({codes}) OR unicode(right({cell}, 1)) IN ({codes}))"
