"""One adapter a search. A fit starts at the arrays and ends with a tree that can predict.

Every adapter returns the errors and splits of its tree (counted here, not as reported), whether it
proved the tree to be the best, and how far its bound is away where it has one.
"""

import importlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any
from unittest import mock

import numpy as np

ENDLESS = 2**62


@dataclass(frozen=True)
class Question:
    """The limits of one search: `penalty` is a share of the rows for every split."""

    depth: int | None
    penalty: str = "0"
    seconds: float = 10.0
    memory: int | None = None
    work: int = ENDLESS


@dataclass(frozen=True)
class Answer:
    """What a search found. `gap` is in the units of the search."""

    errors: int
    splits: int
    proved: bool | None = None
    gap: float | None = None
    details: dict[str, float] = field(default_factory=dict)


Contender = Callable[[np.ndarray, np.ndarray, Question], Callable[[], Answer]]
"""Fits, and returns what counts the answer afterwards, outside the timing."""


def silva(X: np.ndarray, y: np.ndarray, asked: Question) -> Callable[[], Answer]:
    """The estimator, with one thread."""
    from silva import OptimalTreeClassifier

    limits = {} if asked.memory is None else {"memory_limit": asked.memory}
    model = OptimalTreeClassifier(
        max_depth=asked.depth, leaf_penalty=float(asked.penalty), time_limit=asked.seconds,
        n_jobs=1, random_state=0, **limits,
    ).fit(X, y)  # fmt: skip
    return lambda: Answer(
        wrong(model, X, y), model.get_n_leaves() - 1, bool(model.proved_), float(model.gap_)
    )


def core(X: np.ndarray, y: np.ndarray, asked: Question) -> Callable[[], Answer]:
    """The search of the core alone, given the ranks of the columns and no tree to start from."""
    from silva import _core

    ranks, levels = ranked(X)
    start = time.process_time()
    n_classes, share = int(y.max()) + 1, Fraction(asked.penalty)
    costs = np.ones((n_classes, n_classes), np.int64) - np.eye(n_classes, dtype=np.int64)
    weights = np.ones(len(y), np.int64)
    memory = asked.memory or 2**30
    search = _core.OptimalSearch(
        ranks, levels, y.astype(np.int32), n_classes, weights, costs, memory=memory, n_threads=1
    )
    unit, penalty = share.denominator, share.numerator * len(y)
    search.start(asked.depth, None, unit, penalty, 1, None)
    search.advance(asked.seconds, asked.work)
    spent = time.process_time() - start
    return lambda: core_answer(search, ranks, y, unit, spent)


def core_answer(search: Any, ranks: np.ndarray, y: np.ndarray, unit: int, spent: float) -> Answer:
    """Errors and splits of the tree that the search holds."""
    tree = search.tree()
    leaves = np.zeros(len(y), np.int64) if tree is None else reached_leaves(tree, ranks)
    right = sum(np.bincount(y[leaves == leaf]).max() for leaf in np.unique(leaves))
    splits = 0 if tree is None else int(np.sum(np.asarray(tree[0]) >= 0))
    gap = (search.upper - search.lower) / unit
    kept = {"memory": search.memory, "work": search.work, "solver": spent}
    return Answer(len(y) - int(right), splits, bool(search.proved), gap, kept)


def reached_leaves(tree: Sequence[np.ndarray], ranks: np.ndarray) -> np.ndarray:
    """The leaf of every row in a tree of (column, position, left, right), the root first."""
    column, position, left, right = map(np.asarray, tree)
    nodes = np.zeros(ranks.shape[1], np.int64)
    rows = np.arange(ranks.shape[1])
    while np.any(inner := column[nodes] >= 0):
        at = nodes[inner]
        first = ranks[column[at], rows[inner]] < position[at]
        nodes[inner] = np.where(first, left[at], right[at])
    return nodes


def ranked(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Dense ranks of every column, a column a row, and how many each has."""
    ranks = np.empty(X.shape[::-1], np.int32)
    for i, column in enumerate(X.T):
        ranks[i] = np.unique(column, return_inverse=True)[1]
    return ranks, ranks.max(axis=1) + np.int32(1)


def greedy(X: np.ndarray, y: np.ndarray, asked: Question) -> Callable[[], Answer]:
    """silva's greedy tree of the same depth."""
    from silva import TreeClassifier

    model = TreeClassifier(max_depth=asked.depth, n_jobs=1, random_state=0).fit(X, y)
    return lambda: Answer(wrong(model, X, y), model.get_n_leaves() - 1)


def scikit_learn(X: np.ndarray, y: np.ndarray, asked: Question) -> Callable[[], Answer]:
    """scikit-learn's greedy tree of the same depth."""
    from sklearn.tree import DecisionTreeClassifier

    model = DecisionTreeClassifier(max_depth=asked.depth, random_state=0).fit(X, y)
    return lambda: Answer(wrong(model, X, y), int(model.get_n_leaves()) - 1)


def pystreed(X: np.ndarray, y: np.ndarray, asked: Question) -> Callable[[], Answer]:
    """STreeD on 0/1 columns, with its default caches and bounds."""
    from pystreed import STreeDClassifier

    model = STreeDClassifier("accuracy", max_depth=asked.depth, time_limit=asked.seconds)
    with solver_time("pystreed.base", "initialize_streed_solver", "_solve") as spent:
        model.fit(X, y)
    return lambda: Answer(
        wrong(model, X, y),
        model.get_n_leaves() - 1,
        bool(model.fit_result.is_optimal()),
        None,
        spent,
    )


def pycontree(X: np.ndarray, y: np.ndarray, asked: Question) -> Callable[[], Answer]:
    """ConTree on continuous columns. It says nothing of a proof: in time means proved."""
    from pycontree import ConTree

    model = ConTree(max_depth=asked.depth, time_limit=asked.seconds)
    with solver_time("pycontree.base", "solve") as spent:
        model.fit(X, y)
    in_time = bool(model._config.is_within_time_limit())
    return lambda: Answer(wrong(model, X, y), model.get_num_branching_nodes(), in_time, None, spent)


@contextmanager
def solver_time(module: str, name: str, method: str = "") -> Iterator[dict[str, float]]:
    """CPU seconds of a peer's compiled search alone, without what its Python does before it.

    The search is a function of a module, or a method of what such a function makes.
    """
    spent: dict[str, float] = {}
    home = importlib.import_module(module)
    real = getattr(home, name)
    timed = Timed(real, spent) if not method else lambda *of: TimedMethod(real(*of), method, spent)
    with mock.patch.object(home, name, timed):
        yield spent


@dataclass(frozen=True)
class Timed:
    """A function that notes the CPU seconds of its last call."""

    call: Callable[..., Any]
    spent: dict[str, float]

    def __call__(self, *given: Any) -> Any:
        start = time.process_time()
        try:
            return self.call(*given)
        finally:
            self.spent["solver"] = time.process_time() - start


class TimedMethod:
    """An object one method of which is timed."""

    def __init__(self, real: Any, method: str, spent: dict[str, float]) -> None:
        self._real, self._method, self._spent = real, method, spent

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._real, name)
        return Timed(found, self._spent) if name == self._method else found


def wrong(model: Any, X: np.ndarray, y: np.ndarray) -> int:
    """Training errors of a fitted model."""
    return int(np.sum(np.asarray(model.predict(X)) != y))


CONTENDERS: dict[str, Contender] = {
    "silva": silva,
    "core": core,
    "greedy": greedy,
    "scikit-learn": scikit_learn,
    "pystreed": pystreed,
    "pycontree": pycontree,
}
PEERS = ("scikit-learn", "pystreed", "pycontree")
