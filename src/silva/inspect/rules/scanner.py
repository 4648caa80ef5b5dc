"""A place in the text of a rule, and what can be read there."""

import re
from collections.abc import Sequence
from typing import NoReturn

from silva.data.schema import Column
from silva.data.time_words import from_text
from silva.errors import DataError
from silva.inspect.rules.lexicon import Lexicon
from silva.messages import shown
from silva.tree.lazy import lazy
from silva.tree.splits import VALUE
from silva.tree.words import plain_name, term

NUMBER = re.compile(r"-?(?:inf|\d+(?:\.\d+)?(?:e[+-]?\d+)?)")
_TIME = re.compile(
    r"-\(\d+ days? [\d:.]+\)|-?\d+ days?(?: [\d:.]+)?"
    r"|-?\d{4,}-\d\d-\d\d(?: \d\d:[\d:.]+)?(?: UTC)?|\d\d:[\d:.]+|-?inf"
)
_WORD = r"""(?:[\w.]+|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_INDICATOR = re.compile(rf"\[({_WORD}) = ")
_TERM = re.compile(rf"\w+\({_WORD}\)|{_WORD}")


class Scanner:
    """A text and how much of it was read; whatever cannot be read is told with its place."""

    def __init__(self, text: str, lexicon: Lexicon) -> None:
        self.text, self.lexicon, self.at = text, lexicon, 0

    def refuse(self, wanted: str) -> NoReturn:
        """Say what was expected where reading stopped."""
        seen = shown(self.rest(), 60) if self.rest() else "the end of the text"
        raise DataError(f"rule text, character {self.at + 1}: expected {wanted}, seen {seen}.")

    def rest(self) -> str:
        return self.text[self.at :]

    def take(self, fixed: str) -> bool:
        """Read this text if it is next."""
        found = self.text.startswith(fixed, self.at)
        self.at += len(fixed) * found
        return found

    def expect(self, fixed: str) -> None:
        if not self.take(fixed):
            self.refuse(repr(fixed))

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Read what the pattern matches here."""
        found = pattern.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
        return found

    def one_of(self, forms: Sequence[str], wanted: str) -> int:
        """Read the longest of the forms that is next; its number."""
        places = [i for i, form in enumerate(forms) if self.text.startswith(form, self.at)]
        if not places:
            self.refuse(wanted)
        longest = max(places, key=lambda i: len(forms[i]))
        self.at += len(forms[longest])
        return longest

    def number(self) -> float:
        found = self.match(NUMBER)
        return self.refuse("a number") if found is None else float(found[0])

    def numbers(self) -> tuple[float, ...]:
        """Read numbers in parentheses."""
        self.expect("(")
        found = [self.number()]
        while self.take(", "):
            found.append(self.number())
        self.expect(")")
        return tuple(found)

    def quantity(self, column: Column) -> float:
        """Read a number of the column, or a date, duration or time of day."""
        if column.time is None:
            return self.number()
        found = self.match(_TIME)
        if found is None or found[0].endswith("inf"):
            return self.number() if found is None else float(found[0])
        read = from_text(found[0], column.time.sort)
        if read is None:
            self.at = found.start()
            self.refuse(f"a time such as column {column.name!r} has")
        return column.time.number(read[0])

    def level(self, column: int) -> int:
        """Read a level of the column; its code."""
        who = self.lexicon.names[column]
        return self.one_of(self.lexicon.levels(column), f"a level of {who}")

    def term(self) -> tuple[int, int]:
        """Read what a sum takes of a column: the column, and a code or `VALUE`."""
        begin = self.at
        indicator = self.match(_INDICATOR)
        if indicator is not None:
            column = self._plain_names.get(indicator[1])
            if column is None:
                self.at = begin
                self.refuse("a column")
            code = self.level(column)
            self.expect("]")
            binary = self.lexicon.columns[column].kind == "binary"
            return column, VALUE if binary and code == 1 else code
        found = self.match(_TERM)
        if found is None or found[0] not in self._terms:
            self.at = begin
            self.refuse("a column")
        return self._terms[found[0]], VALUE

    @lazy
    def _plain_names(self) -> dict[str, int]:
        return {plain_name(name): i for i, name in enumerate(self.lexicon.schema.names)}

    @lazy
    def _terms(self) -> dict[str, int]:
        """Columns by the form that their value has in sums."""
        columns = enumerate(self.lexicon.columns)
        return {term(one): i for i, one in columns if one.kind not in ("binary", "categorical")}
