"""A tree as a picture: cards of its nodes, laid out, with edges, legend and notes around them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from silva.inspect.drawing.boxes import Card, Cards
from silva.inspect.drawing.layout import tidy
from silva.inspect.drawing.lettering import DOTS, LARGE, LINE, SMALL, wrapped
from silva.inspect.drawing.notes import keys_of, notes_of
from silva.inspect.drawing.scene import Box, Edge, Rect, Scene, Text
from silva.inspect.drawing.shapes import (
    STRIPE,
    Shape,
    label_lines,
    label_width,
    shape,
    short,
    text_width,
)
from silva.messages import counted
from silva.tree.shown import Limits, grouped, shown_nodes
from silva.tree.view import TreeView, title

MARGIN = 18.0
CORNERS = {"split": 4.0, "leaf": 9.0}
GAP = 14.0
"""The least distance of boxes side by side."""
LABEL_ROOM = 160.0
LABEL_LINE = SMALL * LINE
CURVE, SLOPE, MOST_CURVE = 26.0, 0.06, 90.0
"""The height of the curves of edges: at least, more for each pixel to the side, and at most."""
THINNEST, THICKEST = 1.2, 9.0
NOTES_ROOM, TITLE_ROOM = 560.0, 320.0
NOTE_LINES = 4
NAME_ROOM = 180.0
KEY = 11.0
"""The size of the squares of the legend."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A card with its place in the tree, and the label of the edge above it."""

    card: Card
    shape: Shape
    parent: int
    depth: int
    label: tuple[str, ...]
    condition: str

    @property
    def width(self) -> float:
        return max(self.shape.width, label_width(list(self.label)))


def arrange(view: TreeView, limits: Limits, cards: Cards, prefix: str = "") -> Scene:
    """The picture of the nodes that the limits show; `prefix` begins its title."""
    cells = _cells(view, limits, cards)
    middles = tidy(_children(cells), [cell.width for cell in cells], GAP)
    widest = max(x + cell.width / 2 for x, cell in zip(middles, cells, strict=True))
    heading = short(prefix + title(view), max(widest, NOTES_ROOM), "title")
    room = max(widest, min(NOTES_ROOM, TITLE_ROOM + widest / 2), text_width(heading, "title"))
    shift = MARGIN + (room - widest) / 2
    levels = _levels(cells, middles, MARGIN + LARGE * LINE + 10.0)
    boxes = _boxes(cells, [x + shift for x in middles], levels)
    bottom = max(box.y + box.height for box in boxes) + 20.0
    keys, names, bottom = _legend(keys_of(cards), room, bottom)
    drawn = [cell.card for cell in cells]
    notes, bottom = _notes(notes_of(view, limits, cards, drawn), room, bottom)
    return Scene(
        width=room + 2 * MARGIN,
        height=bottom + MARGIN - 4.0,
        title=prefix + title(view),
        description=_description(view, drawn),
        boxes=tuple(boxes),
        edges=tuple(_edges(cells, boxes, levels)),
        keys=tuple(keys),
        texts=(Text(MARGIN, MARGIN + LARGE, heading, "title"), *names, *notes),
    )


def _cells(view: TreeView, limits: Limits, cards: Cards) -> list[Cell]:
    """The boxes in pre-order; neighbours that are not shown are one box."""
    shown = shown_nodes(view, limits)
    records = view.nodes(np.flatnonzero(shown), limits.max_listed)
    visible = shown.tolist()
    cells: list[Cell] = []
    stack: list[tuple[tuple[int, ...], bool, int, int, str, str]] = [((0,), True, -1, 0, "", "")]
    while stack:
        nodes, is_shown, parent, depth, label, condition = stack.pop()
        here = len(cells)
        record = next(records) if is_shown else None
        card = cards.stub(nodes) if record is None else cards.of(record)
        lines = tuple(label_lines(label, LABEL_ROOM)) if label else ()
        cells.append(Cell(card, shape(card), parent, depth, lines, condition))
        if record is not None:
            place = {child: number for number, child in enumerate(record.children)}
            for below, is_drawn in reversed(grouped(record.children, visible)):
                number = place[below[0]]
                is_child = len(below) == 1
                words = (card.answers[number], record.edges[number]) if is_child else ("", "")
                stack.append((below, is_drawn, here, depth + 1, *words))
    return cells


def _children(cells: Sequence[Cell]) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in cells]
    for number, cell in enumerate(cells[1:], 1):
        children[cell.parent].append(number)
    return children


class Levels(NamedTuple):
    """By depth: the top of the boxes, and the height of the labels above them."""

    top: list[float]
    band: list[float]


def _levels(cells: Sequence[Cell], middles: Sequence[float], top: float) -> Levels:
    """Boxes of one depth have one top, below labels and curves, which are higher if far apart."""
    count = max(cell.depth for cell in cells) + 1
    height, lines, span = [0.0] * count, [0] * count, [0.0] * count
    for cell, x in zip(cells, middles, strict=True):
        height[cell.depth] = max(height[cell.depth], cell.shape.height)
        lines[cell.depth] = max(lines[cell.depth], len(cell.label))
        if cell.parent >= 0:
            span[cell.depth] = max(span[cell.depth], abs(x - middles[cell.parent]))
    tops, bands = [top], [many * LABEL_LINE + 8.0 for many in lines]
    for depth in range(1, count):
        curve = min(MOST_CURVE, CURVE + SLOPE * span[depth])
        tops.append(tops[-1] + height[depth - 1] + curve + bands[depth])
    return Levels(tops, bands)


def _boxes(cells: Sequence[Cell], middles: Sequence[float], levels: Levels) -> list[Box]:
    return [
        _box(cell, round(x - cell.shape.width / 2, 2), round(levels.top[cell.depth], 2))
        for cell, x in zip(cells, middles, strict=True)
    ]


def _box(cell: Cell, x: float, y: float) -> Box:
    card, own = cell.card, cell.shape
    stripe = Rect(x + 4.0, y + 8.0, STRIPE, own.height - 16.0, card.accent)
    return Box(
        kind=card.kind,
        node=card.node,
        name=card.name,
        x=x,
        y=y,
        width=own.width,
        height=own.height,
        dashed=card.few or card.kind == "stub",
        corner=own.height / 2 if card.kind == "stub" else CORNERS[card.kind],
        texts=tuple(replace(one, x=one.x + x, y=one.y + y) for one in own.texts),
        rects=tuple(replace(one, x=one.x + x, y=one.y + y) for one in own.rects),
        stripe=stripe if card.accent else None,
        colour=card.colour,
    )


def _edges(cells: Sequence[Cell], boxes: Sequence[Box], levels: Levels) -> list[Edge]:
    all_rows = max(1, cells[0].card.rows)
    return [
        _edge(cell, number, boxes, levels.band[cell.depth], cell.card.rows / all_rows)
        for number, cell in enumerate(cells)
        if cell.parent >= 0
    ]


def _edge(cell: Cell, number: int, boxes: Sequence[Box], band: float, share: float) -> Edge:
    above, below = boxes[cell.parent], boxes[number]
    x = below.x + below.width / 2
    first = below.y - 7.0 - (len(cell.label) - 1) * LABEL_LINE
    label = tuple(
        Text(x, first + place * LABEL_LINE, line, "plain", True)
        for place, line in enumerate(cell.label)
    )
    return Edge(
        parent=cell.parent,
        child=number,
        x1=above.x + above.width / 2,
        y1=above.y + above.height,
        x2=x,
        y2=below.y,
        bend=below.y - band,
        width=round(THINNEST + (THICKEST - THINNEST) * share, 2),
        dashed=cell.card.kind == "stub",
        condition=cell.condition,
        label=label,
    )


def _legend(
    named: Sequence[tuple[str, str]], room: float, top: float
) -> tuple[list[Rect], list[Text], float]:
    """Squares of the colours with the names of their classes, and where they end."""
    keys, texts = [], []
    x, y = MARGIN, top
    for colour, name in named:
        told = short(name, NAME_ROOM, "plain")
        needed = KEY + 6.0 + text_width(told, "plain") + 18.0
        if x > MARGIN and x + needed > MARGIN + room:
            x, y = MARGIN, y + LABEL_LINE + 4.0
        keys.append(Rect(x, y, KEY, KEY, colour, name))
        texts.append(Text(x + KEY + 6.0, y + 9.5, told, "plain", full="" if told == name else name))
        x += needed
    return keys, texts, y + (LABEL_LINE + 8.0 if keys else 0.0)


def _notes(notes: Sequence[str], room: float, top: float) -> tuple[list[Text], float]:
    """The notes, one below the other, and where they end."""
    texts: list[Text] = []
    for note in notes:
        lines = wrapped(note, room, SMALL, NOTE_LINES)
        full = note if lines[-1].endswith(DOTS) else ""
        for line in lines:
            y = top + len(texts) * LABEL_LINE + SMALL
            texts.append(Text(MARGIN, y, line, "quiet", full=full))
    return texts, top + len(texts) * LABEL_LINE


def _description(view: TreeView, drawn: Sequence[Card]) -> str:
    told = (
        f"A {view.tree.task} tree of {counted(view.tree.n_leaves, 'leaf', 'leaves')} and depth"
        f" {int(view.depth.max())}, grown from {counted(drawn[0].rows, 'row')}."
    )
    count = sum(card.kind != "stub" for card in drawn)
    if count < len(view):
        told += f" {count:,} of its {len(view):,} nodes are drawn."
    return f"{told} {drawn[0].name}."
