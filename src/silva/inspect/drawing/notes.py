"""The legend of a picture: the colours of classes, and notes on whatever the boxes leave unsaid."""

from collections.abc import Sequence

from silva.inspect.drawing.boxes import Card, Cards
from silva.inspect.drawing.palette import OTHERS
from silva.inspect.intervals import SMALL_SAMPLE
from silva.messages import counted
from silva.tree import words
from silva.tree.legend import legend
from silva.tree.shown import Limits
from silva.tree.view import TreeView


def keys_of(cards: Cards) -> list[tuple[str, str]]:
    """The colours with the names of their classes, in the order of the classes."""
    named = [
        (colour, words.value(label)) for label, colour in cards.colours.items() if colour != OTHERS
    ]
    others = len(cards.colours) - len(named)
    if others:
        named.append((OTHERS, f"{others} other classes"))
    return named


def notes_of(view: TreeView, limits: Limits, cards: Cards, drawn: Sequence[Card]) -> list[str]:
    """One sentence a line."""
    tree = view.tree
    return [
        *legend(tree, limits.max_listed),
        *_marks(drawn),
        *_intervals(cards, drawn, view),
        *cards.scale_notes(),
        *(f"edited: {one}" for one in tree.edits),
    ]


def _marks(drawn: Sequence[Card]) -> list[str]:
    found = []
    if any(card.few for card in drawn):
        found.append(f"Dashed leaves have fewer than {SMALL_SAMPLE} training rows.")
    stubs = [card for card in drawn if card.kind == "stub"]
    if stubs:
        found.append(
            f"{counted(len(stubs), 'box', 'boxes')} “+ more” stand for nodes that are not drawn."
            if len(stubs) > 1
            else "The box “+ more” stands for nodes that are not drawn."
        )
    return found


def _intervals(cards: Cards, drawn: Sequence[Card], view: TreeView) -> list[str]:
    has_intervals = not cards.weighted and view.tree.linear is None and len(view) > 1
    if not has_intervals or not any(card.kind == "leaf" for card in drawn):
        return []
    return [
        "Intervals have 95% confidence for a leaf fixed in advance; training rows also chose these"
        " leaves, so they are too narrow."
    ]
