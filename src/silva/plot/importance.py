"""Importances as bars, with the spread over trees or repeats."""

from typing import TYPE_CHECKING

import numpy as np

from silva.data.names import counted
from silva.grow.checks import whole
from silva.inspect.importances import Importance
from silva.plot.canvas import BLUE, GREY, ORANGE, check_drawn, new_figure, quiet, shortened

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME_LENGTH = 32


def plot_importance(found: Importance, most: int = 20) -> "Figure":
    """The most important columns, the first on top: mean, spread, and every tree or repeat.

    A bar is the mean, its whisker one standard deviation to each side, and a dot one tree or
    repeat. Means of 0 or less are grey: the column brought nothing.
    """
    check_drawn("found", found, Importance, "what silva.importance(model, X, y) returns")
    shown = found.order[: whole("most", most, 1)][::-1]
    figure = new_figure(8.0, 1.4 + 0.34 * len(shown))
    axes = figure.subplots()
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
    axes.axvline(0.0, color="black", linewidth=0.8)
    axes.set_yticks(places, [shortened(found.names[one], NAME_LENGTH) for one in shown])
    axes.set_ylim(-0.6, len(shown) - 0.4)
    axes.set_title(_title(found, len(shown)), fontsize="medium")
    axes.set_xlabel(_wrapped(found.meaning), fontsize="small")
    quiet(axes)
    axes.grid(False, axis="y")
    return figure


def _title(found: Importance, shown: int) -> str:
    some = "" if shown == len(found.names) else f", {shown} of {len(found.names)} columns"
    noun = found.over.removesuffix("s")
    return (
        f"{found.kind} importance: mean and deviation over {counted(len(found.each), noun)}{some}"
    )


def _wrapped(text: str, width: int = 90) -> str:
    from textwrap import fill

    return fill(text, width)
