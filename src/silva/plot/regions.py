"""Predicted classes over two columns."""

from typing import TYPE_CHECKING, Any

import numpy as np

from silva.checks import whole
from silva.errors import PlanError
from silva.inspect.plane import Plane, Region, plane_of
from silva.inspect.subject import subject_of
from silva.plot.canvas import GREY, INK, PAPER, TINY_SIZE, Look, axes_of, legend
from silva.plot.class_looks import UNKNOWN, ClassLooks
from silva.plot.plane import dress_plane, rectangles, some_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LETTER = (0.016, 0.05)
"""Width and height of a letter of a name inside of a region, as parts of the axes."""


def decision_regions(
    model: Any,
    X: Any = None,
    y: Any = None,
    columns: Any = None,
    at: Any = None,
    ax: Any = None,
    *,
    max_points: int = 2000,
) -> "Axes":
    """Draw the predicted class over two columns, or over one, with rows on top.

    The regions of one tree that asks about one column at a time are exact: a rectangle for each
    leaf. Forests, boosted trees, splits of several columns and logistic leaves are drawn on a fine
    grid. A column with levels has a band for each, and one for missing values if rows have them.

    Parameters
    ----------
    model : fitted estimator, Tree or Pipeline
        A classifier of silva, or a pipeline or search that ends in one.
    X, y : default=None
        Rows to draw, with their classes or without. They also set the range of the axes.
    columns : names or indices of one or two columns, default=None
        The columns of the axes, as the model sees them; by default the two most important ones.
    at : mapping or int, default=None
        Where the other columns are fixed: values by column, or the number of a row of `X`. Columns
        that it does not name are fixed at the median or the most frequent level of `X`, or without
        `X` at the mean of the training rows.
    ax : matplotlib Axes, default=None
        Where to draw; None takes the current axes while they are empty, else a new figure.
    max_points : int, default=2000
        Draw at most so many rows, evenly chosen; the legend says so.

    Returns
    -------
    Axes
        Where it is drawn; the figure is `axes.figure`.

    See Also
    --------
    silva.plot.regression_surface : the same for numbers.
    """
    whole("max_points", max_points, 0)
    if subject_of(model).classes is None:
        raise PlanError(
            f"model={type(model).__name__} is not possible: it predicts numbers, which have no"
            " decision regions. Use silva.plot.regression_surface."
        )
    plane = plane_of(model, X, y, columns, at)
    assert plane.classes is not None
    assert plane.class_sizes is not None
    looks = ClassLooks(plane.classes, plane.class_sizes)
    axes = axes_of(ax, 7.6, 5.0 if len(plane.axes) > 1 else 2.6)
    _draw_regions(axes, plane, looks)
    note = _draw_points(axes, plane, looks, max_points)
    dress_plane(axes, plane, f"{plane.title}: predicted class, paler where less likely")
    axes.grid(False)
    if len(plane.axes) == 1:
        axes.set_ylim(0.0, 1.0)
        axes.set_yticks([])
    _draw_legend(axes, looks, note, plane.points is not None and plane.points.target is not None)
    return axes


def _draw_regions(axes: "Axes", plane: Plane, looks: ClassLooks) -> None:
    if plane.is_exact:
        codes = np.array([region.code for region in plane.regions], dtype=np.int64)
        shares = np.array([region.value for region in plane.regions])
        look: Look = {
            "facecolors": looks.shaded(codes, shares),
            "edgecolors": PAPER,
            "linewidths": 0.7,
        }
        axes.add_collection(rectangles(plane, zorder=0.5, **look))
        _name_others(axes, plane, looks)
    for sheet in plane.sheets:
        assert sheet.codes is not None
        shades = looks.shaded(sheet.codes, sheet.values)
        axes.pcolormesh(sheet.x_edges, sheet.y_edges, shades, rasterized=True, zorder=0.5)


def _name_others(axes: "Axes", plane: Plane, looks: ClassLooks) -> None:
    """The names of classes that share a colour, in regions that have room for them."""
    for region in plane.regions:
        if (
            region.code is not None
            and looks.is_other(region.code)
            and _has_room(plane, region, looks)
        ):
            low, high = (0.0, 1.0) if region.y is None else region.y
            look: Look = {
                "ha": "center",
                "va": "center",
                "fontsize": TINY_SIZE,
                "color": INK,
            }
            place = (sum(region.x) / 2, (low + high) / 2)
            axes.text(*place, looks.name(region.code), parse_math=False, clip_on=True, **look)


def _has_room(plane: Plane, region: Region, looks: ClassLooks) -> bool:
    assert region.code is not None
    parts = [
        (span[1] - span[0]) / (axis.limits[1] - axis.limits[0])
        for axis, span in zip(plane.axes, (region.x, region.y), strict=False)
        if span is not None
    ]
    room = (LETTER[0] * len(looks.name(region.code)), LETTER[1])
    return all(part >= least for part, least in zip(parts, room, strict=False))


def _draw_points(axes: "Axes", plane: Plane, looks: ClassLooks, most: int) -> str:
    found = some_points(plane, most) if most else None
    if found is None:
        return ""
    points, note = found
    height = points.y
    if height is None:
        height = np.random.default_rng(1).uniform(0.1, 0.9, len(points.x))
    codes = np.full(len(points.x), -2) if points.target is None else points.target
    for code in np.unique(codes).tolist():
        mine = codes == code
        look = _point_look(looks, code)
        axes.scatter(points.x[mine], height[mine], linewidths=0.5, zorder=3, **look)
    return note


def _point_look(looks: ClassLooks, code: int) -> dict[str, Any]:
    """Rows without targets are plain dots, those of classes that training did not see crosses."""
    if code < 0:
        marker = UNKNOWN if code == -1 else "o"
        return {"color": INK if code == -1 else GREY, "marker": marker, "s": 16}
    look: Look = {"color": looks.colour(code), "marker": looks.marker(code), "s": 22}
    return look | ({"s": 14} if looks.is_other(code) else {"edgecolors": INK})


def _draw_legend(axes: "Axes", looks: ClassLooks, note: str, points: bool) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = []
    for code, _ in looks.listed():
        one = np.array([code])
        patch = Patch(facecolor=tuple(looks.shaded(one, np.ones(1))[0]))
        look: Look = {
            "color": looks.colour(code),
            "marker": looks.marker(code),
            "linestyle": "none",
        }
        point = Line2D([], [], markeredgecolor=INK, markeredgewidth=0.5, markersize=6, **look)
        handles.append((patch, point) if points else patch)
    names = [name for _, name in looks.listed()]
    place = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
    legend(axes, handles=handles, labels=names, title=note or None, **place)
