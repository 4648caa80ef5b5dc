"""Columns that may not be what their owner takes them for: one warning for each sort of finding."""

from collections.abc import Callable, Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np

from silva.data.look import is_date, same_spelling
from silva.data.matrix import MatrixColumns
from silva.data.notation import is_amount, pandas_line, units_of
from silva.data.schema import Column, Level
from silva.data.sparse import SparseColumns
from silva.data.table import Table
from silva.errors import is_news, warn
from silva.messages import counted, first_of

FEWEST_IDENTIFIERS = 20
"""Fewer different values are no identifier and no free text, however few rows there are."""
FEWEST_PARSED = 10
"""Fewer different values are a category, even if all of them are dates or numbers."""
MOST_ROWS_A_VALUE = 2.0
MOST_ROWS_A_TEXT = 4.0
FEWEST_WORDS = 6.0
MOST_EXAMINED = 1000
MOST_LISTED = 10
MOST_CHARACTERS = 40
MOST_GROUPS, MOST_SPELLINGS = 2, 4
NEARLY_ALL = 0.95
ROW_NUMBERS = "row numbers"
FREE_TEXT = "columns of free text"
IDENTIFIERS = "columns that look like identifiers"
HARDLY_REPEATING = (ROW_NUMBERS, FREE_TEXT, IDENTIFIERS)
"""Findings about columns whose values tell little about new rows."""

NUMBERS = "numbers stored as text"
_SHAPES = {"dates stored as text": is_date, NUMBERS: is_amount}
ADVICE = {
    ROW_NUMBERS: "Such numbers tell nothing about new rows. Drop the column",
    "dates stored as text": (
        "They are read as categories without an order, so every new date is an unseen one."
        " Convert them, for example with pandas.to_datetime or polars' str.to_datetime"
    ),
    NUMBERS: (
        "They are read as categories without an order. Convert them unless they are mere labels:"
        " in pandas as shown, in polars with str.replace_all and cast(polars.Float64), in the"
        " command line with --number"
    ),
    FREE_TEXT: (
        "Whole texts hardly occur again in new rows. Drop the columns, or make columns from them,"
        " such as whether a word occurs"
    ),
    IDENTIFIERS: (
        "Such values tell little about new rows. Drop the columns, or give them as numbers or"
        " ordered categories if their order means something"
    ),
    "levels that differ only in spaces or case": (
        "They are kept apart. If they mean the same, make them equal first, for example with"
        " column.str.strip().str.lower(), and column.str.split().str.join(' ') for spaces inside"
    ),
}


class Finding(NamedTuple):
    """The sort of a finding (a key of the advice) and what was seen in the column."""

    sort: str
    seen: str


def warn_of_suspects(table: Table) -> None:
    """One DataWarning for each sort of finding; it lists the columns and what was seen in them.

    Fits of one search tell of a column once.
    """
    if isinstance(table.columns, SparseColumns | MatrixColumns):
        return
    found: dict[str, list[str]] = {}
    for column, values in zip(table.schema.columns, table.columns, strict=True):
        if column.levels is None:
            continue
        finding = suspicion(column, values)
        if finding is not None and is_news(finding.sort, column.name):
            found.setdefault(finding.sort, []).append(f"{column.name!r} ({finding.seen})")
    if found:
        for sort in filter(found.__contains__, ADVICE):
            warn(f"{sort}: {first_of(found[sort][:MOST_LISTED], len(found[sort]))}. {ADVICE[sort]}")


def suspicion(column: Column, codes: np.ndarray) -> Finding | None:
    """The most telling finding about a column of levels, or None."""
    finding = None
    if column.kind == "categorical" and column.n_levels >= FEWEST_PARSED:
        counts = np.bincount(codes[codes >= 0], minlength=column.n_levels)
        levels = tuple(compress(column.levels or (), counts))
        n_known = int(counts.sum())
        finding = _parsed(column.name, levels, n_known) or _distinct(levels, n_known)
    return finding or _misspelt(column, codes)


def hardly_repeats(column: Column, values: np.ndarray) -> bool:
    """Whether a column is row numbers, an identifier or free text."""
    find = row_numbers if column.levels is None else suspicion
    finding = find(column, values)
    return finding is not None and finding.sort in HARDLY_REPEATING


def row_numbers(column: Column, values: np.ndarray) -> Finding | None:
    """Consecutive whole numbers, each in one row, in any order; None for other columns."""
    if column.levels is not None or column.time is not None or len(values) < FEWEST_IDENTIFIERS:
        return None
    if not np.isfinite(values).all():
        return None
    ordered = np.sort(values.astype(np.float64))
    if not (np.diff(ordered) == 1.0).all() or ordered[0] != np.rint(ordered[0]):
        return None
    return Finding(ROW_NUMBERS, f"{ordered[0]:.0f} to {ordered[-1]:.0f}, each in one row")


def _parsed(name: str, levels: Sequence[Level], n_known: int) -> Finding | None:
    """Dates or numbers: all levels but one, or nearly all of them."""
    if len(levels) < FEWEST_PARSED:
        return None
    for sort, test in _SHAPES.items():
        examined = _spread(levels)
        others = _others(examined, test)
        if others is not None:
            example = next(level for level in examined if level not in others)
            but = f", but not {_quoted(others[0])}" if others else ""
            seen = _counted(levels, n_known, example)
            way_out = _conversion(name, levels, others) if sort == NUMBERS else ""
            return Finding(sort, f"{seen}{but}{way_out}")
    return None


def _conversion(name: str, levels: Sequence[Level], others: Sequence[Level]) -> str:
    """The line that makes numbers of the column, or why there is none."""
    texts = [str(level) for level in levels if level not in others]
    line = pandas_line(name, texts, bool(others))
    if line:
        return f"; {line}"
    different = list(units_of(text.strip() for text in texts).values())[:2]
    return f"; in different units, such as {' and '.join(map(_quoted, different))}"


def _others(examined: Sequence[Level], test: Callable[[str], bool]) -> list[Level] | None:
    """The few levels that do not pass the test; None if there are more."""
    most = max(1.0, (1.0 - NEARLY_ALL) * len(examined))
    others: list[Level] = []
    for level in examined:
        if not (isinstance(level, str) and test(level)):
            others.append(level)
            if len(others) > most:
                return None
    return others


def _distinct(levels: Sequence[Level], n_known: int) -> Finding | None:
    """Values that hardly repeat: free text or an identifier."""
    if len(levels) < FEWEST_IDENTIFIERS or n_known > MOST_ROWS_A_TEXT * len(levels):
        return None
    examined = _spread(levels)
    words = sum(len(level.split()) for level in examined if isinstance(level, str)) / len(examined)
    seen = _counted(levels, n_known, levels[0])
    if words >= FEWEST_WORDS:
        return Finding(FREE_TEXT, f"{seen}, {words:.0f} words on average")
    if n_known > MOST_ROWS_A_VALUE * len(levels):
        return None
    return Finding(IDENTIFIERS, seen)


def _misspelt(column: Column, codes: np.ndarray) -> Finding | None:
    """Levels that occur and are the same but for case and spaces."""
    groups = _same_spellings([level for level in column.levels or () if isinstance(level, str)])
    if groups:
        counts = np.bincount(codes[codes >= 0], minlength=column.n_levels)
        occurring = set(compress(column.levels or (), counts))
        groups = [[level for level in group if level in occurring] for group in groups]
        groups = [group for group in groups if len(group) > 1]
    if not groups:
        return None
    told = [", ".join(map(_quoted, group[:MOST_SPELLINGS])) for group in groups[:MOST_GROUPS]]
    sort = "levels that differ only in spaces or case"
    return Finding(sort, first_of(told, len(groups), "; "))


def _same_spellings(texts: Sequence[str]) -> list[list[str]]:
    """Different texts of the same spelling, together; mostly there are none."""
    spellings = list(map(same_spelling, texts))
    first = dict(zip(reversed(spellings), reversed(texts), strict=True))
    if len(first) == len(texts):
        return []
    groups: dict[str, list[str]] = {}
    for spelling, text in zip(spellings, texts, strict=True):
        if first[spelling] is not text:
            groups.setdefault(spelling, [first[spelling]]).append(text)
    return list(groups.values())


def _spread(levels: Sequence[Level]) -> Sequence[Level]:
    """All levels, or many of them from everywhere in their order."""
    return levels[:: 1 + (len(levels) - 1) // MOST_EXAMINED]


def _counted(levels: Sequence[Level], n_known: int, example: Level) -> str:
    return (
        f"{len(levels):,} different values in {counted(n_known, 'row')}, such as {_quoted(example)}"
    )


def _quoted(level: Level) -> str:
    """A level as Python writes it, spaces and all; of a long text the beginning."""
    text = repr(level)
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}..."
