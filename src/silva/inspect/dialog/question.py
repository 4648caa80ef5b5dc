"""A question about one column with the answers that it may have."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count, product
from string import ascii_lowercase
from typing import Literal

from silva.inspect.dialog.known import (
    Knowledge,
    Known,
    Values,
    known_part,
    nothing_known,
)
from silva.inspect.dialog.phrases import (
    ANOTHER_VALUE,
    DO_NOT_KNOW,
    alternatives,
    values_words,
)
from silva.inspect.dialog.policies import unknown_way, unseen_child, unseen_way
from silva.inspect.dialog.source import Source
from silva.inspect.dialog.walk import Place, ends, narrowed, reached
from silva.inspect.rules.conditions import Interval, Levels, is_empty
from silva.tree import words
from silva.tree.splits import STOP, Distance, Multiway, Oblique, Split, Subset

QUIT_KEY = "q"
"""No option has this key: it ends a dialog in the terminal."""

Takes = Literal["number", "time", "level"]
Listed = list[tuple[int | None, Values]]
"""Values that are an option, and the child they lead to (None: that depends on more values)."""


@dataclass(frozen=True, slots=True)
class Option:
    """A possible answer, by its key or its words.

    `leads_to` says what follows. `special` marks "I do not know" and "another value". `possible` is
    False where the model refuses such rows; `leads_to` then says so.
    """

    key: str
    words: str
    leads_to: str
    possible: bool = True
    special: bool = False
    _values: Values | None = field(default=None, repr=False)
    _vague: bool = field(default=False, repr=False)
    _child: int | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Question:
    """A question about one column.

    `takes` is what may be typed in place of an option: a "number", a "time" (a date, duration or
    time of day) or a "level". `exact`: the value itself is needed, a range or group will not do.
    `low` and `high` are the limits of the column in training, None if nobody knows them.
    """

    column: str
    text: str
    options: tuple[Option, ...]
    takes: Takes
    exact: bool
    low: float | None = None
    high: float | None = None
    training_range: str = ""
    hint: str = ""

    def __str__(self) -> str:
        told = f" (training rows: {self.training_range})" if self.training_range else ""
        return "\n".join([f"{self.text}{told}", *self._lines()])

    def _lines(self) -> Iterator[str]:
        values = [one for one in self.options if not one.special]
        hidden = len(values) - words.MAX_LISTED
        left_out = set(values[words.MAX_LISTED :]) if hidden > 1 else set()
        width = max((len(one.key) for one in self.options if one not in left_out), default=1)
        for option in self.options:
            if option in left_out:
                continue
            if left_out and option.special:
                yield f"  ... and {hidden} more"
                left_out = set()
            yield f"  {option.key:<{width}}  {_line(option)}"
        if self.hint:
            yield f"  {self.hint}"


def _line(option: Option) -> str:
    """Special answers say what becomes of them; what follows the others is left to `why`."""
    return f"{option.words} ({option.leads_to})" if option.special else option.words


def question_at(source: Source, knowledge: Knowledge, place: Place) -> Question:
    """The question that is open at a place."""
    assert place.column is not None
    column, known = source.columns[place.column], source.known(knowledge, place.column)
    split = source.split(place.node)
    exact = split is None or isinstance(split, Oblique | Distance)
    listed = _exact_options(source, known) if exact else _split_options(source, place, known)
    found = [*_told(source, knowledge, place, listed)]
    found += _special_options(source, place, known, split)
    options = _with_keys(source, place.column, found)
    takes: Takes = "level" if column.levels is not None else "time" if column.time else "number"
    low, high = source.training_limits(place.column)
    return Question(
        column=column.name,
        text=_text(source, place.column, listed, exact),
        options=options,
        takes=takes,
        exact=exact,
        low=low,
        high=high,
        training_range=source.training_range(place.column),
        hint=_hint(takes, listed),
    )


def _exact_options(source: Source, known: Known) -> Listed:
    """One option a level, "yes" before "no"; a number has to be typed."""
    if isinstance(known.values, Interval):
        return []
    number = known.values.column
    codes = sorted(known.values.codes, reverse=source.columns[number].kind == "binary")
    return [(None, Levels(number, frozenset((code,)), False, False)) for code in codes]


def _split_options(source: Source, place: Place, known: Known) -> Listed:
    """One option for each way that known values can take; "yes" before "no"."""
    split = source.split(place.node)
    others = unlisted(split, known.values)
    found: Listed = []
    for child, condition in source.ways(place.node):
        part = known_part(narrowed(known.values, condition))
        if isinstance(part, Levels):
            part = replace(part, codes=part.codes - others)
        if not is_empty(part):
            found.append((child, part))
    binary = source.columns[known.values.column].kind == "binary"
    return found[::-1] if binary else found


def unlisted(split: Split | None, values: Values) -> frozenset[int]:
    """The levels that a split does not list: it treats them as unseen."""
    if not isinstance(values, Levels):
        return frozenset()
    if isinstance(split, Multiway) or (isinstance(split, Subset) and split.rest):
        listed = {*split.codes, *getattr(split, "rest", ())}
        return values.codes - listed
    return frozenset()


def _told(source: Source, knowledge: Knowledge, place: Place, listed: Listed) -> Iterator[Option]:
    for child, values in listed:
        then = {**knowledge, values.column: Known(values)}
        leads_to = lead_words(source, then, place.node, child)
        yield Option("", values_words(values, source), leads_to, _values=values, _child=child)


def lead_words(source: Source, knowledge: Knowledge, node: int, child: int | None) -> str:
    """What follows at a child of a node, or at the node itself (None)."""
    if child == STOP:
        place = Place(node)
    else:
        place = reached(source, knowledge, node if child is None else source.child(node, child))
    if place.column is not None:
        return f"the question about {source.lexicon.names[place.column]}"
    if source.terms(place.node):
        return "the prediction of the model in the leaf"
    return f"the prediction {source.prediction_words(_prediction(source, knowledge, place))}"


def _prediction(source: Source, knowledge: Knowledge, place: Place) -> object:
    end = next(ends(source, place.node, knowledge)) if place.settled else place.node
    return source.constant(end)


def _special_options(
    source: Source, place: Place, known: Known, split: Split | None
) -> Iterator[Option]:
    values = known.values
    if isinstance(values, Levels):
        others = replace(values, codes=unlisted(split, values), missing=False)
        refused = source.columns[values.column].unseen == "error" and not others.codes
        child = None if split is None else unseen_child(split)
        if refused or not is_empty(others):
            told = unseen_way(source, place.node, known, refused)
            yield Option("", ANOTHER_VALUE, told, not refused, True, others, False, child)
    refused = source.columns[values.column].missing == "error"
    told = unknown_way(source, place.node, known, refused)
    vague = not values.missing
    child = None if split is None else split.missing_child
    unknown = values if vague else nothing_known(values)
    yield Option("", DO_NOT_KNOW, told, not refused, True, unknown, vague, child)


def _with_keys(source: Source, column: int, options: list[Option]) -> tuple[Option, ...]:
    """Options with letters as keys, which are told apart from every level of the column."""
    levels = source.columns[column].levels or ()
    taken = {str(level).strip().casefold() for level in levels}
    taken |= {form.casefold() for form in source.lexicon.levels(column)}
    end = ""
    while any(f"{key}{end}" in taken for key, _ in zip(_letters(), options, strict=False)):
        end += ")"
    pairs = zip(_letters(), options, strict=False)
    return tuple(replace(option, key=f"{key}{end}") for key, option in pairs)


def _letters() -> Iterator[str]:
    """a, b, ..., z, aa, ab, ... without the key that quits."""
    for length in count(1):
        for letters in product(ascii_lowercase, repeat=length):
            if (key := "".join(letters)) != QUIT_KEY:
                yield key


def _text(source: Source, number: int, listed: Listed, exact: bool) -> str:
    name, column = source.lexicon.names[number], source.columns[number]
    if column.kind == "binary" and len(listed) == 2:
        return f"{name}: {alternatives(source.lexicon.levels(number)[::-1])}?"
    is_all_one = column.levels is None and len(listed) == 1 and not exact
    return f"Is {name} known?" if is_all_one else f"What is {name}?"


def _hint(takes: Takes, listed: Listed) -> str:
    """What else may be typed, where the options do not show it."""
    what = {"number": "the number", "time": "the date or time", "level": "the level"}[takes]
    if takes != "level":
        return f"or type {what}" if listed else f"type {what}"
    groups = any(isinstance(one, Levels) and len(one.codes) > 1 for _, one in listed)
    return f"or type {what}" if groups or len(listed) > words.MAX_LISTED + 1 else ""
