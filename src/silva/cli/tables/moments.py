"""Texts that are dates, instants or times of day."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

from silva.cli.tables.duck import literal

MomentKind = Literal["date", "timestamp", "instant", "time"]
Ask = Callable[[str], Any]

_DAY = r"\d{4}[-/]\d{1,2}[-/]\d{1,2}"
_CLOCK = r"\d{1,2}:\d{2}(:\d{2}(\.\d{1,9})?)?"
_ZONE = r" ?(Z|[+-]\d{2}(:?\d{2})?)"
_MONTH = r"[A-Za-z]{3,9}\.?"
_SHAPES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"\d{1,2}/\d{1,2}/\d{4}", ("%d/%m/%Y", "%m/%d/%Y")),
    (r"\d{1,2}-\d{1,2}-\d{4}", ("%d-%m-%Y", "%m-%d-%Y")),
    (r"\d{1,2}\.\d{1,2}\.\d{4}", ("%d.%m.%Y",)),
    (r"\d{1,2}/\d{1,2}/\d{2}", ("%d/%m/%y", "%m/%d/%y")),
    (rf"\d{{1,2}}-{_MONTH}-\d{{4}}", ("%d-%b-%Y", "%d-%B-%Y")),
    (rf"\d{{1,2}} {_MONTH} \d{{4}}", ("%d %b %Y", "%d %B %Y")),
    (rf"{_MONTH} \d{{1,2}}, \d{{4}}", ("%b %d, %Y", "%B %d, %Y")),
)
_CLOCKS = (("", ""), (r" \d{1,2}:\d{2}", " %H:%M"), (r" \d{1,2}:\d{2}:\d{2}", " %H:%M:%S"))
_FIRST_YEAR = 100


@dataclass(frozen=True, slots=True)
class Spelled:
    """A way to write moments. `format` is that of strptime, empty for ISO 8601."""

    kind: MomentKind
    format: str = ""

    def sql(self, cell: str) -> str:
        """The moment, NULL where the cell is none."""
        if not self.format:
            return f"try_cast({cell} AS {_TYPES[self.kind]})"
        moment = f"try_strptime({cell}, {literal(self.format)})"
        if self.kind == "instant":
            return moment
        year = f"CASE WHEN year({moment}) >= {_FIRST_YEAR} THEN {moment} END"
        return f"CAST({year} AS {_TYPES[self.kind]})"


_TYPES: dict[MomentKind, str] = {
    "date": "DATE",
    "timestamp": "TIMESTAMP",
    "instant": "TIMESTAMPTZ",
    "time": "TIME",
}


def formatted(text: str) -> Spelled:
    """Moments of a format that the user gave."""
    if "%z" in text:
        return Spelled("instant", text)
    has_clock = any(code in text for code in ("%H", "%I", "%M", "%S", "%c", "%X"))
    return Spelled("timestamp" if has_clock else "date", text)


def candidates(cells: Sequence[str]) -> list[Spelled]:
    """Every way to write moments that all these cells might follow; none for no cells."""
    if not cells:
        return []
    for shape, kind in _ISO:
        if all(re.fullmatch(shape, cell) for cell in cells):
            return [Spelled(kind)]
    for (shape, formats), (clock, code) in product(_SHAPES, _CLOCKS):
        if all(re.fullmatch(shape + clock, cell) for cell in cells):
            return [Spelled("timestamp" if code else "date", text + code) for text in formats]
    return []


_ISO: tuple[tuple[str, MomentKind], ...] = (
    (_DAY, "date"),
    (rf"{_DAY}([ T]{_CLOCK})?", "timestamp"),
    (rf"{_DAY}[ T]{_CLOCK}{_ZONE}", "instant"),
    (_CLOCK, "time"),
)


def questions(spelled: Spelled, cell: str) -> tuple[str, str]:
    """Aggregates over cells: how many are such moments, and how many are read by leaving out."""
    return f"count({spelled.sql(cell)})", _guard(spelled, cell)


def matching(ask: Ask, cell: str, n_known: int, spelled: Sequence[Spelled]) -> list[Spelled]:
    """Those ways in which every known cell is written; `ask` gives the value of an aggregate."""
    found = []
    for one in spelled:
        count, strangers = map(ask, questions(one, cell))
        if count == n_known and not strangers:
            found.append(one)
    return _same_once(ask, cell, found)


def _guard(spelled: Spelled, cell: str) -> str:
    """Cells that DuckDB casts by leaving something out: a time of a day, a zone of a time."""
    if spelled.format or spelled.kind == "instant":
        return "0"
    shape = {"date": _DAY, "timestamp": rf"{_DAY}([ T]{_CLOCK})?", "time": _CLOCK}[spelled.kind]
    return f"count_if(NOT regexp_full_match({cell}, {literal(shape)}))"


def _same_once(ask: Ask, cell: str, found: list[Spelled]) -> list[Spelled]:
    """Two ways that read every cell alike (May has no longer name) are one."""
    if len(found) < 2:
        return found
    first, second = (one.sql(cell) for one in found[:2])
    return found if ask(f"count_if({first} IS DISTINCT FROM {second})") else found[:1]
