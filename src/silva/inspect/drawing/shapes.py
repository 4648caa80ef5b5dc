"""The inside of a box: places of its lines and bars, from its own top left corner."""

from dataclasses import dataclass

from silva.inspect.drawing.boxes import ROOM, Card, Histogram, Line, Shares, Spread
from silva.inspect.drawing.lettering import LARGE, LINE, NORMAL, SMALL, fitted, width, wrapped
from silva.inspect.drawing.palette import TARGET
from silva.inspect.drawing.scene import Rect, Text

PAD_X, PAD_Y = 11.0, 8.0
STRIPE = 5.0
"""The width of the stripe at the left of a leaf."""
NARROWEST = {"split": 104.0, "leaf": 84.0, "stub": 60.0}
BAR, HISTOGRAM, SPREAD = 11.0, 30.0, 12.0
AFTER_BAR = 4.0
SIZES = {"title": LARGE, "question": NORMAL, "answer": LARGE, "plain": SMALL, "quiet": SMALL}
BOLD = ("title", "question", "answer")
MOST_LINES = {"question": 3, "answer": 2, "plain": 2, "quiet": 1}


@dataclass(frozen=True, slots=True)
class Shape:
    """A box without a place."""

    width: float
    height: float
    texts: tuple[Text, ...]
    rects: tuple[Rect, ...]


Broken = tuple[Line | Shares | Spread | Histogram, list[str]]
"""A part of a card with the lines of its text."""


def shape(card: Card) -> Shape:
    """The size of a card's box and what is where in it."""
    broken = [_broken(part) for part in card.parts]
    left = PAD_X + (STRIPE if card.kind == "leaf" else 0.0)
    inner = max(
        NARROWEST[card.kind],
        *(_width(line, part) for part, lines in broken if isinstance(part, Line) for line in lines),
    )
    return _stacked(card, broken, left, inner)


def _broken(part: Line | Shares | Spread | Histogram) -> Broken:
    if not isinstance(part, Line):
        return part, []
    size, bold = SIZES[part.tone], part.tone in BOLD
    return part, wrapped(part.text, ROOM, size, MOST_LINES[part.tone], bold)


def _width(line: str, part: Line) -> float:
    return width(line, SIZES[part.tone], part.tone in BOLD)


def _stacked(card: Card, broken: list[Broken], left: float, inner: float) -> Shape:
    texts: list[Text] = []
    rects: list[Rect] = []
    top = PAD_Y
    for part, lines in broken:
        if isinstance(part, Line):
            centre = left + inner / 2 if card.kind == "stub" else None
            texts += _lines(part, lines, left, top, centre)
            top += len(lines) * SIZES[part.tone] * LINE
        else:
            drawn, height = _bar(part, left, top + 2.0, inner)
            rects += drawn
            top += height + AFTER_BAR
    return Shape(left + inner + PAD_X, top + PAD_Y - 2.0, tuple(texts), tuple(rects))


def _lines(
    part: Line, lines: list[str], left: float, top: float, centre: float | None
) -> list[Text]:
    size = SIZES[part.tone]
    whole = part.full or part.text
    full = "" if "".join(lines).replace(" ", "") == whole.replace(" ", "") else whole
    return [
        Text(
            left if centre is None else centre,
            top + place * size * LINE + size,
            line,
            part.tone,
            centre is not None,
            full,
        )
        for place, line in enumerate(lines)
    ]


def _bar(
    part: Shares | Spread | Histogram, left: float, top: float, inner: float
) -> tuple[list[Rect], float]:
    if isinstance(part, Shares):
        return _shares(part, left, top, inner), BAR
    if isinstance(part, Spread):
        return _spread(part, left, top, inner), SPREAD
    return _histogram(part, left, top, inner), HISTOGRAM


def _shares(part: Shares, left: float, top: float, inner: float) -> list[Rect]:
    found, begin = [], left
    for colour, share, told in part.parts:
        found.append(Rect(begin, top, share * inner, BAR, colour, told))
        begin += share * inner
    return found


def _spread(part: Spread, left: float, top: float, inner: float) -> list[Rect]:
    middle = top + SPREAD / 2
    begin, end = left + part.low * inner, left + part.high * inner
    return [
        Rect(left, middle - 1.0, inner, 2.0, "track"),
        Rect(begin, middle - 3.0, max(0.0, end - begin), 6.0, TARGET, "mean ± deviation"),
        _mark(left, top, inner, part.mean, SPREAD),
    ]


def _histogram(part: Histogram, left: float, top: float, inner: float) -> list[Rect]:
    room = HISTOGRAM - 2.0
    step = inner / len(part.heights)
    bins = [
        Rect(left + place * step, top + room * (1 - height), step - 1.0, room * height, TARGET)
        for place, height in enumerate(part.heights)
        if height
    ]
    base = Rect(left, top + room, inner, 1.0, "line")
    mark = [] if part.mean is None else [_mark(left, top, inner, part.mean, HISTOGRAM)]
    return [base, *bins, *mark]


def _mark(left: float, top: float, inner: float, place: float, height: float) -> Rect:
    """A line at the mean, which never leaves its scale."""
    return Rect(left + place * (inner - 2.0), top, 2.0, height, "mark", "mean")


def label_lines(text: str, room: float) -> list[str]:
    """The label of an edge, on two lines at most."""
    return wrapped(text, room, SMALL, 2)


def label_width(lines: list[str]) -> float:
    return max((width(line, SMALL) for line in lines), default=0.0)


def short(text: str, room: float, style: str) -> str:
    """A line of this style that fits."""
    return fitted(text, room, SIZES[style], style in BOLD)


def text_width(text: str, style: str) -> float:
    return width(text, SIZES[style], style in BOLD)
