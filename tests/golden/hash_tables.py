"""The tables of `model_hashes`: the same bits on every machine and with every version of NumPy.

Draws are hashes of counters (splitmix64) and a few exact operations on float64, because NumPy may
change what its generators return and calls libm for normal numbers.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

CATEGORIES = (3, 9, 14, 300)


class Sample(NamedTuple):
    """Training rows with several targets, and other rows to predict."""

    X: np.ndarray
    signal: np.ndarray
    rank: np.ndarray
    weights: np.ndarray
    new: np.ndarray

    def classes(self, n_classes: int) -> np.ndarray:
        """Equal shares of the signal's range; one label in sixteen is some other one."""
        codes = self.rank * n_classes // len(self.rank)
        noise = uniform(n_classes, len(codes))
        moved = np.floor(uniform(n_classes + 1000, len(codes)) * n_classes).astype(np.int64)
        return np.where(noise < 1 / 16, moved, codes)

    def counts(self) -> np.ndarray:
        """Whole numbers of at least 0 that grow with the signal."""
        low = self.signal.min()
        return np.floor(3 * (self.signal - low) * uniform(7, len(self.signal)))


def uniform(seed: int, *shape: int) -> np.ndarray:
    """Numbers of 53 bits from 0 to below 1."""
    counter = np.arange(np.prod(shape, dtype=np.int64), dtype=np.uint64)
    bits = counter + np.uint64(seed) * np.uint64(0x1_0000_0001)
    bits = (bits + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    bits = (bits ^ (bits >> np.uint64(31))) >> np.uint64(11)
    return (bits.astype(np.float64) / 2.0**53).reshape(shape)


def bell(seed: int, *shape: int) -> np.ndarray:
    """Sums of four uniform numbers around 0."""
    parts = uniform(seed, 4, *shape)
    return ((parts[0] + parts[1]) + (parts[2] + parts[3])) - 2.0


def signal_of(X: np.ndarray, seed: int) -> np.ndarray:
    """An interaction, a fold and a line, with noise; columns beyond the fourth say nothing."""
    x = np.nan_to_num(X[:, :4].astype(np.float64))
    clean = 2 * x[:, 0] * x[:, 1] + np.abs(x[:, 2]) + x[:, 3]
    return clean + bell(seed, len(X)) / 4


def sample(seed: int, X: np.ndarray, new: np.ndarray, target: np.ndarray | None = None) -> Sample:
    """Training rows `X` and `new` ones; the signal is that of `target`, or else of `X`."""
    weights = 1 + np.floor(8 * uniform(seed + 90, len(X))) / 4
    signal = signal_of(X if target is None else target, seed)
    rank = np.argsort(np.argsort(signal, kind="stable"), kind="stable")
    return Sample(X, signal, rank, weights, new)


@cache
def numbers(n_rows: int, n_columns: int, dtype: str, seed: int = 1) -> Sample:
    """Different values in every column; half of the new rows lie at training values."""
    X = bell(seed, n_rows, n_columns).astype(dtype)
    fresh = bell(seed + 10, max(1, n_rows // 2), n_columns).astype(dtype)
    near = np.nextafter(X[: n_rows // 2], X[n_rows - n_rows // 2 :])
    return sample(seed, X, np.concatenate([fresh, near]))


@cache
def ties(n_rows: int, n_columns: int, dtype: str, steps: int = 8, seed: int = 2) -> Sample:
    """Columns of 2, of at most 6 `steps`, of at most 600 and of many different values, in turn."""
    X, new = bell(seed, n_rows, n_columns), bell(seed + 10, (n_rows + 1) // 2, n_columns)
    return sample(seed, *(_tied(table, steps).astype(dtype) for table in (X, new)))


def _tied(X: np.ndarray, steps: int) -> np.ndarray:
    for j, step in enumerate([1, steps, 100] * X.shape[1]):
        if j < X.shape[1] and j % 4 < 3:
            X[:, j] = X[:, j] > 0 if step == 1 else np.floor(X[:, j] * step) / step
    return X


@cache
def holes(n_rows: int, n_columns: int, dtype: str, share: float = 0.1, seed: int = 3) -> Sample:
    """Tied columns with missing cells, some of them by the signal; the second column has none."""
    full = ties(n_rows, n_columns, dtype, seed=seed)
    X, new = full.X.copy(), full.new.copy()
    X[uniform(seed + 30, *X.shape) < share] = np.nan
    X[(full.signal > 0) & (uniform(seed + 31, n_rows) < 0.3), 0] = np.nan
    new[uniform(seed + 32, *new.shape) < share] = np.nan
    X[:, 1] = full.X[:, 1]
    return sample(seed, X, new, full.X)


@cache
def codes(n_rows: int, share: float = 0.0, seed: int = 4) -> Sample:
    """Four columns of category codes and two of numbers; new rows have codes of their own."""
    n_columns = len(CATEGORIES) + 2
    X, new = bell(seed, n_rows, n_columns), bell(seed + 10, n_rows // 2, n_columns)
    effect = np.empty((n_rows, len(CATEGORIES)))
    for j, n_levels in enumerate(CATEGORIES):
        for table, extra, more in ((X, 0, 0), (new, 2, 50)):
            drawn = uniform(seed + 20 + j + more, len(table))
            table[:, j] = np.floor(drawn * drawn * (n_levels + extra))
        effect[:, j] = bell(seed + 40 + j, n_levels)[X[:, j].astype(np.int64)]
    if share:
        X[uniform(seed + 30, *X.shape) < share] = np.nan
        new[uniform(seed + 32, *new.shape) < share] = np.nan
    return sample(seed, X, new, np.column_stack([effect[:, :3], X[:, -1]]))
