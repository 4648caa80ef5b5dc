"""How classes look in plots: a colour and a marker each, and their legend."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from silva.inspect.drawing.palette import LIGHT, OTHERS, class_colours
from silva.messages import counted
from silva.plot.canvas import PAPER, shortened
from silva.tree import words

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
UNKNOWN = "x"
PALEST, STRONGEST = 0.16, 0.72


class ClassLooks:
    """Colours and markers by class code; of many classes, the small ones share a grey."""

    def __init__(self, classes: Sequence[Any], sizes: np.ndarray) -> None:
        largest = np.argsort(-sizes, kind="stable").tolist()
        self._names = class_colours(largest, len(classes))
        self._classes = classes
        self.n_classes = len(classes)

    def colour(self, code: int) -> str:
        return LIGHT[self._names[code]]

    def marker(self, code: int) -> str:
        name = self._names[code]
        return "." if name == OTHERS else MARKERS[int(name.removeprefix("class")) % len(MARKERS)]

    def is_other(self, code: int) -> bool:
        return self._names[code] == OTHERS

    def name(self, code: int) -> str:
        return shortened(words.label(self._classes[code]))

    def shaded(self, codes: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """The colours of predicted classes, the paler the less likely: (..., 3) from 0 to 1."""
        from matplotlib.colors import to_rgb

        own = np.array([to_rgb(self.colour(code)) for code in range(self.n_classes)])[codes]
        chance = 1.0 / self.n_classes
        sure = (shares - chance) / (1.0 - chance) if self.n_classes > 1 else np.ones_like(shares)
        strength = PALEST + (STRONGEST - PALEST) * np.clip(sure, 0.0, 1.0)[..., None]
        return np.asarray(strength * own + (1.0 - strength) * np.array(to_rgb(PAPER)))

    def listed(self) -> list[tuple[int, str]]:
        """A class of each colour with its words; those that share the grey have one entry."""
        others = [code for code in range(self.n_classes) if self.is_other(code)]
        own = [(code, self.name(code)) for code in range(self.n_classes) if code not in others]
        return own + [(code, counted(len(others), "other class", "others")) for code in others[:1]]
