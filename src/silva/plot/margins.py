"""The margins of a boosted composition as a picture."""

from typing import TYPE_CHECKING

import numpy as np

from silva.data.names import counted
from silva.inspect.margins import MarginCurve
from silva.plot.canvas import BLUE, GREY, check_drawn, new_figure, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_WANTED = "what margin_curve(X, y) of a fitted AdaBoostClassifier returns"


def plot_margins(curve: MarginCurve, axes: "Axes | None" = None) -> "Figure | Axes":
    """Draw a margin curve; returns the figure, or the axes that were given.

    One line a stage: the share of the rows whose margin is at most what the axis says. Left of the
    dashed line at 0 are the rows that are answered wrongly. The last stage is the darkest.
    """
    check_drawn("curve", curve, MarginCurve, _WANTED)
    figure = None
    if axes is None:
        figure = new_figure(7.5, 4.6)
        axes = figure.subplots()
    _draw_stages(axes, curve)
    _dress(axes)
    return axes if figure is None else figure


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
    axes.set_xlabel("margin")
    axes.set_ylabel("share of rows with at most this margin")
    axes.legend(frameon=False, fontsize="small", loc="center left")
