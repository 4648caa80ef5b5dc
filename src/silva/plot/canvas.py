"""The one door to matplotlib, which is an optional dependency, and the look of all plots."""

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from silva.errors import PlanError
from silva.inspect.drawing.palette import LIGHT, N_SHADES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN = LIGHT["class0"], LIGHT["class3"], LIGHT["class2"]
GREY, INK, PAPER, TRACK = LIGHT["quiet"], LIGHT["ink"], LIGHT["paper"], LIGHT["track"]
Look = dict[str, Any]
"""Settings of an artist."""
TITLE_SIZE, LABEL_SIZE, SMALL_SIZE, TINY_SIZE = 11.0, 10.0, 9.0, 8.0
"""Sizes of letters, in points: titles; labels of axes; ticks and legends; notes inside of axes."""


def check_drawn(name: str, given: Any, kind: type, wanted: str) -> None:
    """Refuse anything but the record that is drawn, and say where it comes from."""
    if not isinstance(given, kind):
        raise PlanError(f"{name}={type(given).__name__} is not possible: give {wanted}.")


def new_figure(width: float, height: float) -> "Figure":
    """A figure that keeps its parts apart: pyplot's current figure if the program uses pyplot.

    pyplot is never imported here, so in other programs no window opens and nothing is kept.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            "drawing needs matplotlib, which is not installed: pip install 'silva-trees[plot]'."
        ) from error
    pyplot = sys.modules.get("matplotlib.pyplot")
    make = Figure if pyplot is None else pyplot.figure
    return cast("Figure", make(figsize=(width, height), layout="constrained"))


def current_figure() -> "Figure | None":
    """pyplot's current figure; None if the program has none open."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    return pyplot.gcf() if pyplot is not None and pyplot.get_fignums() else None


def current_axes() -> "Axes | None":
    """pyplot's current axes if nothing is drawn there yet, so that no drawing covers another."""
    figure = current_figure()
    if figure is None:
        return None
    axes = figure.gca()
    is_free = axes.name == "rectilinear" and not (axes.has_data() or axes.texts)
    return axes if is_free else None


def axes_of(ax: Any, width: float, height: float) -> "Axes":
    """The axes that are given, else the empty current ones, or those of a new figure."""
    return panels_of(ax, 1, (width, height))[0]


def panels_of(
    given: Any,
    count: int,
    size: tuple[float, float],
    arrange: "Callable[[Any], Any] | None" = None,
    name: str = "ax",
) -> "list[Axes]":
    """The axes that are given, or those made in the figure that is given.

    Without either: pyplot's current axes or figure while they are empty, else a new figure.
    `arrange(figure)` makes `count` panels; by default they stand side by side.
    """
    make = arrange or (lambda figure: figure.subplots(1, count))
    if given is None:
        given = _free(count) or new_figure(*size)
    if hasattr(given, "add_subplot"):
        return list(np.ravel(make(given)))
    several = isinstance(given, Sequence | np.ndarray) and not isinstance(given, str)
    found = list(np.ravel(np.asarray(given, dtype=object))) if several else [given]
    if len(found) != count or not all(hasattr(one, "add_patch") for one in found):
        seen = f"a sequence of {len(found)}" if several else type(given).__name__
        wanted = "matplotlib Axes" if count == 1 else f"a sequence of {count} matplotlib Axes"
        raise PlanError(f"{name}={seen} is not possible: give {wanted}, a figure, or nothing.")
    return found


def _free(count: int) -> "Axes | Figure | None":
    """Where pyplot would draw, if `count` panels have room there."""
    figure = current_figure()
    if figure is None or not figure.axes:
        return figure
    return current_axes() if count == 1 else None


def figure_of(axes: "Axes") -> "Figure":
    """The figure that was made for the axes."""
    return cast("Figure", axes.figure)


def either_axes(ax: Any, axes: Any) -> Any:
    """What is given by the one name or by the other."""
    if ax is not None and axes is not None:
        raise PlanError("ax and axes are two names of one parameter: give ax alone.")
    return axes if ax is None else ax


def quiet(axes: "Axes") -> None:
    """No frame at the top and right, a light grid behind the lines, letters of one size."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[:].set_color(LIGHT["line"])
    axes.grid(True, color=TRACK, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=SMALL_SIZE, labelcolor=INK, color=LIGHT["line"])


def titled(axes: "Axes", title: str = "", x: str = "", y: str = "") -> None:
    """Title on the left and labels of the axes, in one look; an empty text changes nothing.

    Names of columns and classes are shown as they are: a dollar sign begins no formula.
    """
    look: dict[str, Any] = {"color": INK, "parse_math": False}
    if title:
        axes.set_title(title[:1].upper() + title[1:], loc="left", fontsize=TITLE_SIZE, **look)
    if x:
        axes.set_xlabel(x, fontsize=LABEL_SIZE, **look)
    if y:
        axes.set_ylabel(y, fontsize=LABEL_SIZE, **look)


def legend(axes: "Axes", **settings: Any) -> None:
    """The legend without a frame, or none if nothing has a label."""
    look: dict[str, Any] = {"frameon": False, "fontsize": SMALL_SIZE, "labelcolor": INK, **settings}
    if "handles" in settings or axes.get_legend_handles_labels()[0]:
        for text in axes.legend(**look).get_texts():
            text.set_parse_math(False)


def scale() -> "LinearSegmentedColormap":
    """The colours of numbers, from the lowest to the highest."""
    from matplotlib.colors import LinearSegmentedColormap

    shades = [LIGHT[f"shade{step}"] for step in range(N_SHADES)]
    return LinearSegmentedColormap.from_list("silva", shades)


def plain_ticks(axis: "Axis") -> None:
    """The names on an axis as they are: a dollar sign begins no formula."""
    for label in axis.get_ticklabels():
        label.set_parse_math(False)


def slanted(axes: "Axes") -> None:
    """Names below the axis at an angle, where they have no room side by side."""
    for label in axes.get_xticklabels():
        label.set(rotation=30, ha="right", rotation_mode="anchor")


def say(axes: "Axes", text: str) -> None:
    """A sentence in place of a plot that has nothing to show."""
    axes.set_xticks([])
    axes.set_yticks([])
    axes.text(
        *(0.5, 0.5, text),
        ha="center",
        va="center",
        transform=axes.transAxes,
        color=GREY,
        fontsize=SMALL_SIZE,
    )


def whole_steps(axis: "Axis") -> None:
    """Ticks at whole numbers only."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=8, integer=True, min_n_ticks=1))


def plain_counts(axis: "Axis") -> None:
    """Whole numbers on an axis of logarithms, with no powers of ten."""
    from matplotlib.ticker import NullFormatter, StrMethodFormatter

    axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axis.set_minor_formatter(NullFormatter())


def shortened(text: Any, most: int = 24) -> str:
    """A label that fits."""
    told = str(text)
    return told if len(told) <= most else f"{told[: most - 1]}…"
