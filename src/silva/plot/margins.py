"""The margins of a boosted composition as a picture."""

from typing import TYPE_CHECKING

import numpy as np

from silva.inspect.margins import MarginCurve
from silva.messages import counted
from silva.plot.canvas import (
    BLUE,
    GREY,
    axes_of,
    check_drawn,
    either_axes,
    figure_of,
    legend,
    quiet,
    titled,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_WANTED = "what margin_curve(X, y) of a fitted AdaBoostClassifier returns"


def plot_margins(
    curve: MarginCurve, ax: "Axes | None" = None, *, axes: "Axes | None" = None
) -> "Figure | Axes":
    """Draw a margin curve; returns the figure, or the axes that were given as `ax` (or `axes`).

    One line a stage: the share of the rows whose margin is at most what the axis says. Left of the
    dashed line at 0 are the rows that are answered wrongly. The last stage is the darkest.
    """
    check_drawn("curve", curve, MarginCurve, _WANTED)
    given = either_axes(ax, axes)
    drawn = axes_of(given, 7.5, 4.6)
    _draw_stages(drawn, curve)
    _dress(drawn)
    return figure_of(drawn) if given is None else drawn


def _draw_stages(axes: "Axes", curve: MarginCurve) -> None:
    last = len(curve.trees) - 1
    for stage, trees in enumerate(curve.trees.tolist()):
        shade = 0.3 + 0.7 * stage / last if last else 1.0
        margins = np.concatenate([[-1.0], curve.margins[stage], [1.0]])
        shares = np.concatenate([[0.0], curve.shares[stage], [1.0]])
        axes.plot(
            margins,
            shares,
            drawstyle="steps-post",
            color=BLUE,
            alpha=shade,
            linewidth=1.0 + shade,
            label=counted(trees, "tree", "trees"),
        )


def _dress(axes: "Axes") -> None:
    quiet(axes)
    axes.axvline(0.0, color=GREY, linewidth=1.0, linestyle="--", zorder=1)
    axes.annotate("wrong", (-0.02, 0.97), ha="right", va="top", color=GREY)
    axes.annotate("right", (0.02, 0.97), ha="left", va="top", color=GREY)
    axes.set_xlim(-1.0, 1.0)
    axes.set_ylim(0.0, 1.02)
    labels = ("margin (share of the votes)", "share of rows with at most this margin")
    titled(axes, "Margins of the rows", *labels)
    legend(axes, loc="center left")
