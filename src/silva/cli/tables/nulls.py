"""The words that stand for a missing cell."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from silva.cli.tables.duck import Connection, literal
from silva.cli.tables.many_columns import aggregates
from silva.errors import DataError
from silva.messages import counted, first_of, nearest

ANYWHERE = (
    *("?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NaT"),
    *("NULL", "Null", "null"),
)
AMONG_NUMBERS = ("-", ".", "None")
"""Labels too: class -, or None for a house without a garage. Missing among numbers and dates."""
WORDS = (*ANYWHERE, *AMONG_NUMBERS)
_MOST_TOLD = 4


@dataclass(frozen=True, slots=True)
class Marks:
    """The words for missing cells in a column: those in any column, and those among numbers."""

    anywhere: tuple[str, ...] = ()
    among_numbers: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        return (*self.anywhere, *self.among_numbers)

    def without(self, levels: frozenset[str]) -> "Marks":
        """The marks but for the levels that a model knows."""
        one, other = (
            tuple(word for word in words if word not in levels)
            for words in (self.anywhere, self.among_numbers)
        )
        return Marks(one, other)


USUAL = Marks(ANYWHERE, AMONG_NUMBERS)


@dataclass(frozen=True, slots=True)
class Given:
    """The words of --null: of every column (None: the usual ones), and beside them of single ones.

    An empty word leaves no others: empty cells alone are missing then.
    """

    everywhere: tuple[str, ...] | None
    of_column: Mapping[str, tuple[str, ...]]

    def marks(self, name: str, usual: Marks) -> Marks:
        """Those of a column: the usual marks unless words for all columns were given."""
        own = self.of_column.get(name, ())
        if "" in own or self.everywhere is not None:
            return Marks(self.words(name))
        return Marks((*usual.anywhere, *own), usual.among_numbers)

    def words(self, name: str) -> tuple[str, ...]:
        """The words that were given for a column."""
        own = self.of_column.get(name, ())
        general = () if "" in own or self.everywhere is None else self.everywhere
        return tuple(word for word in (*general, *own) if word)


def given(options: Sequence[str], names: Sequence[str]) -> Given:
    """What --null says: WORD, or COLUMN=WORD where the table has such a column."""
    everywhere: list[str] = []
    of_column: dict[str, tuple[str, ...]] = {}
    for option in options:
        name = next((one for one in names if option.startswith(f"{one}=")), None)
        if name is None:
            _refuse_misspelt(option, names)
            everywhere.append(option)
        else:
            of_column[name] = (*of_column.get(name, ()), option[len(name) + 1 :])
    return Given(tuple(everywhere) or None, of_column)


def _refuse_misspelt(option: str, names: Sequence[str]) -> None:
    name, is_pair, word = option.partition("=")
    near = nearest(name, names) if is_pair else None
    if near is not None:
        raise DataError(
            f"--null {option!r}: there is no column {name!r}; did you mean {f'{near}={word}'!r}?"
        )


def known(sql: str, words: Sequence[str]) -> str:
    """The expression of a text where these words are NULL."""
    return f"CASE WHEN {sql} IN ({_listed(words)}) THEN NULL ELSE {sql} END" if words else sql


def words_found(
    connection: Connection, relation: str, cells: Sequence[str], words: Sequence[Sequence[str]]
) -> list[Counter[str]]:
    """How often each word stands in each of these expressions, which have their own words."""
    hits = [
        f"count_if({sql} IN ({_listed(some)}))" if some else "0"
        for sql, some in zip(cells, words, strict=True)
    ]
    counts = aggregates(connection, relation, hits)
    found = [
        f"histogram({sql}) FILTER ({sql} IN ({_listed(some)}))"
        for sql, count, some in zip(cells, counts, words, strict=True)
        if count
    ]
    words_of = iter(aggregates(connection, relation, found))
    return [Counter(next(words_of)) if count else Counter() for count in counts]


def told(found: Mapping[str, Counter[str]]) -> str:
    """Which words were read as missing, how often, and in which columns."""
    return _told(found, "read as missing", "--null sets the words")


def told_levels(found: Mapping[str, Counter[str]]) -> str:
    """Which marks of missing numbers were kept, because they stand among texts."""
    return _told(found, "kept as text", "--null COLUMN=WORD reads it as missing")


def listed(words: Counter[str]) -> list[str]:
    """The words with their counts, the most frequent first."""
    order = sorted(words.items(), key=lambda pair: (-pair[1], pair[0]))
    return [f"{word} {counted(n, 'time')}" for word, n in order]


def _told(found: Mapping[str, Counter[str]], what: str, option: str) -> str:
    total: Counter[str] = sum(found.values(), Counter())
    if not total:
        return ""
    columns = [repr(name) for name, counts in found.items() if counts]
    return (
        f"{what}: {first_of(listed(total)[:_MOST_TOLD], len(total))}"
        f" (in {first_of(columns[:_MOST_TOLD], len(columns))}; {option})"
    )


def _listed(words: Sequence[str]) -> str:
    return ", ".join(map(literal, words))
