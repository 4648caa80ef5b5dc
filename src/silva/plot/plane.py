"""What pictures of planes share: axes with bands, ticks in words, points, notes."""

from typing import TYPE_CHECKING, Any

import numpy as np

from silva.inspect.plane import Plane, PlaneAxis, Points
from silva.messages import counted, first_of
from silva.plot.canvas import plain_ticks, quiet, shortened, slanted, titled
from silva.tree import words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

MOST_BANDS = 16
"""How many names of bands an axis has; of more, some are left out."""
MOST_FIXED = 3
LONGEST_NAMES = 60
"""Letters of all names below an axis that have room side by side."""
ROOM = 0.12
"""How far from a band the first number of an axis stands, as a part of the numbers' range."""
JITTER = 0.36
"""How far points are moved inside of a band, as a part of its width."""


def dress_plane(axes: "Axes", plane: Plane, title: str, y_label: str = "") -> None:
    """Limits, ticks and labels; under the first axis, where the other columns are fixed."""
    quiet(axes)
    axes.set_xlim(*plane.axes[0].limits)
    names = _dress_axis(axes.xaxis, plane.axes[0], 18)
    if sum(map(len, names)) > LONGEST_NAMES:
        slanted(axes)
    if len(plane.axes) > 1:
        axes.set_ylim(*plane.axes[1].limits)
        _dress_axis(axes.yaxis, plane.axes[1], 20)
        y_label = shortened(plane.axes[1].column.name, 40)
    x_label = shortened(plane.axes[0].column.name, 60)
    titled(axes, title, f"{x_label}{_note(plane)}", y_label)


def _note(plane: Plane) -> str:
    if not plane.fixed:
        return ""
    pairs = [(shortened(name, 28), shortened(value, 44)) for name, value in plane.fixed]
    told = [f"{name} = {value}" for name, value in pairs[:MOST_FIXED]]
    length = sum(map(len, told))
    return "\nfixed: " + first_of(told, len(pairs), ",\n" if length > LONGEST_NAMES else ", ")


def _dress_axis(axis: "Axis", shown: PlaneAxis, longest: int) -> list[str]:
    """Ticks with names where numbers alone do not say what is there; the names."""
    places: list[float] = []
    names: list[str] = []
    if shown.has_numbers and (shown.bands or shown.column.time is not None):
        places = _number_ticks(shown)
        names = _number_words(shown, places)
    step = -(-len(shown.bands) // MOST_BANDS)
    places += [band.middle for band in shown.bands[::step]] if shown.bands else []
    names += [shortened(band.name, longest) for band in shown.bands[::step]] if shown.bands else []
    if places:
        axis.set_ticks(places, names)
        plain_ticks(axis)
    if not shown.has_numbers:
        axis.set_tick_params(length=0)
    return names


def _number_ticks(shown: PlaneAxis) -> list[float]:
    from matplotlib.ticker import MaxNLocator

    count = 4 if shown.column.time is not None else 6
    ticks = MaxNLocator(count).tick_values(shown.low, shown.high)
    ends = [band.middle for band in shown.bands]
    least = max([shown.low, *(end + ROOM * (shown.high - shown.low) for end in ends)])
    return [float(tick) for tick in ticks if least <= tick <= shown.high]


def _number_words(shown: PlaneAxis, places: list[float]) -> list[str]:
    if shown.column.time is None:
        return [f"{place:g}" for place in places]
    told = [words.quantity(shown.column, place) for place in places]
    days = [one.partition(" ")[0] for one in told]
    is_enough = shown.column.time.sort == "datetime" and len(set(days)) == len(days)
    return days if is_enough else told


def some_points(plane: Plane, most: int) -> tuple[Points, str] | None:
    """At most so many of the rows, evenly chosen, those in bands moved apart; which, in words."""
    points = plane.points
    if points is None or not len(points.rows):
        return None
    count = len(points.rows)
    chosen = np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.int64))
    random = np.random.default_rng(0)
    note = "" if count <= most else f"{len(chosen):,} of {counted(count, 'row')}"
    x = _moved(plane.axes[0], points.x[chosen], random)
    y = None if points.y is None else _moved(plane.axes[1], points.y[chosen], random)
    target = None if points.target is None else points.target[chosen]
    return Points(x, y, target, points.rows[chosen]), note


def _moved(shown: PlaneAxis, places: np.ndarray, random: np.random.Generator) -> np.ndarray:
    moved = places.copy()
    for band in shown.bands:
        inside = (places >= band.low) & (places <= band.high)
        reach = JITTER * (band.high - band.low)
        moved[inside] = band.middle + random.uniform(-reach, reach, int(inside.sum()))
    return moved


def rectangles(plane: Plane, **look: Any) -> Any:
    """All regions as one collection; with one axis, they fill the height from 0 to 1."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    shapes = []
    for region in plane.regions:
        low, high = (0.0, 1.0) if region.y is None else region.y
        shapes.append(Rectangle((region.x[0], low), region.x[1] - region.x[0], high - low))
    return PatchCollection(shapes, **look)
