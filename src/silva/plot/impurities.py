"""The impurities of two classes, as the textbooks draw them."""

from typing import TYPE_CHECKING, Any

import numpy as np

from silva.checks import check_flag
from silva.grow import criteria
from silva.plot.canvas import BLUE, GREEN, ORANGE, axes_of, legend, quiet, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 201
_CURVES: tuple[tuple[str, criteria.Impurity, str, str], ...] = (
    ("error", criteria.error, ORANGE, "--"),
    ("Gini", criteria.gini, BLUE, "-"),
    ("entropy (bits)", criteria.entropy, GREEN, "-."),
)


def impurity_curves(ax: Any = None, rescaled: bool = False) -> "Axes":
    """Draw error, Gini and entropy of a node of two classes against the share of one of them.

    Parameters
    ----------
    ax : matplotlib Axes, default=None
        Where to draw; None takes the current axes while they are empty, else a new figure.
    rescaled : bool, default=False
        Scale every curve so that its highest point is 0.5, as textbooks do to compare their forms.

    Returns
    -------
    Axes
        Where it is drawn; the figure is `axes.figure`.
    """
    check_flag("rescaled", rescaled)
    axes = axes_of(ax, 6.4, 4.4)
    shares = np.linspace(0.0, 1.0, POINTS)
    for name, impurity, colour, style in _CURVES:
        height = 0.5 / impurity([0.5, 0.5]) if rescaled else 1.0
        values = [height * impurity([share, 1.0 - share]) for share in shares]
        label = name if height == 1.0 else f"{name.partition(' ')[0]}, times {height:g}"
        axes.plot(shares, values, color=colour, linestyle=style, linewidth=2.0, label=label)
    quiet(axes)
    axes.set_xlim(0.0, 1.0)
    axes.set_ylim(0.0, 0.53 if rescaled else 1.05)
    title = "impurity of a node of two classes" + (", rescaled" if rescaled else "")
    titled(axes, title, "share of one class, p", "impurity")
    legend(axes, loc="lower center")
    return axes
