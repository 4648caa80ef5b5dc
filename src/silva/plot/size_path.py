"""Errors against the size of a tree, as a picture."""

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from silva.errors import PlanError
from silva.inspect.size_path import ERROR, SizePath
from silva.messages import counted
from silva.plot.canvas import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    axes_of,
    check_drawn,
    either_axes,
    figure_of,
    legend,
    plain_counts,
    quiet,
    titled,
    whole_steps,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Against = Literal["leaves", "depth", "alpha"]
_Style = Literal["default", "steps-post"]
LABELS: dict[Against, str] = {"leaves": "leaves", "depth": "depth", "alpha": "alpha (ccp_alpha)"}


def plot_size_path(
    path: SizePath,
    against: Against = "leaves",
    ax: "Axes | None" = None,
    *,
    axes: "Axes | None" = None,
) -> "Figure | Axes":
    """Draw the errors of a path; returns the figure, or the axes given as `ax` (or `axes`).

    On the axis of alphas, which has no zero, the whole tree stands at half the smallest of them.

    The tree of least cross-validated error and the smallest one within a standard error of it are
    marked with their leaves.
    """
    check_drawn("path", path, SizePath, "what silva.size_path(model, X, y) returns")
    if against not in get_args(Against):
        raise PlanError(f"against={against!r} is not possible: use one of {get_args(Against)}.")
    given = either_axes(ax, axes)
    drawn = axes_of(given, 7.5, 4.6)
    places = _places(path, against)
    _draw_curves(drawn, path, places, "steps-post" if against == "alpha" else "default")
    _draw_marks(drawn, path, places)
    _dress(drawn, path, against)
    return figure_of(drawn) if given is None else drawn


def _places(path: SizePath, against: Against) -> np.ndarray:
    if against != "alpha":
        return path.leaves if against == "leaves" else path.depths
    above = path.alphas[path.alphas > np.finfo(float).tiny]
    return np.asarray(np.maximum(path.alphas, above[0] / 2.0 if len(above) else 1.0))


def _draw_curves(axes: "Axes", path: SizePath, places: np.ndarray, style: _Style) -> None:
    """A tree is the same for all alphas up to the next: there the curves are steps."""
    axes.plot(places, path.train, color=GREY, label="training rows", drawstyle=style)
    if path.validation is not None:
        axes.plot(places, path.validation, color=GREEN, label="validation rows", drawstyle=style)
    if path.cv is not None and path.cv_spread is not None:
        label = f"cross-validation, {path.folds} folds"
        axes.plot(places, path.cv, color=BLUE, label=label, drawstyle=style)
        low, high = path.cv - path.cv_spread, path.cv + path.cv_spread
        axes.fill_between(
            places,
            low,
            high,
            color=BLUE,
            alpha=0.15,
            linewidth=0,
            step="post" if style == "steps-post" else None,
        )


def _draw_marks(axes: "Axes", path: SizePath, places: np.ndarray) -> None:
    curve = path.validation if path.cv is None else path.cv
    if curve is None:
        return
    marks = [
        ("least error", path.best, "o", BLUE),
        ("one standard error", path.one_se, "s", ORANGE),
    ]
    for name, place, marker, color in marks:
        if place is not None:
            label = f"{name}: {path.leaves[place]:,} leaves"
            axes.plot(
                places[place],
                curve[place],
                marker,
                color=color,
                label=label,
                markersize=8,
                zorder=5,
            )
    if path.cv_spread is not None and path.best is not None:
        level = curve[path.best] + path.cv_spread[path.best]
        axes.axhline(level, color=ORANGE, linewidth=0.8, linestyle="--", zorder=1)


def _dress(axes: "Axes", path: SizePath, against: Against) -> None:
    quiet(axes)
    if against == "depth":
        whole_steps(axes.xaxis)
    else:
        axes.set_xscale("log")
    if against == "leaves":
        plain_counts(axes.xaxis)
    trees = counted(len(path.leaves), "tree")
    titled(axes, f"Error by size: {trees} of the pruning path", LABELS[against], ERROR[path.task])
    axes.set_ylim(bottom=0.0)
    legend(axes)
