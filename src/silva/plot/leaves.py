"""The rows of each leaf: bars of classes, spread of targets, and true classes by leaf."""

from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from silva.checks import whole
from silva.errors import DataError, PlanError
from silva.inspect.leaf_table import LeafTable, leaf_table
from silva.messages import counted
from silva.plot.canvas import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    PAPER,
    SMALL_SIZE,
    TINY_SIZE,
    Look,
    axes_of,
    legend,
    plain_ticks,
    quiet,
    scale,
    shortened,
    slanted,
    titled,
)
from silva.plot.class_looks import ClassLooks
from silva.tree import words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LETTERS, LINES = 46, 2
"""The longest line of the words of a leaf, and the most lines."""
MOST_DOTS = 200


def leaf_distributions(
    model: Any,
    X: Any = None,
    y: Any = None,
    ax: Any = None,
    *,
    sample_weight: Any = None,
    max_leaves: int = 12,
) -> "Axes":
    """Draw the classes, or the spread of the targets, of the rows of each leaf.

    Of a classifier: a bar for each leaf, as long as it has rows, in parts for the classes. Of a
    regressor: a box from the first to the third quartile with whiskers from 5% to 95%, the median
    and the mean; of training rows, whose targets are not kept, the mean with a deviation to each
    side. The largest leaf is on top. Words leave out where missing and unseen values go.

    Parameters
    ----------
    model : fitted estimator, Tree or Pipeline
        A model of one tree.
    X, y : default=None
        Rows with their targets; the training rows by default.
    ax : matplotlib Axes, default=None
        Where to draw; None takes the current axes while they are empty, else a new figure.
    sample_weight : default=None
        Weights of the rows that are given.
    max_leaves : int, default=12
        Draw at most so many leaves, the largest; the title says how many rows they have.

    Returns
    -------
    Axes
        Where it is drawn; the figure is `axes.figure`.

    See Also
    --------
    silva.plot.confusion_by_leaf : true classes by leaf, in numbers.
    """
    whole("max_leaves", max_leaves, 1)
    table = leaf_table(model, X, y, sample_weight, "leaf_distributions")
    shown = min(len(table), max_leaves)
    axes = axes_of(ax, 9.0, 1.5 + 0.44 * shown)
    quiet(axes)
    if table.counts is not None:
        _draw_bars(axes, table, shown)
    else:
        _draw_spread(axes, table, shown)
    axes.grid(False, axis="y")
    axes.set_ylim(shown - 0.4, -0.6)
    _name_leaves(axes, table, shown)
    titled(axes, _title(table, shown))
    return axes


def confusion_by_leaf(
    model: Any,
    X: Any,
    y: Any,
    ax: Any = None,
    *,
    sample_weight: Any = None,
    max_leaves: int = 20,
) -> "Axes":
    """Draw how many rows of each true class every leaf has, beside what it predicts.

    A line is a leaf, the largest on top, a column a true class; the cell of the predicted class has
    a frame. The darker a cell, the larger its share of the leaf. Words leave out where missing and
    unseen values go.

    Parameters
    ----------
    model : fitted estimator, Tree or Pipeline
        A classifier of one tree.
    X, y : table and classes
        Rows with their true classes; those held out of training say more.
    ax : matplotlib Axes, default=None
        Where to draw; None takes the current axes while they are empty, else a new figure.
    sample_weight : default=None
        Weights of the rows, which are then summed in place of counts.
    max_leaves : int, default=20
        Draw at most so many leaves, the largest; the title says how many rows they have.

    Returns
    -------
    Axes
        Where it is drawn; the figure is `axes.figure`.
    """
    whole("max_leaves", max_leaves, 1)
    if X is None or y is None:
        absent = "X" if X is None else "y"
        raise DataError(f"{absent} is missing: confusion_by_leaf counts rows, so give X and y.")
    table = leaf_table(model, X, y, sample_weight, "confusion_by_leaf")
    if table.counts is None or table.classes is None:
        raise PlanError(
            f"model={type(model).__name__} is not possible: it predicts numbers, which have no"
            " classes to count. Use silva.plot.leaf_distributions."
        )
    shown = min(len(table), max_leaves)
    names = [shortened(words.label(one), 16) for one in table.classes]
    names += ["unseen\nclass"] if table.counts[:, -1].any() else []
    axes = axes_of(ax, 6.0 + 0.75 * max(3, len(names)), 1.6 + 0.44 * shown)
    _draw_cells(axes, table.counts[:shown, : len(names)])
    _frame_predictions(axes, table, shown)
    _name_leaves(axes, table, shown)
    axes.set_xticks(range(len(names)), names)
    _dress_cells(axes, names)
    titled(axes, _title(table, shown), "true class")
    return axes


def _title(table: LeafTable, shown: int) -> str:
    rows = "training rows" if table.of_training else "rows"
    if shown == len(table):
        return f"{rows} of {counted(shown, 'leaf', 'leaves')}"
    part = words.percent(float(table.weight[:shown].sum() / (table.weight.sum() or 1.0)))
    return f"{shown} largest of {len(table):,} leaves, {part} of the {rows}"


def _name_leaves(axes: "Axes", table: LeafTable, shown: int) -> None:
    names = [_wrapped(text) for text in table.words[:shown]]
    axes.set_yticks(range(shown), names)
    plain_ticks(axes.yaxis)
    axes.tick_params(axis="y", length=0, labelsize=SMALL_SIZE)


def _wrapped(text: str) -> str:
    """A few lines, which end between conditions where these are not longer than a line."""
    whole_ones = " and ".join(
        part.replace(" ", "\N{NO-BREAK SPACE}") for part in text.split(" and ")
    )
    lines = wrap(whole_ones, LETTERS, break_on_hyphens=False)
    if len(lines) > LINES:
        lines = [*lines[: LINES - 1], shortened(f"{lines[LINES - 1]}…", LETTERS)]
    return "\n".join(lines).replace("\N{NO-BREAK SPACE}", " ")


def _draw_bars(axes: "Axes", table: LeafTable, shown: int) -> None:
    """Stacked bars; at their end what the leaf predicts, and for which share that is right."""
    assert table.counts is not None
    assert table.classes is not None
    assert table.class_sizes is not None
    looks = ClassLooks(table.classes, table.class_sizes)
    counts, start = table.counts[:shown], np.zeros(shown)
    for code in range(looks.n_classes):
        look: Look = {
            "color": looks.colour(code),
            "edgecolor": PAPER,
            "linewidth": 0.8,
            "height": 0.7,
        }
        axes.barh(np.arange(shown), counts[:, code], left=start, **look)
        start = start + counts[:, code]
    if counts[:, -1].any():
        look = {"color": PAPER, "edgecolor": GREY, "hatch": "////", "height": 0.7}
        axes.barh(np.arange(shown), counts[:, -1], left=start, label="unseen class", **look)
    told_of = [f" {_prediction(table, looks, place)}" for place in range(shown)]
    for place, told in enumerate(told_of):
        where = (float(table.weight[place]), place)
        axes.text(*where, told, va="center", fontsize=TINY_SIZE, color=INK, parse_math=False)
    room = 1.04 + 0.015 * max(map(len, told_of))
    axes.set_xlim(0.0, (float(table.weight.max()) or 1.0) * room)
    titled(axes, x="rows" if _are_counts(counts) else "weight of rows")
    _draw_legend(axes, looks)


def _prediction(table: LeafTable, looks: ClassLooks, place: int) -> str:
    if not table.weight[place]:
        return "no rows"
    if table.codes is None or table.counts is None:
        return "by its model"
    code = int(table.codes[place])
    share = float(table.counts[place, code] / table.weight[place])
    return f"{looks.name(code)} {words.percent(share)}"


def _draw_legend(axes: "Axes", looks: ClassLooks) -> None:
    from matplotlib.patches import Patch

    handles = [Patch(facecolor=looks.colour(code)) for code, _ in looks.listed()]
    names = [name for _, name in looks.listed()]
    extra, labels = axes.get_legend_handles_labels()
    place = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
    legend(axes, handles=[*handles, *extra], labels=[*names, *labels], **place)


def _draw_spread(axes: "Axes", table: LeafTable, shown: int) -> None:
    assert table.mean is not None
    assert table.deviation is not None
    mean, places = table.mean[:shown], np.arange(shown)
    if table.quantiles is None:
        look: Look = {"fmt": "none", "ecolor": BLUE, "elinewidth": 1.8, "capsize": 4}
        axes.errorbar(mean, places, xerr=table.deviation[:shown], label="deviation", **look)
    else:
        _draw_boxes(axes, table, shown)
    axes.plot(mean, places, "D", color=ORANGE, markersize=5, zorder=4, label="mean")
    low, high = axes.get_xlim()
    edge = high + 0.01 * (high - low)
    for place, weight in enumerate(table.weight[:shown].tolist()):
        told = counted(round(weight), "row") if weight == round(weight) else f"weight {weight:.3g}"
        axes.text(edge, place, told, va="center", fontsize=TINY_SIZE, color=GREY)
    axes.set_xlim(low, high + 0.14 * (high - low))
    titled(axes, x="target")
    legend(axes, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _draw_boxes(axes: "Axes", table: LeafTable, shown: int) -> None:
    """Quartiles, whiskers, the median, and the targets themselves where they are few."""
    assert table.quantiles is not None
    assert table.values is not None
    low, first, middle, third, high = table.quantiles[:shown].T
    places = np.arange(shown)
    axes.hlines(places, low, high, color=BLUE, linewidth=1.2, label="5% to 95%")
    look: Look = {"color": "#b7d4ea", "edgecolor": BLUE, "height": 0.5}
    axes.barh(places, third - first, left=first, label="quartiles", **look)
    axes.vlines(middle, places - 0.25, places + 0.25, color=INK, linewidth=1.8, label="median")
    random = np.random.default_rng(0)
    for place, values in enumerate(table.values[:shown]):
        if len(values) <= MOST_DOTS:
            heights = place + random.uniform(-0.18, 0.18, len(values))
            axes.plot(values, heights, ".", color=GREY, markersize=3, alpha=0.5, zorder=3)


def _draw_cells(axes: "Axes", counts: np.ndarray) -> None:
    totals = counts.sum(axis=1, keepdims=True)
    shares = counts / np.where(totals > 0, totals, 1.0)
    axes.imshow(shares, cmap=scale(), vmin=0.0, vmax=1.0, aspect="auto")
    for (leaf, column), count in np.ndenumerate(counts):
        if count:
            told = f"{count:,.0f}" if _are_counts(counts) else f"{count:.3g}"
            look: Look = {"ha": "center", "va": "center", "fontsize": SMALL_SIZE}
            axes.text(
                column, leaf, told, color=PAPER if shares[leaf, column] > 0.6 else INK, **look
            )


def _are_counts(weights: np.ndarray) -> bool:
    return bool((weights == np.round(weights)).all())


def _frame_predictions(axes: "Axes", table: LeafTable, shown: int) -> None:
    from matplotlib.patches import Rectangle

    for leaf in range(shown if table.codes is not None else 0):
        assert table.codes is not None
        corner = (float(table.codes[leaf]) - 0.47, leaf - 0.46)
        label = "predicted class" if leaf == 0 else None
        look: Look = {
            "fill": False,
            "edgecolor": ORANGE,
            "linewidth": 2.0,
            "label": label,
        }
        axes.add_patch(Rectangle(corner, 0.94, 0.92, **look))
    legend(axes, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _dress_cells(axes: "Axes", names: list[str]) -> None:
    axes.grid(False)
    axes.spines[:].set_visible(False)
    plain_ticks(axes.xaxis)
    axes.tick_params(labelsize=SMALL_SIZE, labelcolor=INK, length=0)
    if max(map(len, names)) > 11:
        slanted(axes)
