"""Two honest ways to write a tree down, in which every split takes the same space.

A bound on the error of new rows charges for the description of a tree. The search counts splits,
so every split has one price here. docs/optimal_bound.md says when each code gives a guarantee.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from silva.checks import as_float, is_real, whole
from silva.data.schema import Kind
from silva.errors import PlanError
from silva.messages import counted, shown
from silva.prune.description import BIT, leaf_bits, threshold_bits
from silva.tree.prices import MOST

ROWS_OF_A_THRESHOLD = 2
CodingName = Literal["fixed", "compression"]
MOST_COPIES = 2**53
"""Sums of more are not exact in float64."""


@dataclass(frozen=True, slots=True)
class FixedTests:
    """One symbol for each node and one for the end: a test, a class, or the end.

    `n_tests` tests were fixed before the rows were seen. Names no rows.
    """

    n_tests: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_tests", whole("n_tests", self.n_tests, 1))

    @property
    def name(self) -> CodingName:
        return "fixed"

    @property
    def label(self) -> str:
        return counted(self.n_tests, "fixed test")

    def bits(self, n_splits: int, n_classes: int) -> float:
        return (2 * n_splits + 2) * math.log2(self.n_tests + n_classes + 1)

    def named(self, n_splits: int) -> int:
        return 0


@dataclass(frozen=True, slots=True)
class NamedRows:
    """Sample compression: each split names two rows, a threshold is the midpoint of their values.

    The lengths are those of `prune.description` for thresholds of `n_columns` columns. A split of
    another kind (yes/no, levels) is charged the same: the two numbers of rows are the number of
    its test, or the rows have the one or two levels of a side.
    """

    n_columns: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_columns", whole("n_columns", self.n_columns, 1))

    @property
    def name(self) -> CodingName:
        return "compression"

    @property
    def label(self) -> str:
        return "sample compression"

    def bits(self, n_splits: int, n_classes: int) -> float:
        splits = n_splits * threshold_bits(self.n_columns)
        return (splits + (n_splits + 1) * leaf_bits(n_classes)) / BIT

    def named(self, n_splits: int) -> int:
        return ROWS_OF_A_THRESHOLD * n_splits


Coding = FixedTests | NamedRows


@dataclass(frozen=True, slots=True)
class CodedColumn:
    """What the codes need to know about the questions of one column.

    `n_levels` are the declared levels of a categorical or ordinal column, `subsets` says that all
    sets of levels are questions and not only one level against the rest. Levels that are not
    `declared` are those that occur. `grid` holds the thresholds of a continuous column that were
    fixed before the rows were seen.
    """

    kind: Kind
    n_levels: int = 0
    subsets: bool = False
    has_missing: bool = False
    grid: Sequence[float] | None = None
    declared: bool = True

    @property
    def n_tests(self) -> int | None:
        """How many different tests the column has; None where rows decide which there are."""
        match self.kind:
            case "continuous":
                return None if self.grid is None else self._thresholds(len(self.grid))
            case "binary":
                return self._thresholds(1)
            case "ordinal":
                return self._thresholds(max(self.n_levels - 1, 0))
            case "categorical":
                return self._sets() if self.declared else None

    def _thresholds(self, n_thresholds: int) -> int:
        """Missing values go to either side, or are asked for."""
        return 2 * n_thresholds + 1 if self.has_missing else n_thresholds

    def _sets(self) -> int:
        """Sets of levels up to the complement; missing counts as a level."""
        n_groups = self.n_levels + self.has_missing
        if n_groups < 2:
            return 0
        if self.subsets or n_groups == 2:
            return int(2 ** (n_groups - 1)) - 1
        return 2 * self.n_levels + 1 if self.has_missing else self.n_levels


def coding_of(columns: Sequence[CodedColumn], n_rows: int) -> Coding:
    """Fixed tests if rows decide no test, else sample compression.

    The number of values that happened to occur is never the number of tests: it is not known
    before the rows are seen.
    """
    counts = [column.n_tests for column in columns]
    known = [count for count in counts if count is not None]
    if len(known) == len(counts):
        return FixedTests(max(sum(known), 1))
    # where two rows are all, the bound of a split is infinite
    if max(known, default=0) > n_rows**ROWS_OF_A_THRESHOLD and n_rows > ROWS_OF_A_THRESHOLD:
        raise PlanError(
            f"a column has {max(known):,} tests, and two of {n_rows:,} rows cannot name one of so"
            " many. Ask one level against the rest (max_subset_levels=0), or give a grid for every"
            " continuous column and list the levels of every categorical one."
        )
    return NamedRows(len(columns))


def checked_grid(name: str, thresholds: Any) -> tuple[float, ...]:
    """Thresholds of a grid in order; PlanError for anything but different finite numbers."""
    given = list(thresholds) if isinstance(thresholds, Iterable) else []
    numbers = [as_float(value) if is_real(value) else math.nan for value in given]
    if not numbers or not np.isfinite(numbers).all() or len(set(numbers)) < len(numbers):
        raise PlanError(
            f"the grid of column {shown(name)} is not possible: use one or more different finite"
            " numbers that were chosen before looking at the rows."
        )
    return tuple(sorted(numbers))


def copies(weights: np.ndarray) -> np.ndarray:
    """Weights as numbers of copies of rows; PlanError for others.

    The bound counts rows that were drawn independently. A row of weight 3 counts as three of them,
    which is honest only if it was drawn three times.
    """
    whole_ones = np.isfinite(weights) & (weights >= 0) & (weights == np.floor(weights))
    if not whole_ones.all():
        seen = weights[~whole_ones][0]
        raise PlanError(
            f"sample_weight has {shown(float(seen))}: objective='bound' counts rows, so weights"
            " must be whole numbers of copies. Fit without weights, or use another objective."
        )
    total = float(weights.sum())
    if total > (most := min(MOST_COPIES, MOST // len(weights))):
        raise PlanError(
            f"sample_weight adds up to {total:.6g} copies of {len(weights):,} rows, and"
            f" objective='bound' counts at most {most:,}. Fit with smaller weights."
        )
    return weights.astype(np.int64)
