"""What a node asks and how each child answers, in so few words that they fit a picture."""

from collections.abc import Sequence
from typing import NamedTuple

from silva.data.schema import Column
from silva.inspect.drawing.lettering import DOTS, cut_decimals
from silva.tree import words
from silva.tree.splits import Distance, Oblique, Split, Subset, columns_of

LONGEST_NAME, LONGEST_QUESTION, LONGEST_LABEL = 40, 70, 44
"""Characters that can be read in a box and above it."""
FEWER = (6, 4, 3, 2, 1)
"""How many levels of a set are named, if all are too many: as many as fit."""


class Question(NamedTuple):
    """The question in a box, its exact words, and a label for each edge.

    Only `exact` has all digits of long decimals.
    """

    text: str
    exact: str
    answers: tuple[str, ...]


def question(
    split: Split, columns: Sequence[Column], edges: tuple[str, ...], most: int | None
) -> Question:
    """The question of a split whose children have these edges (see `words.edges`)."""
    who = _compared(split, columns, most)
    stated = words.conditions(split, columns, most)
    if all(one.startswith((f"{who} = ", f"{who} is missing")) for one in stated):
        exact = f"{who}?"
    else:
        exact = f"{stated[int(isinstance(split, Subset))]}?"
    asked, labels = exact, edges
    if isinstance(split, Subset):
        asked, labels = _with_short_lists(split, columns, edges, stated, most)
    answers = tuple(cut_decimals(_answer(edge, who)) for edge in labels)
    return Question(cut_decimals(_with_short_name(asked, who, split)), exact, answers)


def _with_short_lists(
    split: Subset,
    columns: Sequence[Column],
    edges: tuple[str, ...],
    stated: tuple[str, ...],
    most: int | None,
) -> tuple[str, tuple[str, ...]]:
    """The question and the edges of a split with so few levels named that they can be read."""
    shorter = [most, *(few for few in FEWER if most is None or few < most)]
    told = [words.conditions(split, columns, few) for few in shorter]
    guests = [edge.removeprefix(one) for edge, one in zip(edges, stated, strict=True)]
    asked = [f"{one[1]}?" for one in told]
    labels = [tuple(text + guest for text, guest in zip(one, guests, strict=True)) for one in told]
    room = LONGEST_LABEL + len(words.name(columns[split.column].name))
    return (
        next((one for one in asked if len(one) <= LONGEST_QUESTION), asked[-1]),
        next((one for one in labels if max(map(len, one)) <= room), labels[-1]),
    )


def _with_short_name(asked: str, who: str, split: Split) -> str:
    """The question with the beginning of a long name, so that what is asked of it can be read."""
    if len(who) <= LONGEST_NAME or isinstance(split, Oblique | Distance):
        return asked
    return asked.replace(who, who[: LONGEST_NAME - 1] + DOTS, 1)


def _compared(split: Split, columns: Sequence[Column], most: int | None) -> str:
    if isinstance(split, Oblique | Distance):
        return words.measured(split, columns, most)[0]
    return words.name(columns[columns_of(split)[0]].name)


def _answer(edge: str, who: str) -> str:
    """The condition of an edge without what is in the box above it: `< 42.5 or missing`, `red`."""
    return edge.removeprefix(f"{who} ").removeprefix("= ").removeprefix("is ")
