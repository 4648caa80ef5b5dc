"""Texts that are numbers, in DuckDB: plain ones, and those of a notation."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields

from silva.cli.tables.duck import Connection, literal
from silva.cli.tables.many_columns import aggregates
from silva.data.notation import APOSTROPHES, MINUS, PERCENT, SPACES, Notation

_EXPONENT = r"([eE][+-]?[0-9]+)?"
_PLAIN = re.compile(
    rf"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+){_EXPONENT}|[+-]?(inf|infinity|nan)", re.IGNORECASE
)
_SURE_POINT = re.compile(r".*[0-9]\.([0-9]{1,2}|[0-9]{4,})")
LARGEST_EXACT = 2**53


def is_plain(cell: str) -> bool:
    """Whether a text is a number as programs write them: 12, -3.5, 1e9, inf, nan."""
    return _PLAIN.fullmatch(cell) is not None


def has_decimal_point(cell: str) -> bool:
    """Whether a plain number has a point that cannot stand between thousands."""
    return is_plain(cell) and _SURE_POINT.match(cell) is not None


def number_sql(cell: str, notation: Notation | None = None) -> str:
    """The number in an expression of texts, NULL where it is none; plain without a notation."""
    if notation is None:  # DuckDB reads 1_000 as a number; here it is text
        return f"CASE WHEN NOT contains({cell}, '_') THEN try_cast({cell} AS DOUBLE) END"
    other = "," if notation.decimal == "." else "."
    bare = f"replace({cell}, {literal(notation.unit)}, '')" if notation.unit else cell
    drop = f")+{other}{SPACES}{APOSTROPHES}"
    plain = f"translate({bare}, {literal(f'({MINUS}{notation.decimal}{drop}')}, '--.')"
    is_cell = f"regexp_full_match({cell}, {literal(notation.pattern)})"
    return f"CASE WHEN {is_cell} THEN try_cast({plain} AS DOUBLE) END"


@dataclass(frozen=True, slots=True)
class Signs:
    """How many cells of a column of amounts have such signs."""

    commas: int = 0
    spaces: int = 0
    apostrophes: int = 0
    parentheses: int = 0

    def words(self, notation: Notation, is_doubtful: bool) -> str:
        """What was understood of the cells ({} is the column), and the option against it."""
        told = self._signs(notation)
        if notation.unit:
            told = [f"numbers with {notation.unit}", *told]
        if not told and not is_doubtful:
            return ""
        option = "--decimal" if self._is_about_decimals(told) or is_doubtful else "--text"
        scale = "12% is 12; " if notation.unit == PERCENT else ""
        doubt = ""
        if is_doubtful:
            doubt = ", which could be decimal commas" if self.commas else ""
            doubt = doubt or ", whose points could stand between thousands"
        return f"{', '.join(told) or 'decimal points'} in {{}}{doubt} ({scale}{option})"

    def _signs(self, notation: Notation) -> list[str]:
        between = self.commas if notation.decimal == "." else 0
        thousands = {"commas": between, "spaces": self.spaces, "apostrophes": self.apostrophes}
        told = ["decimal comma"] if notation.decimal == "," else []
        told += [f"{sign} between thousands" for sign, count in thousands.items() if count]
        return told + (["negative numbers in parentheses"] if self.parentheses else [])

    @staticmethod
    def _is_about_decimals(told: Sequence[str]) -> bool:
        return told in (["decimal comma"], ["commas between thousands"])


N_SIGNS = len(fields(Signs))


def sign_counts(cell: str) -> list[str]:
    """What counts the fields of `Signs` in the known cells of a column."""
    space, apostrophe = f"[0-9][{SPACES}][0-9]", f"[{APOSTROPHES}]"
    return [
        f"count_if(contains({cell}, ','))",
        f"count_if(regexp_matches({cell}, {literal(space)}))",
        f"count_if(regexp_matches({cell}, {literal(apostrophe)}))",
        f"count_if(contains({cell}, '('))",
    ]


@dataclass(frozen=True, slots=True)
class Spelling:
    """How the numbers of a column are spelled: counts of cells.

    Columns without points are asked for whole numbers and leading zeros; those with points, where
    the decimal sign may be a comma, whether the points stand between thousands.
    """

    points: int
    underscores: int
    whole: int = 0
    leading_zeros: int = 0
    groups: int = 0


def spellings(
    connection: Connection, relation: str, cells: Sequence[str], may_group: Sequence[bool]
) -> list[Spelling]:
    """The spelling of each of these expressions, whose known cells are plain numbers."""
    counts = aggregates(connection, relation, [part for cell in cells for part in _signs(cell)])
    pairs = list(zip(counts[::2], counts[1::2], strict=True))
    details = [
        ("0", "0", _groups(cell) if groups else "0") if points else _whole(cell)
        for cell, (points, _), groups in zip(cells, pairs, may_group, strict=True)
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
    grouped = r"[+-]?([1-9][0-9]{0,2}(\.[0-9]{3})+|[0-9]{1,3})"
    return f"count_if(regexp_full_match({cell}, '{grouped}'))"
