"""What a row has in its columns, as splits and models see it."""

import math
from typing import Any

from silva.data.schema import MISSING_CODE
from silva.data.table import Table
from silva.inspect.explain.records import State, Value
from silva.inspect.rules.lexicon import Lexicon
from silva.tree import words
from silva.tree.linear import VALUE


class Row:
    """One row of a table, with the words for its values."""

    def __init__(self, table: Table, number: int, lexicon: Lexicon, digits: int | None) -> None:
        self.table, self.number = table, number
        self._lexicon, self._digits = lexicon, digits

    def raw(self, column: int) -> float:
        """The number of a continuous column, the code of another."""
        return float(self.table.columns[column][self.number])

    def state(self, column: int) -> State:
        raw = self.raw(column)
        if math.isnan(raw):
            return "missing"
        if self.table.schema.columns[column].levels is None or raw >= 0:
            return "known"
        return "missing" if raw == MISSING_CODE else "unseen"

    def number_of(self, column: int, code: int = VALUE) -> float | None:
        """What a sum takes of the column (see `words.term`); None where the value is not known."""
        if self.state(column) != "known":
            return None
        raw = self.raw(column)
        return raw if code == VALUE else float(raw == code)

    def value(self, column: int) -> Value:
        """The value in words and as plain data."""
        name, state = self.table.schema.names[column], self.state(column)
        if state != "known":
            return Value(name, None, state, state)
        told = self._told(column)
        return Value(name, self._plain(column, told), told, state)

    def _told(self, column: int) -> str:
        about, raw = self.table.schema.columns[column], self.raw(column)
        if about.levels is None:
            return words.quantity(about, raw, self._digits)
        return self._lexicon.levels(column)[int(raw)]

    def _plain(self, column: int, told: str) -> Any:
        about, raw = self.table.schema.columns[column], self.raw(column)
        if about.levels is not None:
            return about.levels[int(raw)]
        return raw if about.time is None or math.isinf(raw) else told
