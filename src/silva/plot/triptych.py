"""Overfitting by three settings, side by side."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from silva.inspect.complexity import Complexity, Sweep, complexity_of
from silva.inspect.size_path import ERROR
from silva.messages import counted
from silva.plot.canvas import (
    BLUE,
    GREY,
    ORANGE,
    Look,
    legend,
    panels_of,
    plain_counts,
    quiet,
    titled,
)
from silva.tree import words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WORDS = {
    "max_depth": "deepest leaf (max_depth)",
    "min_samples_split": "rows of a parent, at least\n(min_samples_split)",
    "min_samples_leaf": "rows of a leaf, at least\n(min_samples_leaf)",
}


def complexity(
    model: Any,
    X: Any,
    y: Any,
    X_val: Any = None,
    y_val: Any = None,
    cv: Any = 5,
    axes: Any = None,
    *,
    sample_weight: Any = None,
    values: Mapping[str, Iterable[int]] | None = None,
    seed: int = 0,
) -> np.ndarray:
    """Draw training and validation error against max depth, min parent and min leaf.

    In each panel one parameter changes and all other settings of the model stay. Pruning is left
    out, so that the size of trees shows what it does.

    Parameters
    ----------
    model : estimator or Pipeline
        A model of silva, fitted or not, whose settings are used: a tree, a forest, or bagging and
        boosting over a tree that is given as `estimator`.
    X, y : table and targets
        Rows to learn from.
    X_val, y_val : default=None
        Rows to measure the validation error on. Without them it is cross-validated.
    cv : int, splitter or iterable, default=5
        Folds, shuffled by `seed` and stratified for classes, or what scikit-learn takes as `cv`.
    axes : sequence of three matplotlib Axes, or a figure, default=None
        Where to draw; None takes the current figure while it is empty, else a new one.
    sample_weight : default=None
        Weights of the rows, in fits and in errors.
    values : mapping, default=None
        The values of parameters to try, such as `{"max_depth": [1, 2, 4, 8]}`; others have about
        ten values at even steps of their logarithm.
    seed : int, default=0
        Shuffles the rows into folds.

    Returns
    -------
    ndarray of Axes
        The three panels.
    """
    found = complexity_of(model, X, y, X_val, y_val, cv, sample_weight, values, seed)
    panels = panels_of(axes, 3, (12.0, 4.0), _side_by_side, name="axes")
    for panel, sweep in zip(panels, found.sweeps, strict=True):
        _draw(panel, found, sweep)
    titled(panels[0], y=f"{ERROR[found.task]} of {found.title}")
    legend(panels[0])
    return np.array(panels)


def _side_by_side(figure: Any) -> Any:
    return figure.subplots(1, 3, sharey=True)


def _draw(axes: "Axes", found: Complexity, sweep: Sweep) -> None:
    line: Look = {"markersize": 4, "clip_on": False}
    axes.plot(sweep.values, sweep.train, "o-", color=GREY, label="training rows", **line)
    label = "validation rows"
    if found.folds:
        label = f"{counted(found.folds, 'fold')}, rows left out"
    axes.plot(sweep.values, sweep.validation, "o-", color=BLUE, label=label, **line)
    if sweep.spread is not None:
        low, high = sweep.validation - sweep.spread, sweep.validation + sweep.spread
        look: Look = {
            "color": BLUE,
            "alpha": 0.15,
            "linewidth": 0,
            "label": "one standard error",
        }
        axes.fill_between(sweep.values, low, high, **look)
    best, error = sweep.values[sweep.best], sweep.validation[sweep.best]
    axes.plot(best, error, "s", color=ORANGE, markersize=8, zorder=5, label="least error")
    quiet(axes)
    _dress(axes, sweep, f"least error {words.number(float(error), 4)} at {best:,}")


def _dress(axes: "Axes", sweep: Sweep, note: str) -> None:
    from matplotlib.ticker import FixedLocator, NullLocator

    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(_ticks(sweep.values)))
    axes.xaxis.set_minor_locator(NullLocator())
    plain_counts(axes.xaxis)
    if sweep.parameter != "max_depth":
        axes.invert_xaxis()
    axes.set_ylim(bottom=0.0)
    titled(axes, note, _WORDS[sweep.parameter])


def _ticks(values: np.ndarray) -> list[int]:
    """Some of the values, far enough apart on an axis of logarithms."""
    apart = np.log(values[-1] / values[0]) / 7.0
    kept: list[int] = []
    for value in values.tolist():
        if not kept or np.log(value / kept[-1]) >= apart:
            kept.append(value)
    return kept
