"""What a node asks and how each child answers, in so few words that they fit a picture."""

from collections.abc import Sequence
from typing import NamedTuple

from silva.data.schema import Column
from silva.tree import words
from silva.tree.splits import Distance, Oblique, Split, Subset, columns_of

DIGITS = 3


class Question(NamedTuple):
    """The question in a box with the exact words of the split, and a label for each edge.

    `is_exact` is False where numbers of a sum or a distance are rounded in `text`.
    """

    text: str
    exact: str
    answers: tuple[str, ...]
    is_exact: bool = True


def question(
    split: Split, columns: Sequence[Column], edges: tuple[str, ...], most: int | None
) -> Question:
    """The question of a split whose children have these edges (see `words.edges`)."""
    if isinstance(split, Oblique | Distance):
        return _measured(split, columns, edges, most)
    who = words.name(columns[columns_of(split)[0]].name)
    answers = tuple(_answer(edge, who) for edge in edges)
    stated = words.conditions(split, columns, most)
    if len(edges) > 2 or all(one.startswith(f"{who} = ") for one in stated):
        return Question(f"{who}?", f"{who}?", answers)
    asked = f"{stated[int(isinstance(split, Subset))]}?"
    return Question(asked, asked, answers)


def _measured(
    split: Oblique | Distance, columns: Sequence[Column], edges: tuple[str, ...], most: int | None
) -> Question:
    what, limit = words.measured(split, columns, most)
    about, near = words.measured(split, columns, most, DIGITS)
    exact, told = f"{what} < {limit}?", f"{about} < {near}?"
    answers = tuple(_answer(edge, what) for edge in edges)
    if exact == told:
        return Question(exact, exact, answers)
    return Question(f"≈ {told}", exact, answers, is_exact=False)


def _answer(edge: str, who: str) -> str:
    """The condition of an edge without what is in the box above it: `< 42.5 or missing`, `red`."""
    return edge.removeprefix(f"{who} ").removeprefix("= ").removeprefix("is ")
