"""A picture of a tree as plain values in one system of coordinates: pixels from the top left.

Whatever draws trees draws this, so that all pictures look the same: `export.svg`, `plot.tree`, and
with `Scene.to_dict()` any other program. Colours are names of `palette`.
"""

from dataclasses import dataclass
from typing import Any, Literal

from silva.inspect.record import plain

Style = Literal["title", "question", "answer", "plain", "quiet"]


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text that begins at x, or has its middle there; y is its baseline.

    `full` is what it would say with more room, "" if that is the same.
    """

    x: float
    y: float
    text: str
    style: Style
    centred: bool = False
    full: str = ""


@dataclass(frozen=True, slots=True)
class Rect:
    """A filled rectangle; `full` says what it stands for."""

    x: float
    y: float
    width: float
    height: float
    colour: str
    full: str = ""


@dataclass(frozen=True, slots=True)
class Box:
    """The box of a node (of nodes that are not drawn: -1), with what is in it.

    `name` says all of it in a sentence. `colour` is that of what the node predicts ("" if that is
    not shown); a leaf has a stripe of it. `corner` is the radius of the corners. The border is
    dashed where `dashed`: leaves with few rows, and nodes that are not drawn.
    """

    kind: Literal["split", "leaf", "stub"]
    node: int
    name: str
    x: float
    y: float
    width: float
    height: float
    dashed: bool
    corner: float
    texts: tuple[Text, ...]
    rects: tuple[Rect, ...]
    stripe: Rect | None
    colour: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """The way from a box to one of its children, both by their places among the boxes.

    A curve leads from the bottom of the parent (x1, y1) to (x2, bend), its ends vertical, then a
    line to the top of the child (x2, y2), which passes through the label. `condition` is the exact
    rule, and `width` grows with the training rows.
    """

    parent: int
    child: int
    x1: float
    y1: float
    x2: float
    y2: float
    bend: float
    width: float
    dashed: bool
    condition: str
    label: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """The whole picture. Boxes are in pre-order; `texts` are the title and the notes.

    `keys` are the coloured squares of the legend, whose names are among `texts`.
    """

    width: float
    height: float
    title: str
    description: str
    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]
    keys: tuple[Rect, ...]
    texts: tuple[Text, ...]

    def to_dict(self) -> dict[str, Any]:
        """The picture as dicts, lists, texts and numbers."""
        names = ("width", "height", "title", "description", "boxes", "edges", "keys", "texts")
        return {name: plain(getattr(self, name)) for name in names}
