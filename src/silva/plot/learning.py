"""Errors against the number of training rows."""

from typing import TYPE_CHECKING, Any

import numpy as np

from silva.inspect.learning import LearningCurve, learning_of
from silva.inspect.size_path import ERROR
from silva.messages import counted
from silva.plot.canvas import BLUE, GREY, Look, axes_of, legend, plain_counts, quiet, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def learning_curve(
    model: Any,
    X: Any,
    y: Any,
    ax: Any = None,
    *,
    sizes: Any = None,
    cv: Any = 5,
    repeats: int = 1,
    sample_weight: Any = None,
    seed: int = 0,
) -> "Axes":
    """Draw the error of a model against the number of rows that it learns from.

    Lines are means over all folds of all repeats, bands one standard deviation to each side. The
    rows of a size are a part of those of the next, and have about the class shares of all rows.

    Parameters
    ----------
    model : estimator or Pipeline
        A model of silva, fitted or not, whose settings are used.
    X, y : table and targets
        All rows. Each fold leaves some out to measure the error on.
    ax : matplotlib Axes, default=None
        Where to draw; None takes the current axes while they are empty, else a new figure.
    sizes : sequence of int or float, default=None
        Numbers of rows, or shares of the rows that every fold has to learn from. By default eight
        numbers at even steps of their logarithm.
    cv : int, splitter or iterable, default=5
        Folds, shuffled and stratified for classes, or what scikit-learn takes as `cv`.
    repeats : int, default=1
        How often the rows are shuffled into folds.
    sample_weight : default=None
        Weights of the rows, in fits and in errors.
    seed : int, default=0
        Shuffles the rows; a repeat has the next number.

    Returns
    -------
    Axes
        Where it is drawn; the figure is `axes.figure`.
    """
    found = learning_of(model, X, y, sizes, cv, repeats, sample_weight, seed)
    axes = axes_of(ax, 7.0, 4.4)
    _draw(axes, found)
    quiet(axes)
    _dress(axes, found)
    return axes


def _draw(axes: "Axes", found: LearningCurve) -> None:
    lines = (("rows left out", found.test, BLUE), ("training rows", found.train, GREY))
    for label, errors, colour in lines:
        mean, spread = np.nanmean(errors, axis=1), np.nanstd(errors, axis=1)
        axes.plot(found.sizes, mean, "o-", color=colour, markersize=4, label=label, clip_on=False)
        look: Look = {"color": colour, "alpha": 0.15, "linewidth": 0}
        axes.fill_between(found.sizes, mean - spread, mean + spread, **look)


def _dress(axes: "Axes", found: LearningCurve) -> None:
    fits = found.test.shape[1]
    title = f"{found.title}: error by rows, mean and deviation of {counted(fits, 'fit')}"
    titled(axes, title, "training rows", ERROR[found.task])
    axes.set_xscale("log")
    axes.set_xticks(found.sizes)
    plain_counts(axes.xaxis)
    axes.xaxis.minorticks_off()
    axes.set_ylim(bottom=0.0)
    legend(axes)
