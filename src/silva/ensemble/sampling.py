"""The rows and columns of each tree: a draw is a hash of what it is for, never of a stream."""

import numpy as np

from silva import _core
from silva.data.table import Target

FOREST = 0x666F72657374
COLUMNS = 0x636F6C756D6E
WORD = 2**64 - 1


def tree_seeds(seed: int, first: int, count: int) -> list[int]:
    """The seeds of trees `first`, `first + 1`, ...: none depends on how many follow."""
    root = mix(seed, FOREST)
    return [mix(root, number) for number in range(first, first + count)]


def tree_seed(seed: int, number: int) -> int:
    """The seed of tree `number`."""
    return tree_seeds(seed, number, 1)[0]


def row_counts(seed: int, target: Target, n_samples: int, sampling: str) -> np.ndarray:
    """How often the tree of this seed sees each row (uint32); rows of weight 0 are not drawn.

    `sampling` is a word of `ForestPlan.sampling`.
    """
    drawable = np.ones(len(target.values), bool) if target.weights is None else target.weights > 0
    return drawn_counts(seed, drawable, n_samples, sampling)


def drawn_counts(seed: int, drawable: np.ndarray, n_samples: int, sampling: str) -> np.ndarray:
    """The same, where a mask says which rows can be drawn."""
    counts = drawable.astype(np.uint32)
    if sampling != "all":
        n_drawable = int(np.count_nonzero(drawable))
        with_copies = sampling == "bootstrap"
        counts[drawable] = _core.draw_counts(seed, n_drawable, n_samples, with_copies)
    return counts


def draw_columns(seed: int, n_columns: int, n_drawn: int, with_copies: bool = False) -> np.ndarray:
    """The different columns that the tree of this seed may ask about, ascending (int64)."""
    counts = _core.draw_counts(mix(seed, COLUMNS), n_columns, n_drawn, with_copies)
    return np.flatnonzero(counts)


def mix(a: int, b: int) -> int:
    """The core's hash of two numbers."""
    return _mix(_mix(a) ^ b)


def _mix(x: int) -> int:
    """The finaliser of SplitMix64."""
    x = (x + 0x9E3779B97F4A7C15) & WORD
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & WORD
    return x ^ (x >> 31)
