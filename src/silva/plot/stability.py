"""How trees on parts of the rows differ, as a picture of six panels."""

from typing import TYPE_CHECKING, Any

import numpy as np

from silva.inspect.cut_counts import SplitPoints
from silva.inspect.stability import Stability
from silva.plot.canvas import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    SMALL_SIZE,
    TINY_SIZE,
    check_drawn,
    figure_of,
    legend,
    panels_of,
    plain_ticks,
    quiet,
    say,
    scale,
    shortened,
    titled,
    whole_steps,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_COLUMNS = 10
MOST_POINTS = 5


def plot_stability(found: Stability, ax: Any = None) -> "Figure | np.ndarray":
    """Columns by level, spread of thresholds, disagreement, distances, sizes, bias and variance.

    Six panels: `ax` is a sequence of six axes, or a figure. Returns the figure, or the axes if `ax`
    is given.
    """
    check_drawn("found", found, Stability, "what silva.stability(model, X, y) returns")
    panels = panels_of(ax, 6, (13.0, 8.0), lambda figure: figure.subplots(2, 3))
    _draw_columns(panels[0], found)
    _draw_points(panels[1], found)
    _draw_disagreement(panels[2], found)
    _draw_distances(panels[3], found)
    _draw_sizes(panels[4], found)
    _draw_parts(panels[5], found)
    return figure_of(panels[0]) if ax is None else np.array(panels)


def _draw_columns(axes: "Axes", found: Stability) -> None:
    """A cell a column and level; the columns that are asked most, near the root first."""
    share = found.cuts.column_share
    used = np.flatnonzero(share.sum(axis=0) > 0)
    early = 0.5 ** np.arange(len(share)) @ share[:, used]
    order = used[np.argsort(-early, kind="stable")][:MOST_COLUMNS]
    titled(axes, "trees that ask about a column", "level (0: the root)")
    if not len(order):
        say(axes, "no tree asks anything")
        return
    axes.imshow(share[:, order].T, cmap=scale(), vmin=0.0, vmax=1.0, aspect="auto")
    axes.set_xticks(range(len(share)))
    axes.set_yticks(range(len(order)), [shortened(found.cuts.columns[one], 20) for one in order])
    plain_ticks(axes.yaxis)
    axes.tick_params(labelsize=SMALL_SIZE, labelcolor=INK)
    for (column, level), part in np.ndenumerate(share[:, order].T):
        if part > 0:
            color = "white" if part > 0.6 else INK
            axes.text(
                level,
                column,
                f"{part:.0%}",
                color=color,
                ha="center",
                va="center",
                fontsize=TINY_SIZE,
            )


def _draw_points(axes: "Axes", found: Stability) -> None:
    """Thresholds of the most frequent places, each from its own lowest to its own highest."""
    often = sorted(found.cuts.points, key=lambda points: (points.level, -len(points.values)))
    shown = often[:MOST_POINTS][::-1]
    titled(axes, "where thresholds fall")
    if not shown:
        say(axes, "no thresholds of numbers")
        return
    for row, points in enumerate(shown):
        _draw_strip(axes, row, points)
    axes.set_yticks(range(len(shown)), [_named(points) for points in shown])
    plain_ticks(axes.yaxis)
    axes.tick_params(labelsize=SMALL_SIZE, labelcolor=INK)
    axes.set_ylim(-0.5, len(shown) - 0.2)
    axes.set_xlim(-0.08, 1.08)
    axes.set_xticks([0, 1], ["lowest", "highest"])
    axes.spines[["top", "right", "left"]].set_visible(False)


def _draw_strip(axes: "Axes", row: int, points: SplitPoints) -> None:
    low, high = float(points.values[0]), float(points.values[-1])
    width = high - low if high > low else 1.0
    middle = 0.5 if high == low else (points.median - low) / width
    places = np.full(len(points.values), 0.5) if high == low else (points.values - low) / width
    axes.plot(places, np.full(len(places), row), "|", color=BLUE, markersize=12, alpha=0.5)
    axes.plot(middle, row, "D", color=ORANGE, markersize=5)
    told = f"median {points.told(points.median)}, {points.told(low)} to {points.told(high)}"
    axes.text(0.5, row + 0.22, told, ha="center", va="bottom", fontsize=TINY_SIZE, color=GREY)


def _named(points: SplitPoints) -> str:
    return f"{shortened(points.column, 16)}\nlevel {points.level}, {len(points.values)}x"


def _draw_disagreement(axes: "Axes", found: Stability) -> None:
    is_class = found.task == "classification"
    ordered = np.sort(found.disagreement)[::-1]
    axes.plot(np.linspace(0.0, 1.0, len(ordered)), ordered, color=BLUE)
    measure = f"pairs of {found.unit}s that differ" if is_class else "mean difference of a pair"
    titled(axes, "disagreement about each row", "share of rows, most disputed first", measure)
    axes.set_ylim(bottom=0.0)
    quiet(axes)


def _draw_distances(axes: "Axes", found: Stability) -> None:
    is_class = found.task == "classification"
    others = found.samples - 1
    answers, structure = (
        matrix.sum(axis=1) / others for matrix in (found.answer_distance, found.structure_distance)
    )
    axes.plot(structure, answers, "o", color=GREY, alpha=0.6, label=f"a {found.unit}")
    label = f"most central ({found.unit} {found.central})"
    axes.plot(structure[found.central], answers[found.central], "D", color=ORANGE, label=label)
    measure = "answers: share of rows" if is_class else "answers: root mean square"
    titled(axes, f"mean distance from the other {found.unit}s", "structure", measure)
    axes.margins(0.1)
    legend(axes)
    quiet(axes)


def _draw_sizes(axes: "Axes", found: Stability) -> None:
    low, high = int(found.leaves.min()), int(found.leaves.max())
    step = max(1, -(-(high - low + 1) // 20))
    edges = [edge - 0.5 for edge in range(low, high + 2 * step, step)]
    axes.hist(found.leaves, bins=edges, color=BLUE, alpha=0.6)
    axes.axvline(float(found.leaves[found.central]), color=ORANGE, label="most central")
    titled(axes, f"sizes of the {found.unit}s", "leaves", f"{found.unit}s")
    whole_steps(axes.xaxis)
    whole_steps(axes.yaxis)
    axes.margins(y=0.25)
    legend(axes)
    quiet(axes)


def _draw_parts(axes: "Axes", found: Stability) -> None:
    parts = found.bias_variance
    titled(axes, "squared error on unseen rows", "cut off at depth")
    if parts is None:
        say(axes, "not measured")
        return
    places = parts.depths
    axes.fill_between(places, 0.0, parts.bias, color=GREY, alpha=0.4, label="bias and noise")
    axes.fill_between(places, parts.bias, parts.squared, color=ORANGE, alpha=0.5, label="variance")
    axes.plot(places, parts.squared, color=INK, linewidth=1.2, label="their sum")
    axes.set_ylim(bottom=0.0)
    whole_steps(axes.xaxis)
    legend(axes)
    quiet(axes)
