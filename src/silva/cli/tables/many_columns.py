"""Questions about very many columns at once.

DuckDB plans each expression for itself, which for 10,000 columns of 50 rows takes far longer than
the answers. So wide tables of few rows are loaded as one column of lists, `cells`, and expressions
over `cells[1]`, `cells[2]` and so on that are alike otherwise are answered by one statement.
"""

import os
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from silva.cli.tables.duck import Connection

_AT_ONCE = 64
_FETCHED_AT_ONCE = 512
_WIDE = 500
_MOST_BYTES_A_COLUMN = 8192
_QUOTED_OR_CELL = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\bcells\[([0-9]+)\]")


def is_wide(path: str, n_columns: int) -> bool:
    """Whether a file of text has many columns and few rows."""
    return n_columns >= _WIDE and os.path.getsize(path) <= _MOST_BYTES_A_COLUMN * n_columns


def cell_of(place: int) -> str:
    """The expression of a column (counted from 0) of a wide table."""
    return f"cells[{place + 1}]"


def aggregates(connection: Connection, relation: str, expressions: Sequence[str]) -> list[Any]:
    """The values of many aggregates; some at a time, as DuckDB plans very many slowly."""
    parts = [_parted(one) for one in expressions]
    if any(place for _, place in parts) and _has_rows(connection, relation):
        return _aggregates_of_cells(connection, relation, parts)
    found: dict[str, Any] = {}
    for some in _some(list(dict.fromkeys(expressions)), _AT_ONCE):
        query = f"SELECT count(*), {', '.join(some)} FROM {relation}"
        found.update(zip(some, connection.execute(query).fetchone()[1:], strict=True))
    return [found[one] for one in expressions]


def first_rows(
    connection: Connection, relation: str, cells: Sequence[str], most: int
) -> list[list[Any]]:
    """The values of each of these expressions in the first rows."""
    parts = [_parted(cell) for cell in cells]
    places = [place for shape, place in parts if shape == "cell"]
    if places and len(places) == len(cells):
        rows = connection.execute(f"SELECT cells FROM {relation} LIMIT {most}").fetchall()
        return [[cells[place - 1] for (cells,) in rows] for place in places]
    found: list[list[Any]] = []
    for some in _some(cells, _FETCHED_AT_ONCE):
        query = f"SELECT {', '.join(some)} FROM {relation} LIMIT {most}"
        rows = connection.execute(query).fetchall()
        found += [[row[at] for row in rows] for at in range(len(some))]
    return found


def arrays(connection: Connection, relation: str, expressions: Sequence[str]) -> list[np.ndarray]:
    """The values of many expressions in all rows, masked where they are NULL."""
    parts = [_parted(one) for one in expressions]
    if any(place for _, place in parts) and _has_rows(connection, relation):
        return _arrays_of_cells(connection, relation, parts)
    found: list[np.ndarray] = []
    for some in _some(expressions, _FETCHED_AT_ONCE):
        named = ", ".join(f"{one} AS v{at}" for at, one in enumerate(some))
        values = connection.execute(f"SELECT {named} FROM {relation}").fetchnumpy()
        found += [values[f"v{at}"] for at in range(len(some))]
    return found


def _some(expressions: Sequence[str], at_once: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(expressions), at_once):
        yield expressions[start : start + at_once]


def _parted(expression: str) -> tuple[str, int]:
    """An expression over one column of a wide table as one over `cell`, and the column's place."""
    places: set[int] = set()

    def plain(found: re.Match[str]) -> str:
        if found[1] is None:
            return found[0]
        places.add(int(found[1]))
        return "cell"

    shape = _QUOTED_OR_CELL.sub(plain, expression)
    return (shape, places.pop()) if len(places) == 1 else (expression, 0)


def _has_rows(connection: Connection, relation: str) -> bool:
    return bool(connection.execute(f"SELECT count(*) FROM {relation}").fetchone()[0])


def _long(relation: str) -> str:
    cells = "unnest(cells) AS cell, generate_subscripts(cells, 1) AS place"
    return f"(SELECT rowid AS row, {cells} FROM {relation})"


def _aggregates_of_cells(
    connection: Connection, relation: str, parts: Sequence[tuple[str, int]]
) -> list[Any]:
    shapes = {shape: at for at, shape in enumerate(dict.fromkeys(shape for shape, _ in parts))}
    values: dict[int, tuple[Any, ...]] = {}
    for some in _some(list(shapes), _AT_ONCE):
        query = f"SELECT place, {', '.join(some)} FROM {_long(relation)} GROUP BY place"
        for place, *found in connection.execute(query).fetchall():
            values[place] = (*values.get(place, ()), *found)
    return [values[place or 1][shapes[shape]] for shape, place in parts]


def _arrays_of_cells(
    connection: Connection, relation: str, parts: Sequence[tuple[str, int]]
) -> list[np.ndarray]:
    found: list[Any] = [None for _ in parts]
    for shape in dict.fromkeys(shape for shape, _ in parts):
        wanted = [at for at, part in enumerate(parts) if part[0] == shape]
        places = sorted({parts[at][1] or 1 for at in wanted})
        query = (
            f"SELECT {shape} AS value FROM {_long(relation)}"
            f" WHERE place IN ({', '.join(map(str, places))}) ORDER BY place, row"
        )
        values = connection.execute(query).fetchnumpy()["value"].reshape(len(places), -1)
        rows = dict(zip(places, values, strict=True))
        for at in wanted:
            found[at] = rows[parts[at][1] or 1]
    return found
