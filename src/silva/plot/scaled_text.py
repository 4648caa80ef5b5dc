"""Text whose size counts in units of its axes, so that it fits its box at any size of the figure.

Imports matplotlib, so it is imported only by those that draw.
"""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.text import Text
from matplotlib.transforms import Bbox

POINTS = 72.0
"""Font sizes and the widths of lines count in this part of an inch."""


def points_a_unit(axes: Axes) -> float:
    """The length of a unit of the x axis in points, as the axes are now."""
    low, high = axes.get_xlim()
    return float(axes.bbox.width / abs(high - low) / axes.figure.dpi * POINTS)


class ScaledText(Text):
    """A text with a font size in units of the x axis, set anew whenever it is drawn or measured."""

    def __init__(self, axes: Axes, size: float, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._scale_of, self._units = axes, size

    def draw(self, renderer: Any) -> None:
        self._scale()
        super().draw(renderer)

    def get_window_extent(self, renderer: Any = None, dpi: float | None = None) -> Bbox:
        self._scale()
        return super().get_window_extent(renderer, dpi)

    def _scale(self) -> None:
        self.set_fontsize(self._units * points_a_unit(self._scale_of))
