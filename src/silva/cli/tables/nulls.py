"""The words that stand for a missing cell."""

from collections import Counter
from collections.abc import Mapping, Sequence

from silva.cli.tables.duck import Connection, aggregates, literal
from silva.messages import counted, first_of

WORDS = (
    *("?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NaT"),
    *("NULL", "Null", "null", "None", "-", "."),
)
_MOST_TOLD = 4


def known(sql: str, words: Sequence[str]) -> str:
    """The expression of a text where these words are NULL."""
    return f"CASE WHEN {sql} IN ({_listed(words)}) THEN NULL ELSE {sql} END" if words else sql


def words_found(
    connection: Connection, relation: str, cells: Sequence[str], words: Sequence[str]
) -> list[Counter[str]]:
    """How often each word stands in each of these expressions."""
    if not words or not cells:
        return [Counter() for _ in cells]
    hits = [f"count_if({sql} IN ({_listed(words)}))" for sql in cells]
    counts = aggregates(connection, relation, hits)
    return [
        _words_of(connection, relation, sql, words) if count else Counter()
        for sql, count in zip(cells, counts, strict=True)
    ]


def told(found: Mapping[str, Counter[str]]) -> str:
    """Which words were read as missing, how often, and in which columns."""
    total: Counter[str] = sum(found.values(), Counter())
    if not total:
        return ""
    order = sorted(total.items(), key=lambda pair: (-pair[1], pair[0]))
    words = [f"{word} {counted(n, 'time')}" for word, n in order[:_MOST_TOLD]]
    columns = [repr(name) for name, counts in found.items() if counts]
    return (
        f"read as missing: {first_of(words, len(total))}"
        f" (in {first_of(columns[:_MOST_TOLD], len(columns))}; --null sets the words)"
    )


def _words_of(
    connection: Connection, relation: str, sql: str, words: Sequence[str]
) -> Counter[str]:
    rows = connection.execute(
        f"SELECT {sql}, count(*) FROM {relation} WHERE {sql} IN ({_listed(words)}) GROUP BY 1"
    )
    return Counter(dict(rows.fetchall()))


def _listed(words: Sequence[str]) -> str:
    return ", ".join(map(literal, words))
