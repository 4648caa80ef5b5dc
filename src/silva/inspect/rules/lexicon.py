"""Printed forms of columns, levels and classes: what rules write is what the parser looks up."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from silva.data.schema import Column, Schema
from silva.tree import words
from silva.tree.lazy import lazy
from silva.tree.numerals import Digits
from silva.tree.splits import VALUE

_UNCLEAR_NAME = re.compile(r"^[(\[]| (?:and|or|is|in|not|distance) |->|→|\*| [+-] ")
_UNCLEAR_VALUE = re.compile(r" (?:and|or) |^(?:and|or) | (?:and|or)$|=|: ")


class Lexicon:
    """How the columns of a schema, their levels and the classes of a model are written.

    A form is bare wherever that is clear, else quoted as Python quotes text. No two columns, and no
    two levels of a column, have the same form.
    """

    def __init__(self, schema: Schema, classes: Sequence[Any] | None = None) -> None:
        self.schema = schema
        self.labels = None if classes is None else tuple(classes)
        self._levels: dict[int, tuple[str, ...]] = {}

    @property
    def columns(self) -> Sequence[Column]:
        return self.schema.columns

    @lazy
    def names(self) -> tuple[str, ...]:
        """The form of each column."""
        return tuple(_apart(self.schema.names, _name))

    @lazy
    def classes(self) -> tuple[str, ...]:
        """The form of each class."""
        return tuple(_apart(self.labels or (), _value))

    def levels(self, column: int) -> tuple[str, ...]:
        """The form of each level of a column, by code."""
        if column not in self._levels:
            levels = self.columns[column].levels or ()
            self._levels[column] = tuple(_apart(levels, _value))
        return self._levels[column]

    def term(self, column: int, code: int = VALUE) -> str:
        """What a sum takes of a column, as `tree.words.term` writes it; levels in their form."""
        if code == VALUE:
            return words.term(self.columns[column])
        return f"[{words.plain_name(self.columns[column].name)} = {self.levels(column)[code]}]"


@dataclass(frozen=True, eq=False)
class Style:
    """How rules are written: by which lexicon, with how many digits, and what the target is called.

    `digits` None writes numbers exactly; `target` "" leaves the name out.
    """

    lexicon: Lexicon
    digits: Digits = None
    target: str = ""


def _name(text: str) -> str:
    form = words.name(text)
    return repr(text) if form == text and _UNCLEAR_NAME.search(text) else form


def _value(level: Any) -> str:
    form = words.value(level)
    bare = isinstance(level, str) and form == level
    return repr(form) if bare and _UNCLEAR_VALUE.search(form) else form


def _apart(values: Sequence[Any], form_of: Callable[[Any], str]) -> list[str]:
    """The forms; where two are the same, as for 1 and "1", text is quoted."""
    forms = [form_of(value) for value in values]
    if len(set(forms)) == len(forms):
        return forms
    times = Counter(forms)
    return [
        repr(value) if times[form] > 1 and isinstance(value, str) else form
        for value, form in zip(values, forms, strict=True)
    ]
