"""Dataclasses of arrays that nobody can change."""

from typing import Any, Self

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

    @classmethod
    def adopted(cls, values: dict[str, Any]) -> Self:
        """An instance with these values for all fields, whose arrays nobody else holds.

        They must be contiguous, and become read-only in place: cheaper than a view of each.
        """
        for value in values.values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
        made = object.__new__(cls)
        vars(made).update(values)
        return made
