"""A tree as SVG text: one file without scripts, fonts or references, which any browser shows."""

import re
from html import escape
from typing import Any

from silva.checks import check_choice
from silva.inspect.drawing.lettering import LARGE, NORMAL, SMALL, isolated
from silva.inspect.drawing.palette import DARK, LIGHT, THEMES, Theme
from silva.inspect.drawing.picture import picture
from silva.inspect.drawing.scene import Box, Edge, Rect, Scene, Text
from silva.tree.words import MAX_LISTED

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FILLS = ("others", "target", "track", "mark")


def to_svg(
    model: Any,
    *,
    tree: int | None = None,
    X: Any = None,
    y: Any = None,
    max_depth: int | None = None,
    min_rows: int | None = None,
    max_nodes: int | None = None,
    max_listed: int | None = MAX_LISTED,
    theme: Theme = "auto",
) -> str:
    """Draw the tree of a fitted model as SVG.

    A box shows what its node asks, its training rows (and their weight, if rows have weights) and
    their class shares, or mean and deviation. A leaf shows its prediction in bold, with a 95%
    interval; dashed leaves have fewer than ten rows. Edges say the condition of each child, and are
    as thick as the child has rows. Texts that are cut short are whole in the tooltip.

    Parameters
    ----------
    model : fitted estimator, Tree or Pipeline
        A model of silva, or a pipeline or search that ends in one.
    tree : int, default=None
        Which tree of a forest or of boosted trees to draw; 0 is the first.
    X, y : default=None
        Rows with their targets: boxes then show the classes of those that reach the node beside
        those of training, or a histogram of their targets.
    max_depth : int, default=None
        Draw nodes down to this depth; the root has depth 0.
    min_rows : int, default=None
        Draw nodes with at least so many training rows.
    max_nodes : int, default=None
        Draw at most so many nodes, those with the most training rows.
    max_listed : int or None, default=10
        Name at most so many levels or terms of a condition; None names all.
    theme : {"auto", "light", "dark"}, default="auto"
        Colours; "auto" follows the reader's setting.

    Returns
    -------
    str
        The whole file. Nodes that limits leave out are summed up as "+12 more, 3% of rows".

    See Also
    --------
    silva.plot_tree : the same picture by matplotlib.
    silva.to_text : the tree as indented text.

    Examples
    --------
    >>> import silva
    >>> model = silva.TreeClassifier().fit([[1.0], [2.0], [3.0]], ["a", "b", "b"])
    >>> picture = silva.to_svg(model)
    >>> picture[:4], picture.count("<g role=")
    ('<svg', 3)
    """
    check_choice("theme", theme, THEMES)
    limits = {"max_depth": max_depth, "min_rows": min_rows, "max_nodes": max_nodes}
    return svg_of(picture(model, tree=tree, X=X, y=y, max_listed=max_listed, **limits), theme)


def svg_of(scene: Scene, theme: Theme = "auto") -> str:
    """The picture as SVG."""
    width, height = _number(scene.width), _number(scene.height)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="silva-tree silva-{theme}" role="img"'
        f' direction="ltr" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        f"<title>{_escaped(scene.title)}</title>",
        f"<desc>{_escaped(scene.description)}</desc>",
        f"<style>{_style(theme)}</style>",
        f'<rect class="paper" width="{width}" height="{height}"/>',
        *map(_edge, scene.edges),
        *map(_box, scene.boxes),
        *map(_rect, scene.keys),
        *map(_text, scene.texts),
        "</svg>\n",
    ]
    return "\n".join(lines)


def _box(box: Box) -> str:
    few = " few" if box.dashed else ""
    return "".join(
        [
            f'<g role="img" class="{box.kind}{few}"><title>{_escaped(box.name)}</title>',
            f'<rect class="box" {_at(box)} rx="{_number(box.corner)}"/>',
            "" if box.stripe is None else _rect(box.stripe),
            *map(_rect, box.rects),
            *map(_text, box.texts),
            "</g>",
        ]
    )


def _rect(rect: Rect) -> str:
    if not rect.full:
        return f'<rect class="{rect.colour}" {_at(rect)}/>'
    return f'<rect class="{rect.colour}" {_at(rect)}><title>{_escaped(rect.full)}</title></rect>'


def _at(shape: Box | Rect) -> str:
    x, y, width, height = map(_number, (shape.x, shape.y, shape.width, shape.height))
    return f'x="{x}" y="{y}" width="{width}" height="{height}"'


def _edge(edge: Edge) -> str:
    x1, y1, x2, y2, bend = map(_number, (edge.x1, edge.y1, edge.x2, edge.y2, edge.bend))
    middle = _number((edge.y1 + edge.bend) / 2)
    kind = "edge hidden" if edge.dashed else "edge"
    path = f"M{x1} {y1}C{x1} {middle} {x2} {middle} {x2} {bend}V{y2}"
    told = f"<title>{_escaped(edge.condition)}</title>" if edge.condition else ""
    labels = "".join(map(_text, edge.label))
    return f'<g>{told}<path class="{kind}" stroke-width="{edge.width}" d="{path}"/>{labels}</g>'


def _text(text: Text) -> str:
    kind = f"{text.style} middle" if text.centred else text.style
    title = f"<title>{_escaped(text.full)}</title>" if text.full else ""
    place = f'x="{_number(text.x)}" y="{_number(text.y)}"'
    return f'<text class="{kind}" {place}>{title}{isolated(_escaped(text.text))}</text>'


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _escaped(text: str) -> str:
    return escape(_FORBIDDEN.sub("\ufffd", text))


def _style(theme: Theme) -> str:
    """Rules for this theme alone: pictures of several themes share a page without a clash."""
    own = f".silva-{theme}"
    scheme = "light dark" if theme == "auto" else theme
    rules = [
        f"{own}{{color-scheme:{scheme}}}",
        f"{own} text{{font-family:sans-serif;unicode-bidi:isolate}}",
        f"{own} .title{{font-size:{LARGE:g}px;font-weight:bold}}",
        f"{own} .question{{font-size:{NORMAL:g}px;font-weight:bold}}",
        f"{own} .answer{{font-size:{LARGE:g}px;font-weight:bold}}",
        f"{own} .plain,{own} .quiet{{font-size:{SMALL:g}px}}",
        f"{own} .middle{{text-anchor:middle;paint-order:stroke;stroke-width:4px;"
        "stroke-linejoin:round}",
        f"{own} .box{{stroke-width:1.2}}",
        f"{own} .few .box{{stroke-dasharray:5 3}}",
        f"{own} .edge{{fill:none}}",
        f"{own} .hidden{{stroke-dasharray:3 4}}",
    ]
    rules += _colours(own, DARK if theme == "dark" else LIGHT)
    if theme == "auto":
        rules.append(f"@media (prefers-color-scheme:dark){{{''.join(_colours(own, DARK))}}}")
    return "".join(rules)


def _colours(own: str, colours: dict[str, str]) -> list[str]:
    fills = [name for name in colours if name in _FILLS or name[:5] in ("class", "shade")]
    return [
        f"{own} .paper{{fill:{colours['paper']}}}",
        f"{own} text{{fill:{colours['ink']}}}",
        f"{own} .quiet{{fill:{colours['quiet']}}}",
        f"{own} .middle{{stroke:{colours['paper']}}}",
        f"{own} .box{{stroke:{colours['line']}}}",
        f"{own} .split .box{{fill:{colours['split']}}}",
        f"{own} .leaf .box,{own} .stub .box{{fill:{colours['leaf']}}}",
        f"{own} .edge{{stroke:{colours['edge']}}}",
        f"{own} .line{{fill:{colours['line']}}}",
        *(f"{own} .{name}{{fill:{colours[name]}}}" for name in fills),
    ]
