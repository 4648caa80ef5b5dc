"""Predicted numbers over one column or two."""

from typing import TYPE_CHECKING, Any

import numpy as np

from silva.checks import whole
from silva.errors import PlanError
from silva.inspect.plane import Plane, plane_of
from silva.inspect.subject import subject_of
from silva.plot.canvas import (
    BLUE,
    GREY,
    INK,
    LABEL_SIZE,
    PAPER,
    SMALL_SIZE,
    Look,
    axes_of,
    legend,
    scale,
)
from silva.plot.plane import dress_plane, rectangles, some_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize


def regression_surface(
    model: Any,
    X: Any = None,
    y: Any = None,
    columns: Any = None,
    at: Any = None,
    ax: Any = None,
    *,
    max_points: int = 2000,
) -> "Axes":
    """Draw the predicted number over one column, as a line, or over two, as a map.

    What one tree predicts is exact if it asks about one column at a time: steps along one column
    (lines, if leaves have linear models), rectangles over two. Forests, splits of several columns,
    and linear leaves over two columns are drawn on a fine grid.

    Parameters
    ----------
    model : fitted estimator, Tree or Pipeline
        A regressor of silva, or a pipeline or search that ends in one.
    X, y : default=None
        Rows to draw, with their targets or without. They also set the range of the axes.
    columns : names or indices of one or two columns, default=None
        The columns of the axes, as the model sees them; by default the two most important ones, or
        the only one.
    at : mapping or int, default=None
        Where the other columns are fixed: values by column, or the number of a row of `X`. Columns
        that it does not name are fixed at the median or the most frequent level of `X`, or without
        `X` at the mean of the training rows.
    ax : matplotlib Axes, default=None
        Where to draw; None takes the current axes while they are empty, else a new figure.
    max_points : int, default=2000
        Draw at most so many rows, evenly chosen; the title says so.

    Returns
    -------
    Axes
        Where it is drawn; the figure is `axes.figure`.

    See Also
    --------
    silva.plot.decision_regions : the same for classes.
    """
    whole("max_points", max_points, 0)
    if subject_of(model).classes is not None:
        raise PlanError(
            f"model={type(model).__name__} is not possible: it predicts classes, which have no"
            " surface. Use silva.plot.decision_regions."
        )
    plane = plane_of(model, X, y, columns, at)
    axes = axes_of(ax, 7.6, 5.0 if len(plane.axes) > 1 else 4.4)
    note = (_draw_map if len(plane.axes) > 1 else _draw_line)(axes, plane, max_points)
    title = f"{plane.title}: prediction" + (f", {note}" if note else "")
    dress_plane(axes, plane, title, y_label="target" if plane.points else "prediction")
    if len(plane.axes) > 1:
        axes.grid(False)
    return axes


def _draw_line(axes: "Axes", plane: Plane, most: int) -> str:
    from matplotlib.collections import LineCollection

    note, look = "", Look()
    found = some_points(plane, most) if most else None
    if found is not None and found[0].target is not None:
        points, note = found
        look = {
            "s": 14,
            "color": GREY,
            "alpha": 0.55,
            "linewidths": 0,
            "label": "rows",
        }
        axes.scatter(points.x, found[0].target, zorder=2, **look)
    lines = [region.line for region in plane.regions]
    for sheet in plane.sheets:
        middles = (sheet.x_edges[:-1] + sheet.x_edges[1:]) / 2
        ends = sheet.x_edges if len(middles) == 1 else middles
        values = np.broadcast_to(sheet.values[0], len(ends))
        lines.append(tuple(zip(ends.tolist(), values.tolist(), strict=True)))
    look = {"colors": BLUE, "linewidths": 2.2, "zorder": 3, "label": "prediction"}
    axes.add_collection(LineCollection(lines, **look))
    axes.autoscale_view()
    legend(axes)
    return note


def _draw_map(axes: "Axes", plane: Plane, most: int) -> str:
    norm = _norm(plane)
    look: Look = {"cmap": scale(), "norm": norm}
    drawn: Any = None
    if plane.is_exact:
        edges = {"edgecolors": PAPER, "linewidths": 0.7}
        drawn = axes.add_collection(rectangles(plane, zorder=0.5, **look, **edges))
        drawn.set_array(np.array([region.value for region in plane.regions]))
    for sheet in plane.sheets:
        cells = (sheet.x_edges, sheet.y_edges, sheet.values)
        drawn = axes.pcolormesh(*cells, rasterized=True, zorder=0.5, **look)
    bar = axes.figure.colorbar(drawn, ax=axes)
    bar.set_label("prediction", fontsize=LABEL_SIZE, color=INK)
    bar.ax.tick_params(labelsize=SMALL_SIZE, labelcolor=INK)
    bar.outline.set_visible(False)
    return _draw_points(axes, plane, most, look)


def _draw_points(axes: "Axes", plane: Plane, most: int, look: dict[str, Any]) -> str:
    """The rows, in the colours of their targets."""
    found = some_points(plane, most) if most else None
    if found is None:
        return ""
    points, note = found
    assert points.y is not None
    colours: Look = {"color": GREY} if points.target is None else {"c": points.target, **look}
    axes.scatter(points.x, points.y, s=20, edgecolors=INK, linewidths=0.5, zorder=3, **colours)
    return note


def _norm(plane: Plane) -> "Normalize":
    from matplotlib.colors import Normalize

    parts = [sheet.values.ravel() for sheet in plane.sheets]
    values = np.concatenate([*parts, [region.value for region in plane.regions]])
    low, high = float(values.min()), float(values.max())
    return Normalize(low, high) if low < high else Normalize(low - 0.5, high + 0.5)
