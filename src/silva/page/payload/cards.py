"""The boxes of nodes with the places of their lines and bars, as the page draws them."""

from typing import Any

import numpy as np

from silva.inspect.drawing.arrange import LABEL_ROOM
from silva.inspect.drawing.boxes import Card, Cards, Line
from silva.inspect.drawing.scene import Rect, Text
from silva.inspect.drawing.shapes import label_lines, shape
from silva.tree.view import TreeView

MOST_CARDS = 6_000
"""Nodes with more rows come first; the page draws the others as plain boxes."""


def cards(view: TreeView, made: Cards, max_listed: int | None) -> list[dict[str, Any] | None]:
    """The box of each node, None beyond the limit."""
    drawn = np.zeros(len(view), dtype=bool)
    drawn[np.argsort(-view.rows, kind="stable")[:MOST_CARDS]] = True
    found: list[dict[str, Any] | None] = [None] * len(view)
    labels: dict[int, str] = {}
    for record in view.nodes(np.flatnonzero(drawn), max_listed):
        card = made.of(record)
        labels |= dict(zip(record.children, card.answers, strict=False))
        found[record.number] = _box(card, labels.get(record.number, ""))
    return found


def _box(card: Card, label: str) -> dict[str, Any]:
    drawn = shape(card)
    question = next((one for one in card.parts if isinstance(one, Line)), None)
    is_asked = card.kind == "split" and question is not None
    return {
        "w": round(drawn.width, 2),
        "h": round(drawn.height, 2),
        "name": card.name,
        "few": card.few,
        "accent": card.accent,
        "texts": [_text(one) for one in drawn.texts],
        "rects": [_rect(one) for one in drawn.rects],
        "label": label_lines(label, LABEL_ROOM) if label else [],
        "question": (question.full or question.text) if is_asked and question else "",
    }


def _text(text: Text) -> list[Any]:
    return [round(text.x, 2), round(text.y, 2), text.text, text.style, text.full]


def _rect(rect: Rect) -> list[Any]:
    sizes = (rect.x, rect.y, rect.width, rect.height)
    return [*(round(one, 2) for one in sizes), rect.colour, rect.full]
