"""What a pruner did, as a picture: the curve it chose from, or its steps one after the other."""

from typing import TYPE_CHECKING, Any

import numpy as np

from silva.messages import counted
from silva.plot.canvas import (
    BLUE,
    GREY,
    ORANGE,
    check_drawn,
    figure_of,
    legend,
    panels_of,
    plain_counts,
    quiet,
    titled,
    whole_steps,
)
from silva.prune.record import Record, Step

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARKED = 60
"""Up to so many points are drawn on a line."""


def plot_pruning(record: Record, ax: Any = None) -> "Figure | Axes | np.ndarray":
    """Draw a record; returns the figure, or the axes that were given as `ax`.

    A record with errors of trees of several sizes (cross-validated cost-complexity, the best tree
    of each size) shows them against the leaves, with a band of one standard error where it is
    known and the chosen tree marked; `Auto` also marks the best tree of the other leaf sizes. Any
    other record shows its measure and the leaves after each step, in two panels: `ax` is then a
    sequence of two axes, or a figure.
    """
    check_drawn("record", record, Record, "the prune_record_ of a model fitted with prune=")
    evidence = record.evidence
    if "errors" in evidence and "leaves" in evidence:
        panels = panels_of(ax, 1, (7.5, 4.6))
        _draw_curve(panels[0], record)
    else:
        panels = panels_of(ax, 2, (7.5, 5.2), _above_each_other)
        _draw_values(panels[0], record)
        _draw_leaves(panels[1], record)
    titled(panels[0], _title(record))
    if ax is None:
        return figure_of(panels[0])
    return panels[0] if len(panels) == 1 else np.array(panels)


def _above_each_other(figure: Any) -> Any:
    return figure.subplots(2, sharex=True, height_ratios=(3, 2))


def _title(record: Record) -> str:
    before = counted(record.leaves_before, "leaf", "leaves")
    size = record.evidence.get("min_samples_leaf")
    before += f" of at least {size} rows" if size else ""
    if record.leaves_before == record.leaves_after:
        return f"{record.method}: {before}, nothing pruned"
    return f"{record.method}: {before}, {record.leaves_after:,} after pruning"


def _draw_curve(axes: "Axes", record: Record) -> None:
    leaves, errors = record.evidence["leaves"], record.evidence["errors"]
    deviations = record.evidence.get("deviations")
    label = "best tree of each size" if deviations is None else "cross-validation"
    axes.plot(leaves, errors, color=BLUE, label=label)
    if deviations is not None:
        _draw_band(axes, record, deviations)
    chosen = int(np.flatnonzero(leaves == record.leaves_after)[0])
    chosen = int(record.evidence.get("chosen", chosen))
    _mark(axes, record, chosen, "chosen", "s", ORANGE)
    _mark_other_sizes(axes, record)
    quiet(axes)
    axes.set_xscale("log")
    plain_counts(axes.xaxis)
    measure = record.measure if deviations is None else "cross-validated error"
    titled(axes, x="leaves", y=measure)
    axes.set_ylim(bottom=0.0)
    legend(axes)


def _draw_band(axes: "Axes", record: Record, deviations: np.ndarray) -> None:
    leaves, errors = record.evidence["leaves"], record.evidence["errors"]
    low, high = errors - deviations, errors + deviations
    label = "one standard error"
    axes.fill_between(leaves, low, high, color=BLUE, alpha=0.15, linewidth=0, label=label)
    least = int(record.evidence["least"])
    axes.axhline(high[least], color=ORANGE, linewidth=0.8, linestyle="--", zorder=1)
    _mark(axes, record, least, "least error", "o", BLUE)


def _mark(axes: "Axes", record: Record, place: int, name: str, marker: str, color: str) -> None:
    leaves, error = record.evidence["leaves"][place], record.evidence["errors"][place]
    label = f"{name}: {counted(int(leaves), 'leaf', 'leaves')}, {error:.4g}"
    axes.plot([leaves], [error], marker, color=color, label=label, markersize=8, zorder=5)


def _mark_other_sizes(axes: "Axes", record: Record) -> None:
    """The best tree of each leaf size that was tried and not taken."""
    for size, best in record.evidence.get("leaf_sizes", {}).items():
        if size != record.evidence["min_samples_leaf"]:
            name = "leaves as asked for" if size is None else f"at least {size} rows a leaf"
            label = f"{name}: {counted(best['leaves'], 'leaf', 'leaves')}, {best['error']:.4g}"
            axes.plot([best["leaves"]], [best["error"]], "D", color=GREY, label=label)


def _draw_values(axes: "Axes", record: Record) -> None:
    """The measure before the first step and after each; infinite values are left out."""
    values = _finite([_first(record), *(step.value_after for step in record.steps)])
    _draw_line(axes, values, BLUE)
    raised = [number for number, step in enumerate(record.steps, 1) if step.action == "raise"]
    if raised:
        label = "a subtree raised"
        axes.plot(raised, values[raised], "s", color=ORANGE, markersize=6, label=label)
        legend(axes)
    quiet(axes)
    titled(axes, y=record.measure.replace(" (", "\n("))


def _draw_leaves(axes: "Axes", record: Record) -> None:
    leaves = [record.leaves_before, *(step.leaves_after for step in record.steps)]
    _draw_line(axes, np.array(leaves), GREY)
    quiet(axes)
    if record.leaves_before >= 100:
        axes.set_yscale("log")
        plain_counts(axes.yaxis)
    else:
        axes.set_ylim(bottom=0.0)
        whole_steps(axes.yaxis)
    whole_steps(axes.xaxis)
    titled(axes, x="step", y="leaves")


def _draw_line(axes: "Axes", values: np.ndarray, color: str) -> None:
    marker = "o" if len(values) <= MARKED else None
    axes.plot(np.arange(len(values)), values, color=color, marker=marker, markersize=4)


def _first(record: Record) -> float:
    steps: tuple[Step, ...] = record.steps
    return steps[0].value_before if steps else np.nan


def _finite(values: list[float]) -> np.ndarray:
    numbers = np.array(values)
    return np.where(np.isfinite(numbers), numbers, np.nan)
