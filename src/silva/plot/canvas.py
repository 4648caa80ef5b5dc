"""The one door to matplotlib, which is an optional dependency."""

from typing import TYPE_CHECKING, Any

from silva.errors import PlanError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, GREY = "#1f5f99", "#c75b12", "#2e7d4f", "#6b6b6b"


def check_drawn(name: str, given: Any, kind: type, wanted: str) -> None:
    """Refuse anything but the record that is drawn, and say where it comes from."""
    if not isinstance(given, kind):
        raise PlanError(f"{name}={type(given).__name__} is not possible: give {wanted}.")


def new_figure(width: float, height: float) -> "Figure":
    """A figure that keeps its parts apart; pyplot is not touched, so no window opens by itself."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            "drawing needs matplotlib, which is not installed: pip install 'silva[plot]'."
        ) from error
    return Figure(figsize=(width, height), layout="constrained")


def quiet(axes: "Axes") -> None:
    """No frame at the top and right, and a light grid behind the lines."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(True, color="#e4e4e4", linewidth=0.8)
    axes.set_axisbelow(True)


def whole_steps(axis: "Axis") -> None:
    """Ticks at whole numbers only."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=8, integer=True))


def plain_counts(axis: "Axis") -> None:
    """Whole numbers on an axis of logarithms, with no powers of ten."""
    from matplotlib.ticker import NullFormatter, StrMethodFormatter

    axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axis.set_minor_formatter(NullFormatter())


def shortened(text: Any, most: int = 24) -> str:
    """A label that fits."""
    told = str(text)
    return told if len(told) <= most else f"{told[: most - 1]}…"
