"""What a node asks and how each child answers, in so few words that they fit a picture."""

from collections.abc import Sequence
from typing import NamedTuple

from silva.data.schema import Column
from silva.inspect.drawing.lettering import DOTS, cut_decimals
from silva.tree import words
from silva.tree.splits import Distance, Oblique, Split, Subset, columns_of

LONGEST_NAME = 40


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
    answers = tuple(cut_decimals(_answer(edge, who)) for edge in edges)
    return Question(cut_decimals(_with_short_name(exact, who, split)), exact, answers)


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
