"""Checks that many arrays share. Each names the array and the first index that is wrong."""

import numpy as np

from silva.errors import ModelFormatError


def check_length(name: str, array: np.ndarray, length: int) -> None:
    """The array has this many entries."""
    if len(array) != length:
        raise ModelFormatError(f"{name}: must have {length} entries, has {len(array)}")


def check_starts(name: str, start: np.ndarray, total: int) -> None:
    """Offsets begin at 0, never fall, and end at the length of the array they cut."""
    rises = np.ones(len(start), dtype=bool)
    rises[1:] = start[1:] >= start[:-1]
    rises[0] = start[0] == 0
    rises[-1] &= start[-1] == total
    require(rises, name, f"must rise from 0 to {total}", start)


def check_codes(name: str, codes: np.ndarray, start: np.ndarray, limits: np.ndarray) -> None:
    """Codes are below their limits and strictly ascending inside each group."""
    require((codes >= 0) & (codes < limits), name, "is out of range", codes)
    ascends = np.ones(len(codes) + 1, dtype=bool)
    ascends[1:-1] = codes[1:] > codes[:-1]
    ascends[start] = True
    require(ascends[:-1], name, "must be above the code before it", codes)


def check_finite(name: str, array: np.ndarray) -> None:
    """No entry is NaN or infinite."""
    require(np.isfinite(array), name, "must be finite", array)


def require(holds: np.ndarray, name: str, rule: str, found: np.ndarray) -> None:
    """Every entry obeys the rule."""
    if not holds.all():
        index = int(np.argmin(holds))
        raise ModelFormatError(f"{name}[{index}]: {rule}, is {found[index]}")
