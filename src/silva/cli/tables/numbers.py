"""Texts that are numbers: with a decimal point or comma, with or without thousands."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from silva.cli.tables.duck import Connection, aggregates

_EXPONENT = r"([eE][+-]?[0-9]+)?"
_POINT = rf"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+){_EXPONENT}"
LARGEST_EXACT = 2**53


@dataclass(frozen=True, slots=True)
class Notation:
    """A way to write numbers: what a cell looks like, and what DuckDB must replace to read it."""

    words: str
    pattern: str
    drop: str = ""
    decimal: str = "."

    def sql(self, cell: str) -> str:
        """The number, NULL where the cell is none."""
        plain = f"replace({cell}, '{self.drop}', '')" if self.drop else cell
        if self.decimal != ".":
            plain = f"replace({plain}, '{self.decimal}', '.')"
        is_cell = f"regexp_full_match({cell}, '{self.pattern}')" if self.drop else self._plain(cell)
        return f"CASE WHEN {is_cell} THEN try_cast({plain} AS DOUBLE) END"

    def takes(self, cell: str) -> bool:
        return re.fullmatch(self.pattern, cell) is not None

    @staticmethod
    def _plain(cell: str) -> str:
        return f"NOT contains({cell}, '_')"  # DuckDB reads 1_000 as a number; here it is text


POINT = Notation("", rf"{_POINT}|[+-]?(?i:inf|infinity|nan)")
COMMA = Notation(
    "decimal comma",
    rf"[+-]?([0-9]{{1,3}}(\.[0-9]{{3}})+|[0-9]+)(,[0-9]*)?{_EXPONENT}|[+-]?,[0-9]+{_EXPONENT}",
    drop=".",
    decimal=",",
)
GROUPED = Notation(
    "commas between thousands",
    rf"[+-]?[0-9]{{1,3}}(,[0-9]{{3}})+(\.[0-9]*)?|{_POINT}",
    drop=",",
)


def comma_notation(cells: Sequence[str], delimiter: str, decimal: str | None) -> Notation | None:
    """The notation with commas that these cells suggest, if any.

    Groups of three digits are thousands, as in 1,234; not where semicolons are the delimiter,
    which is how tables with decimal commas are written, and not where the option says otherwise.
    """
    if not any("," in cell for cell in cells):
        return None
    may_group = decimal == "." or (decimal is None and delimiter != ";")
    if may_group and all(map(GROUPED.takes, cells)):
        return GROUPED
    if decimal != "." and all(map(COMMA.takes, cells)):
        return COMMA
    return None


@dataclass(frozen=True, slots=True)
class Spelling:
    """How the numbers of a column are spelled: counts of cells.

    Columns without points are asked for whole numbers and leading zeros; those with points, where
    the decimal sign is a comma, whether the points stand between thousands.
    """

    points: int
    underscores: int
    whole: int = 0
    leading_zeros: int = 0
    groups: int = 0


def spellings(
    connection: Connection, relation: str, cells: Sequence[str], decimal: str
) -> list[Spelling]:
    """The spelling of each of these expressions, whose known cells are numbers."""
    counts = aggregates(connection, relation, [part for cell in cells for part in _signs(cell)])
    pairs = list(zip(counts[::2], counts[1::2], strict=True))
    details = [
        ("0", "0", _groups(cell) if decimal == "," else "0") if points else _whole(cell)
        for cell, (points, _) in zip(cells, pairs, strict=True)
    ]
    more = iter(aggregates(connection, relation, [part for parts in details for part in parts]))
    return [Spelling(*pair, next(more), next(more), next(more)) for pair in pairs]


def _signs(cell: str) -> tuple[str, str]:
    return f"count_if(contains({cell}, '.'))", f"count_if(contains({cell}, '_'))"


def _whole(cell: str) -> tuple[str, str, str]:
    return (
        f"count_if(regexp_full_match({cell}, ' *[+-]?[0-9]+ *'))",
        f"count_if(({cell} LIKE '0_%' OR {cell} LIKE '-0_%' OR {cell} LIKE ' %')"
        f" AND regexp_full_match({cell}, ' *[+-]?0[0-9]+ *'))",
        "0",
    )


def _groups(cell: str) -> str:
    return f"count_if(regexp_full_match({cell}, '[+-]?[0-9]{{1,3}}(\\.[0-9]{{3}})*'))"
