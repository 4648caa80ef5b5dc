"""Dataclasses of arrays that nobody can change."""

import numpy as np


def frozen(array: np.ndarray) -> np.ndarray:
    """A contiguous read-only view of the array (a copy only if it was not contiguous)."""
    view = np.ascontiguousarray(array).view()
    view.setflags(write=False)
    return view


class FrozenArrays:
    """A dataclass base whose arrays become read-only when it is made."""

    def __post_init__(self) -> None:
        held = vars(self)
        for name, value in held.items():
            if isinstance(value, np.ndarray):
                held[name] = frozen(value)
