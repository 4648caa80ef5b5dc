"""Colours that people of every kind of colour vision tell apart, on light and on dark paper.

Classes have the colours of Okabe and Ito (2008). A colour never stands alone: names and numbers
say the same.
"""

import math
from typing import Any, Literal

Theme = Literal["light", "dark", "auto"]
THEMES = ("light", "dark", "auto")

N_COLOURS = 8
"""How many classes have a colour of their own; of more classes, one fewer, and the others grey."""
N_SHADES = 6
"""Steps of the scale from the lowest to the highest mean."""
OTHERS = "others"
TARGET = "target"

_CLASSES = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#d55e00",
    "#56b4e9",
    "#cc79a7",
    "#f0e442",
)
_LIGHT_SHADES = ("#deebf7", "#b7d4ea", "#84bcdb", "#5095c8", "#2171b5", "#084a91")
_DARK_SHADES = ("#16324d", "#1d4a73", "#276499", "#4486bf", "#7db3df", "#c3defa")

LIGHT: dict[str, str] = {
    "paper": "#ffffff",
    "split": "#eef2f6",
    "leaf": "#ffffff",
    "line": "#7c8896",
    "edge": "#a9b4c0",
    "ink": "#1b222b",
    "quiet": "#525d6a",
    "track": "#dde3e9",
    "mark": "#1b222b",
    OTHERS: "#b4b8bd",
    TARGET: "#5095c8",
    **{f"class{place}": colour for place, colour in enumerate((*_CLASSES, "#555555"))},
    **{f"shade{step}": colour for step, colour in enumerate(_LIGHT_SHADES)},
}
DARK: dict[str, str] = {
    "paper": "#14181d",
    "split": "#262d36",
    "leaf": "#1a2027",
    "line": "#8391a1",
    "edge": "#566372",
    "ink": "#eef2f6",
    "quiet": "#b4c0cc",
    "track": "#38424d",
    "mark": "#eef2f6",
    OTHERS: "#7b828a",
    TARGET: "#4486bf",
    **{f"class{place}": colour for place, colour in enumerate((*_CLASSES, "#cccccc"))},
    "class0": "#3d9bd6",
    **{f"shade{step}": colour for step, colour in enumerate(_DARK_SHADES)},
}


def class_colours(largest_first: list[int], n_classes: int) -> list[str]:
    """The name of each class's colour, by class code; few classes keep the order of their codes."""
    if n_classes <= N_COLOURS:
        return [f"class{code}" for code in range(n_classes)]
    colours = [OTHERS] * n_classes
    for place, code in enumerate(sorted(largest_first[: N_COLOURS - 1])):
        colours[code] = f"class{place}"
    return colours


def part_of_range(value: Any, low: float, high: float) -> Any:
    """Where numbers lie between two others that differ, as shares of the range.

    The ends may be as far apart as float64 allows, or so near that half their distance is 0.
    """
    if math.isfinite(high - low):
        return (value - low) / (high - low)
    return (value / 2 - low / 2) / (high / 2 - low / 2)


def shade(value: float, low: float, high: float) -> str:
    """The step of the scale on which a number between two others lies."""
    part = part_of_range(value, low, high) if high > low else 0.5
    return f"shade{min(N_SHADES - 1, max(0, int(part * N_SHADES)))}"
