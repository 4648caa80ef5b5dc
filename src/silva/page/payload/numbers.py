"""Numbers as the page reads them: JSON has no infinity, so that those are texts."""

import math
from typing import Any

import numpy as np


def exact(value: Any) -> Any:
    """The value with floats that are not finite as texts: "Infinity", "-Infinity", "NaN"."""
    if isinstance(value, np.ndarray | np.generic):
        return exact(value.tolist())
    if isinstance(value, dict):
        return {name: exact(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [exact(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return _TEXTS.get(value, "NaN")
    return value


_TEXTS = {math.inf: "Infinity", -math.inf: "-Infinity"}
