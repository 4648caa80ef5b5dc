"""Importances as bars, with the spread over trees or repeats."""

from typing import TYPE_CHECKING

import numpy as np

from silva.checks import whole
from silva.inspect.importances import Importance
from silva.messages import counted
from silva.plot.canvas import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    axes_of,
    check_drawn,
    figure_of,
    plain_ticks,
    quiet,
    shortened,
    titled,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME_LENGTH = 32


def plot_importance(found: Importance, most: int = 20, ax: "Axes | None" = None) -> "Figure | Axes":
    """Draw the most important columns, the first on top: mean, spread, every tree or repeat.

    Returns the figure, or the axes that were given as `ax`.

    A bar is the mean, its whisker one standard deviation to each side, and a dot one tree or
    repeat. Means of 0 or less are grey: the column brought nothing.
    """
    check_drawn("found", found, Importance, "what silva.importance(model, X, y) returns")
    shown = found.order[: whole("most", most, 1)][::-1]
    axes = axes_of(ax, 8.0, 1.4 + 0.34 * len(shown))
    _draw(axes, found, shown)
    titled(axes, _title(found, len(shown)), _wrapped(found.meaning))
    return figure_of(axes) if ax is None else axes


def _draw(axes: "Axes", found: Importance, shown: np.ndarray) -> None:
    quiet(axes)
    places, values, spread = np.arange(len(shown)), found.values[shown], found.spread[shown]
    axes.barh(places, values, color=[BLUE if value > 0 else GREY for value in values], alpha=0.55)
    each = found.each[:, shown]
    step = np.linspace(-0.28, 0.28, len(each)) if len(each) > 1 else np.zeros(1)
    for place in places:
        axes.plot(each[:, place], place + step, ".", color=GREY, markersize=3, alpha=0.35)
    if np.isfinite(spread).all():
        axes.errorbar(
            *(values, places), xerr=spread, fmt="none", ecolor=ORANGE, elinewidth=1.6, capsize=3
        )
    axes.axvline(0.0, color=INK, linewidth=0.8)
    axes.set_yticks(places, [shortened(found.names[one], NAME_LENGTH) for one in shown])
    axes.set_ylim(-0.6, len(shown) - 0.4)
    plain_ticks(axes.yaxis)
    axes.grid(False, axis="y")


def _title(found: Importance, shown: int) -> str:
    some = "" if shown == len(found.names) else f", {shown} of {len(found.names)} columns"
    noun = found.over.removesuffix("s")
    return (
        f"{found.kind} importance: mean and deviation over {counted(len(found.each), noun)}{some}"
    )


def _wrapped(text: str, width: int = 72) -> str:
    from textwrap import fill

    return fill(text, width)
