"""The rows and columns of each tree: a draw is a hash of what it is for, never of a stream."""

from typing import Any

import numpy as np

FOREST = 0x666F72657374
ROWS = 0x726F7773
COLUMNS = 0x636F6C756D6E
WORD = 2**64 - 1


def tree_seeds(seed: int, first: int, count: int) -> list[int]:
    """The seeds of trees `first`, `first + 1`, ...: none depends on how many follow."""
    root = mix(mix(seed) ^ FOREST)
    return [mix(mix(root) ^ number) for number in range(first, first + count)]


def draw_counts(seed: int, n_rows: int, n_samples: int, replace: bool) -> np.ndarray:
    """How often a tree sees each of `n_rows` rows in `n_samples` draws (uint32).

    Without `replace` no row is drawn twice.
    """
    key = mix(mix(seed) ^ ROWS)
    if replace:
        hashes = _hashes(key, n_samples)
        rows = ((hashes >> np.uint64(32)) * np.uint64(n_rows)) >> np.uint64(32)
        return np.bincount(rows.astype(np.int64), minlength=n_rows).astype(np.uint32)
    counts = np.zeros(n_rows, np.uint32)
    counts[np.argsort(_hashes(key, n_rows), kind="stable")[:n_samples]] = 1
    return counts


def draw_columns(seed: int, n_columns: int, n_drawn: int) -> np.ndarray:
    """The columns that a tree may ask about, ascending (int64)."""
    if n_drawn == n_columns:
        return np.arange(n_columns)
    return np.flatnonzero(draw_counts(mix(mix(seed) ^ COLUMNS), n_columns, n_drawn, replace=False))


def row_counts(
    seed: int, weights: np.ndarray | None, n_rows: int, n_samples: int, kind: str
) -> np.ndarray:
    """The counts of all rows; rows of weight 0 take no part and have the count 0."""
    positive = np.ones(n_rows, bool) if weights is None else weights > 0
    if kind == "all":
        return positive.astype(np.uint32)
    counts = np.zeros(n_rows, np.uint32)
    drawn = draw_counts(seed, int(positive.sum()), n_samples, replace=kind == "bootstrap")
    counts[positive] = drawn
    return counts


def mix(x: int) -> int:
    """The core's hash of one number (SplitMix64's finaliser)."""
    x = (x + 0x9E3779B97F4A7C15) & WORD
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & WORD
    return x ^ (x >> 31)


def _hashes(key: int, count: int) -> np.ndarray:
    """`mix(key, i)` for i = 0, 1, ... (uint64)."""
    x: Any = np.uint64(mix(key)) ^ np.arange(count, dtype=np.uint64)
    with np.errstate(over="ignore"):
        x = x + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    hashes: np.ndarray = x ^ (x >> np.uint64(31))
    return hashes
