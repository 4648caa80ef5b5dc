"""The least error for every number of leaves, beside greedy trees, as a picture."""

from typing import TYPE_CHECKING, Any

from silva.optimal.path import ParetoPath
from silva.plot.canvas import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PAPER,
    Look,
    axes_of,
    check_drawn,
    legend,
    quiet,
    titled,
    whole_steps,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def pareto_path(path: ParetoPath, ax: Any = None) -> "Axes":
    """Draw the errors of optimal, greedy and pruned trees against their number of leaves.

    Filled points are proved. At others the error may be as low as the lower end of the bar. Lines
    are steps: a tree of fewer leaves is allowed at every larger size.

    Parameters
    ----------
    path : ParetoPath
        What `OptimalTreeClassifier.pareto_path` returns.
    ax : matplotlib Axes, default=None
        Where to draw; None takes the current axes while they are empty, else a new figure.

    Returns
    -------
    Axes
        Where it is drawn; the figure is `axes.figure`.
    """
    check_drawn("path", path, ParetoPath, "what OptimalTreeClassifier.pareto_path() returns")
    axes = axes_of(ax, 7.0, 4.4)
    _draw_greedy(axes, path)
    _draw_optimal(axes, path)
    quiet(axes)
    whole_steps(axes.xaxis)
    titled(axes, _title(path), "leaves", "error on training rows")
    axes.set_ylim(bottom=0.0)
    legend(axes)
    return axes


def _draw_greedy(axes: "Axes", path: ParetoPath) -> None:
    wide: Look = {"color": GREY, "linewidth": 2.6, "markersize": 7, "label": "greedy, best first"}
    narrow: Look = {"color": ORANGE, "linewidth": 1.2, "markersize": 4, "label": "pruned"}
    # the two are often equal: the narrow one lies on the wide one
    for sizes, marks, look in ((path.greedy, "o-", wide), (path.pruned, "s--", narrow)):
        axes.plot(
            *(sizes.leaves, sizes.errors), marks, drawstyle="steps-post", clip_on=False, **look
        )


def _draw_optimal(axes: "Axes", path: ParetoPath) -> None:
    axes.plot(path.leaves, path.errors, "-", drawstyle="steps-post", color=BLUE, clip_on=False)
    for proved, label, fill in ((True, "optimal, proved", BLUE), (False, "best found", PAPER)):
        chosen = path.proved == proved
        if chosen.any():
            axes.plot(
                *(path.leaves[chosen], path.errors[chosen]),
                "o",
                color=BLUE,
                markerfacecolor=fill,
                markersize=6,
                label=label,
                clip_on=False,
                zorder=4,
            )
    open_sizes = ~path.proved
    if open_sizes.any():
        lows, highs = path.lower_bounds[open_sizes], path.errors[open_sizes]
        axes.vlines(path.leaves[open_sizes], lows, highs, color=GREEN, label="not excluded")


def _title(path: ParetoPath) -> str:
    proved, every = int(path.proved.sum()), len(path.leaves)
    told = "all proved" if proved == every else f"{proved} of {every} proved"
    return f"Least error by number of leaves: {told}"
