"""The draws of a forest as values: with the seed of a tree they can be made again, without rows."""

from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from silva.data.table import Target
from silva.ensemble import sampling
from silva.ensemble.plan import ForestPlan
from silva.grow.grow import rows_with_weight

DIGEST_SIZE = 16
UNKNOWN_DIGEST = bytes(DIGEST_SIZE)
"""Of trees that were grown with different targets or weights."""


class RowDraws(NamedTuple):
    """What the draws of rows depend on besides the seed of the tree.

    `unused` has a bit for each row, set where its weight is 0 (NumPy's packbits); None if none is.
    `digest` identifies targets and weights. `sampling` is a word of `ForestPlan.sampling`.
    """

    n_rows: int
    unused: bytes | None
    digest: bytes
    sampling: str
    n_samples: int

    def counts(self, seed: int) -> np.ndarray:
        """How often the tree of this seed sees each row (uint32)."""
        return sampling.drawn_counts(seed, ~self.is_unused(), self.n_samples, self.sampling)

    def rows(self, seed: int) -> np.ndarray:
        """The rows that the tree of this seed sees, ascending, each as often as it was drawn."""
        return np.repeat(np.arange(self.n_rows, dtype=np.int32), self.counts(seed))

    def is_unused(self) -> np.ndarray:
        """Which rows cannot be drawn (bool)."""
        if self.unused is None:
            return np.zeros(self.n_rows, bool)
        bits = np.frombuffer(self.unused, np.uint8)
        return np.unpackbits(bits, count=self.n_rows).astype(bool)


class ColumnDraws(NamedTuple):
    """How many of the columns each tree may ask about, and whether draws may repeat."""

    n_columns: int
    n_drawn: int
    with_copies: bool = False

    @property
    def is_all(self) -> bool:
        """Whether every tree has all columns."""
        return self.n_drawn == self.n_columns and not self.with_copies

    def columns(self, seed: int) -> np.ndarray:
        """The different columns of the tree of this seed, ascending (int64)."""
        if self.is_all:
            return np.arange(self.n_columns)
        return sampling.draw_columns(seed, self.n_columns, self.n_drawn, self.with_copies)


def row_draws(target: Target, plan: ForestPlan) -> RowDraws:
    """How `plan` draws from the rows of this target."""
    unused = None
    if target.weights is not None and not target.weights.all():
        unused = np.packbits(target.weights == 0).tobytes()
    n_samples = plan.draws(rows_with_weight(target))
    return RowDraws(len(target.values), unused, digest_of(target), plan.sampling, n_samples)


def column_draws(n_columns: int, plan: ForestPlan) -> ColumnDraws:
    """How `plan` draws from so many columns."""
    return ColumnDraws(n_columns, plan.columns_drawn(n_columns), plan.bootstrap_columns)


def digest_of(target: Target) -> bytes:
    """Bytes that tell targets and weights from others; weights that are all 1 are none."""
    digest = blake2b(target.values.tobytes(), digest_size=DIGEST_SIZE)
    if target.weights is not None and not (target.weights == 1.0).all():
        digest.update(target.weights.tobytes())
    return digest.digest()
