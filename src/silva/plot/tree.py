"""The picture of a tree by matplotlib: the same scene that `silva.to_svg` writes."""

from collections.abc import Iterator, Sequence
from inspect import signature
from typing import TYPE_CHECKING, Any

from silva.checks import check_flag
from silva.inspect.drawing.lettering import isolated
from silva.inspect.drawing.palette import LIGHT
from silva.inspect.drawing.picture import picture
from silva.inspect.drawing.scene import Box, Edge, Rect, Scene, Text
from silva.inspect.drawing.shapes import BOLD, SIZES
from silva.messages import nearest, shown
from silva.plot.canvas import current_axes, new_figure, panels_of
from silva.tree.words import MAX_LISTED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Patch

INSTEAD = {
    "impurity": "model.tree_.impurity has the impurities; boxes show the shares of classes",
    "proportion": "leave it out: boxes show both rows and the shares of classes",
    "precision": "leave it out: conditions are exact, shares and means are rounded for reading",
    "fontsize": "give a larger figure: letters fit the axes, as in plt.figure(figsize=(20, 10))",
    "label": "leave it out: boxes need no labels",
    "node_ids": "silva.to_text(model, numbers=True) shows the numbers of nodes",
    "decision_tree": "give it as the first argument",
}
"""What takes the place of other parameters of scikit-learn's `plot_tree`."""
AS_IT_IS = {"impurity": False, "node_ids": False, "fontsize": None}
"""Values of these that ask for what is drawn anyway."""
TINT = 0.3
"""The share of a node's own color in its box where boxes are filled."""
PIXELS = 96.0
"""Pixels of a scene in an inch of a new figure."""
WIDEST = 250.0
"""The longest side of a new figure, in inches; larger pictures are drawn smaller."""


def plot_tree(
    model: Any,
    ax: "Axes | None" = None,
    X: Any = None,
    y: Any = None,
    *,
    tree: int | None = None,
    max_depth: int | None = None,
    min_rows: int | None = None,
    max_nodes: int | None = None,
    max_listed: int | None = MAX_LISTED,
    feature_names: Any = None,
    class_names: Any = None,
    filled: bool = False,
    rounded: bool = True,
    **others: Any,
) -> "Axes":
    """Draw the tree of a fitted model by matplotlib.

    The picture is that of `silva.to_svg`: the same boxes, edges, bars, legend and notes.
    Most parameters of `sklearn.tree.plot_tree` are there; for the others a TypeError says what
    shows the same.

    Parameters
    ----------
    model : fitted estimator, Tree or Pipeline
        A model of silva, or a pipeline or search that ends in one.
    ax : matplotlib Axes, default=None
        Where to draw; letters are scaled to fit. None takes the current axes of pyplot while they
        are empty, else a new figure of the size of the tree.
    X, y : default=None
        Rows with their targets: boxes then show the classes of those that reach the node beside
        those of training, or a histogram of their targets.
    tree : int, default=None
        Which tree of a forest or of boosted trees to draw; 0 is the first.
    max_depth : int, default=None
        Draw nodes down to this depth; the root has depth 0.
    min_rows : int, default=None
        Draw nodes with at least so many training rows.
    max_nodes : int, default=None
        Draw at most so many nodes, those with the most training rows.
    max_listed : int or None, default=10
        Name at most so many levels or terms of a condition; None names all.
    feature_names : sequence of str, default=None
        Names for the columns, in the order of the model's columns. None: those of the table.
    class_names : sequence of str, default=None
        Names for the classes, in the order of `classes_`. None: the labels themselves.
    filled : bool, default=False
        Fill each box with a pale tint of the color of its largest class or of its mean.
    rounded : bool, default=True
        Whether boxes have round corners.
    **others
        Further parameters of scikit-learn's function are refused, with what to use instead.

    Returns
    -------
    Axes
        Where the tree is drawn; the figure is `axes.figure`.

    See Also
    --------
    silva.to_svg : the picture as SVG, with the whole of long texts in tooltips.
    """
    _refuse_others(others)
    check_flag("filled", filled)
    check_flag("rounded", rounded)
    limits = {"max_depth": max_depth, "min_rows": min_rows, "max_nodes": max_nodes}
    names = {"feature_names": feature_names, "class_names": class_names}
    scene = picture(model, tree=tree, X=X, y=y, max_listed=max_listed, **limits, **names)
    axes = (current_axes() or _new_axes(scene)) if ax is None else panels_of(ax, 1, (1.0, 1.0))[0]
    axes.set_xlim(0.0, scene.width)
    axes.set_ylim(scene.height, 0.0)
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.apply_aspect()
    _draw(axes, scene, filled, rounded)
    return axes


def _refuse_others(others: dict[str, Any]) -> None:
    for name, value in others.items():
        if name in AS_IT_IS and value is AS_IT_IS[name]:
            continue
        if name in INSTEAD:
            raise TypeError(f"plot_tree: {name}={shown(value)} is not possible; {INSTEAD[name]}.")
        near = nearest(name, signature(plot_tree).parameters)
        hint = f" Did you mean {near}?" if near else ""
        raise TypeError(f"plot_tree() got an unexpected keyword argument {name!r}.{hint}")


def _new_axes(scene: Scene) -> "Axes":
    scale = min(1.0, WIDEST * PIXELS / max(scene.width, scene.height)) / PIXELS
    figure = new_figure(scene.width * scale, scene.height * scale)
    figure.set_layout_engine("none")
    figure.set_facecolor(LIGHT["paper"])
    return figure.add_axes((0.0, 0.0, 1.0, 1.0))


def _draw(axes: "Axes", scene: Scene, filled: bool, rounded: bool) -> None:
    from matplotlib.collections import PatchCollection

    from silva.plot.scaled_text import points_a_unit

    points = points_a_unit(axes)
    edges = [_path(edge) for edge in scene.edges]
    style: dict[str, Any] = {"facecolor": "none", "edgecolor": LIGHT["edge"]}
    for dashed in (False, True):
        chosen = [place for place, edge in enumerate(scene.edges) if edge.dashed == dashed]
        axes.add_collection(
            PatchCollection(
                [edges[place] for place in chosen],
                linewidths=[scene.edges[place].width * points for place in chosen],
                linestyles=(0, (3, 4)) if dashed else "solid",
                zorder=1,
                **style,
            )
        )
    _draw_boxes(axes, scene.boxes, points, filled, rounded)
    rects = [*scene.keys, *(rect for box in scene.boxes for rect in box.rects), *_stripes(scene)]
    _fill(axes, rects)
    for text in _texts(scene):
        _write(axes, text)


def _path(edge: Edge) -> "Patch":
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    middle = (edge.y1 + edge.bend) / 2
    points = [(edge.x1, edge.y1), (edge.x1, middle), (edge.x2, middle), (edge.x2, edge.bend)]
    codes = [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4, Path.LINETO]
    return PathPatch(Path([*points, (edge.x2, edge.y2)], codes))


def _draw_boxes(
    axes: "Axes", boxes: Sequence[Box], points: float, filled: bool, rounded: bool
) -> None:
    from matplotlib.collections import PatchCollection

    for kind in ("split", "leaf", "stub"):
        for dashed in (False, True):
            chosen = [box for box in boxes if box.kind == kind and box.dashed == dashed]
            axes.add_collection(
                PatchCollection(
                    [_outline(box, rounded) for box in chosen],
                    facecolor=[_fill_of(box, filled) for box in chosen],
                    edgecolor=LIGHT["line"],
                    linewidth=1.2 * points,
                    linestyle=(0, (4, 2.5)) if dashed else "solid",
                    zorder=2,
                )
            )


def _fill_of(box: Box, filled: bool) -> "tuple[float, float, float] | str":
    """The tint of a box's own color, pale enough for letters; else the color of its kind."""
    from matplotlib.colors import to_rgb

    if not (filled and box.colour):
        return LIGHT["split" if box.kind == "split" else "leaf"]
    own, paper = to_rgb(LIGHT[box.colour]), to_rgb(LIGHT["paper"])
    red, green, blue = (TINT * a + (1 - TINT) * b for a, b in zip(own, paper, strict=True))
    return red, green, blue


def _outline(box: Box, rounded: bool) -> "Patch":
    from matplotlib.patches import FancyBboxPatch

    style = f"round,pad=0,rounding_size={box.corner}" if rounded else "square,pad=0"
    return FancyBboxPatch((box.x, box.y), box.width, box.height, boxstyle=style)


def _stripes(scene: Scene) -> Iterator[Rect]:
    return (box.stripe for box in scene.boxes if box.stripe is not None)


def _fill(axes: "Axes", rects: Sequence[Rect]) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    drawn = [Rectangle((one.x, one.y), one.width, one.height) for one in rects]
    colours = [LIGHT[one.colour] for one in rects]
    axes.add_collection(PatchCollection(drawn, facecolor=colours, linewidth=0, zorder=3))


def _texts(scene: Scene) -> Iterator[Text]:
    yield from scene.texts
    for box in scene.boxes:
        yield from box.texts
    for edge in scene.edges:
        yield from edge.label


def _write(axes: "Axes", text: Text) -> None:
    """The text as it is: a dollar sign begins no formula."""
    from silva.plot.scaled_text import ScaledText

    halo = {"facecolor": LIGHT["paper"], "edgecolor": "none", "pad": 0.8}
    drawn = ScaledText(
        axes,
        SIZES[text.style],
        text.x,
        text.y,
        isolated(text.text),
        fontweight="bold" if text.style in BOLD else "normal",
        color=LIGHT["quiet" if text.style == "quiet" else "ink"],
        horizontalalignment="center" if text.centred else "left",
        verticalalignment="baseline",
        parse_math=False,
        zorder=4,
        bbox=halo if text.centred and text.style == "plain" else None,
    )
    axes.add_artist(drawn)
