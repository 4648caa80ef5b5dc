"""Questions to the exact search, and what their answers say about trees of every size."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from silva.optimal.search import Limits

Arrays = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


class Search(Protocol):
    """What is used of `silva._core.OptimalSearch`."""

    @property
    def lower(self) -> int: ...
    @property
    def upper(self) -> int: ...
    @property
    def proved(self) -> bool: ...
    @property
    def work(self) -> int: ...
    @property
    def memory(self) -> int: ...
    def start(
        self,
        max_depth: int | None,
        max_splits: int | None,
        unit: int,
        penalty: int,
        min_rows: int,
        upper: int | None,
    ) -> None: ...
    def offer(
        self, columns: np.ndarray, positions: np.ndarray, left: np.ndarray, right: np.ndarray
    ) -> int: ...
    def advance(
        self, seconds: float, work: int, on_poll: Callable[[], bool] | None = None
    ) -> bool: ...
    def tree(self) -> Arrays | None: ...


ALL_TREES = Limits()


@dataclass(frozen=True, slots=True)
class Question:
    """Is there a tree of unit * errors + penalty * splits < upper, within these limits?"""

    unit: int = 1
    penalty: int = 0
    upper: int | None = None
    max_depth: int | None = None
    max_splits: int | None = None

    def start(self, search: Search, limits: Limits) -> None:
        search.start(
            _least(self.max_depth, limits.max_depth),
            _least(self.max_splits, limits.max_splits),
            self.unit,
            self.penalty,
            limits.min_rows,
            self.upper,
        )

    def errors(self, value: int, splits: int) -> int:
        """The errors of a tree of this value."""
        return (value - self.penalty * splits) // self.unit

    def floor(self, lower: int, splits: np.ndarray) -> np.ndarray:
        """What trees of at most so many splits err at least, if no value is below `lower`.

        A tree of k splits has at most k levels: a question with fewer tells nothing about it.
        """
        floor = -((self.penalty * splits - lower) // self.unit)
        covered = _least(self.max_depth, self.max_splits)
        return np.where(splits <= (math.inf if covered is None else covered), floor, 0)


OPENING = (
    Question(max_depth=1),
    Question(max_depth=2, max_splits=2),
    Question(max_depth=2, max_splits=3),
)
"""Quick ones: the best trees of one and of two splits, a good one of three."""


def below_line(splits: np.ndarray, most: np.ndarray) -> Question:
    """Is any tree on or below a line that is above all points (splits, most errors)?

    The line has the slope of the chord. Everything is a whole number, so "no" is a proof that no
    tree of these sizes has as few errors.
    """
    unit, penalty = int(splits[-1] - splits[0]), int(most[0] - most[-1])
    shared = math.gcd(unit, penalty)
    unit, penalty = unit // shared, penalty // shared
    return Question(unit, penalty, int((unit * most + penalty * splits).max()) + 1)


def at_size(splits: int, most: int) -> Question:
    """Has any tree of at most so many splits at most so many errors?"""
    return Question(upper=most + 1, max_splits=splits)


def touching(splits: int, before: int, most: int, after: int) -> Question:
    """Is any tree on or below a line through (splits, most) between its neighbours' slopes?"""
    unit, penalty = 2, before - after
    return Question(unit, penalty, unit * most + penalty * splits + 1)


def _least(first: int | None, second: int | None) -> int | None:
    known = [limit for limit in (first, second) if limit is not None]
    return min(known, default=None)
