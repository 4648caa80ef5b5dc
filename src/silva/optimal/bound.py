"""The tree that minimises a bound on the error of new rows, among all trees of any size.

docs/optimal_bound.md has the theorem and its proof. In short: F(splits, errors) is the bound. If
`best` is the least value so far, a better tree of k splits makes at most c(k) errors, and c is
convex. So a line above c on a range of sizes is hardly above it, and one decision of the exact
search, "is there a tree below this line?", closes the range when the answer is no.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from silva.optimal.bound_forms import BoundForm
from silva.optimal.bound_questions import (
    ALL_TREES,
    OPENING,
    Arrays,
    Question,
    Search,
    at_size,
    below_line,
    touching,
)
from silva.optimal.search import Limits

PATIENCE = 1 << 30
"""Work for one question before its range of sizes is divided: seconds of one processor."""
GROWTH = 4
"""How much more work each part of a divided range may take."""
FIRST_SLICE = 1 << 18
"""Work before a first look at what was found; each slice doubles what a question has taken."""
STEP = 1 << 26
"""Work between two reports: about a tenth of a second."""
NO_END = 10**18
POLL = 0.05
"""Seconds between two questions to the caller."""


@dataclass(frozen=True, slots=True)
class BoundStep:
    """What is known after so much work: the best tree so far, and the proved limit of all trees."""

    work: int
    upper: float
    lower: float
    splits: int
    errors: int


@dataclass(frozen=True, slots=True)
class BoundResult:
    """The best tree, its bound, and the proved limit for all trees."""

    value: float
    lower: float
    proved: bool
    splits: int
    errors: int
    tree: Arrays
    work: int
    history: tuple[BoundStep, ...]


@dataclass(slots=True)
class Range:
    """Sizes that one question is about, and how much work it may take before they are divided."""

    first: int
    last: int
    patience: int
    by_size: bool = False


class BoundSearch:
    """Minimises a bound, driven like the exact search that it asks: `advance` until `proved`.

    `search` counts every error as 1 (weights are copies of rows). `least_errors` is what the
    largest tree errs at least, such as `equal_rows_errors` says. A range of sizes is divided when
    a question about it takes more than `patience` units of work.

    `lower` and `upper` are the proved limits of the least bound; `upper` is that of `tree()`.
    """

    def __init__(
        self,
        search: Search,
        form: BoundForm,
        limits: Limits = ALL_TREES,
        *,
        least_errors: int = 0,
        patience: int = PATIENCE,
    ) -> None:
        self._search, self._form, self._limits = search, form, limits
        self._question: Question | None = None
        self._range: Range | None = None
        self._spent = self._checkpoint = 0
        self._has_improved = False
        self._is_stopped, self._polled = False, 0.0
        self._on_poll: Callable[[], bool] | None = None
        self.work = 0
        self.upper = math.inf
        self.splits, self.errors = 0, form.n_rows
        self._tree: Arrays | None = None
        self._patience = max(patience, 1)
        self._take_leaf()
        self._sizes = form.sizes(self._last_size(least_errors))
        self._floor = np.full(len(self._sizes.splits), least_errors)
        self._floor[0] = self.errors
        self._decided = np.zeros(len(self._sizes.splits), dtype=bool)
        self._opening = list(OPENING)
        self._ranges = [Range(0, len(self._floor) - 1, self._patience)]
        self.history: list[BoundStep] = []
        self._look()

    @property
    def lower(self) -> float:
        """No tree has a smaller bound."""
        return self._lower

    @property
    def proved(self) -> bool:
        return not len(self._open)

    @property
    def memory(self) -> int:
        return self._search.memory

    def tree(self) -> Arrays:
        """The best tree so far: column, position, left, right in pre-order."""
        assert self._tree is not None
        return self._tree

    def offer(
        self, columns: np.ndarray, positions: np.ndarray, left: np.ndarray, right: np.ndarray
    ) -> float:
        """A tree as an incumbent; returns its bound, infinite if it breaks a limit."""
        self._ask(Question(), None)
        errors = self._search.offer(columns, positions, left, right)
        self._question = None
        if errors < 0:
            return math.inf
        self._take((columns, positions, left, right), errors)
        self._look()
        return self._form.value(_n_splits(columns), errors)

    def advance(self, seconds: float, work: int, on_poll: Callable[[], bool] | None = None) -> bool:
        """Search on until proved, for about so many seconds, or so many units of work.

        `on_poll` is asked now and then whether to stop.
        """
        end, last = time.monotonic() + seconds, self.work + work
        self._is_stopped, self._on_poll = False, on_poll
        while not self.proved and self.work < last and (left := end - time.monotonic()) > 0:
            self._step(left, last - self.work)
            if self._is_stopped or self._poll():
                break
        return self.proved

    def _poll(self) -> bool:
        """Whether the caller wants to stop; asked at most about 20 times a second."""
        now = time.monotonic()
        if self._on_poll is None or now - self._polled < POLL:
            return False
        self._polled = now
        self._is_stopped = self._on_poll()
        return self._is_stopped

    def result(self) -> BoundResult:
        return BoundResult(
            self.upper,
            self.lower,
            self.proved,
            self.splits,
            self.errors,
            self.tree(),
            self.work,
            tuple(self.history),
        )

    def _take_leaf(self) -> None:
        self._ask(Question(max_depth=0, max_splits=0), None)
        self._search.advance(math.inf, NO_END)
        self._learn_tree()
        self._question = None

    def _last_size(self, least_errors: int) -> int:
        """The largest tree that could be better than the leaf alone."""
        last = max(self._form.most_splits(least_errors, self.upper), 0)
        most = self._limits.max_splits
        if self._limits.max_depth is not None:
            deepest = 2 ** min(self._limits.max_depth, 62) - 1
            most = deepest if most is None else min(most, deepest)
        return last if most is None else min(last, most)

    def _step(self, seconds: float, work: int) -> None:
        """Ask for a slice of work; an interrupt keeps what was learnt, and the question."""
        if self._question is None:
            self._ask(*self._next())
        before, done = self._search.work, False
        try:
            allowed = min(work, self._checkpoint - self._spent)
            done = self._search.advance(seconds, allowed, self._poll)
        finally:
            self._spent += self._search.work - before
            self.work += self._search.work - before
            self._learn()
        if done or self._spent >= self._checkpoint:
            self._checkpoint = 2 * self._spent
            self._conclude(done)

    def _ask(self, question: Question, about: Range | None) -> None:
        self._question, self._range = question, about
        self._spent, self._checkpoint = 0, min(self._patience, FIRST_SLICE)
        self._has_improved = False
        question.start(self._search, self._limits)
        self._asked_upper = math.inf if question.upper is None else question.upper

    def _next(self) -> tuple[Question, Range | None]:
        while self._opening:
            question = self._opening.pop(0)
            if (self._open <= len(OPENING)).any():
                return question, None
        self._ranges = [one for old in self._ranges if (one := self._trimmed(old))]
        chosen = min(self._ranges, key=lambda one: (one.patience, self._lowest(one)))
        return self._question_about(chosen), chosen

    def _within(self, about: Range) -> np.ndarray:
        return self._open[(self._open >= about.first) & (self._open <= about.last)]

    def _trimmed(self, about: Range) -> Range | None:
        sizes = self._within(about)
        if not len(sizes):
            return None
        about.first, about.last = int(sizes[0]), int(sizes[-1])
        return about

    def _lowest(self, about: Range) -> float:
        return float(self._values[self._within(about)].min())

    def _question_about(self, about: Range) -> Question:
        sizes = self._within(about)
        if len(sizes) > 1:
            return below_line(sizes, self._sizes.most_errors(self.upper, sizes))
        splits = int(sizes[0])
        if about.by_size or not 0 < splits < len(self._floor) - 1:
            return at_size(splits, int(self._sizes.most_errors(self.upper, sizes)[0]))
        three = self._sizes.most_errors(self.upper, np.arange(splits - 1, splits + 2))
        return touching(splits, *three.tolist())

    def _learn(self) -> None:
        """Take over the tree and the lower bound."""
        assert self._question is not None
        better = self._learn_tree()
        floor = self._question.floor(self._search.lower, self._sizes.splits)
        if better or (floor > self._floor).any():
            self._floor = np.maximum(self._floor, floor)
            self._look()
        self._has_improved |= better

    def _learn_tree(self) -> bool:
        assert self._question is not None
        tree = self._search.tree() if self._search.upper < self._asked_upper else None
        if tree is None:
            return False
        errors = self._question.errors(self._search.upper, _n_splits(tree[0]))
        return self._take(tree, errors)

    def _take(self, tree: Arrays, errors: int) -> bool:
        splits = _n_splits(tree[0])
        value = self._form.value(splits, errors)
        if self._tree is not None and value >= self.upper:
            return False
        self.upper, self.splits, self.errors, self._tree = value, splits, errors, tree
        return True

    def _look(self) -> None:
        """Which sizes may still hold a better tree, and how good it may be."""
        self._values = self._sizes.values(self._floor)
        self._open = np.flatnonzero((self._values < self.upper) & ~self._decided)
        self._lower = float(self._values[self._open].min()) if len(self._open) else self.upper
        step = BoundStep(self.work, self.upper, self._lower, self.splits, self.errors)
        if not self.history or (step.upper, step.lower) != self._last_limits():
            self.history.append(step)

    def _last_limits(self) -> tuple[float, float]:
        return self.history[-1].upper, self.history[-1].lower

    def _conclude(self, done: bool) -> None:
        """Leave the question when it is answered or takes too long; divide what stays open.

        Only at checkpoints of work, so that calls of any length ask the same questions.
        """
        about = self._range
        if about is None or self._has_improved:
            self._question = None if done or self._has_improved else self._question
            return
        is_yes = self._search.upper < self._asked_upper
        if not done and not is_yes and self._spent < about.patience:
            return
        asked, self._question = self._question, None
        sizes = self._within(about)
        if len(sizes) > 1:
            self._divide(about, sizes, is_yes)
        elif len(sizes):
            self._persist(about, asked, done, is_yes)

    def _divide(self, about: Range, sizes: np.ndarray, is_yes: bool) -> None:
        """At the size of the tree that was found but is no better, else in the middle."""
        middle = int(sizes[(len(sizes) - 1) // 2])
        tree = self._search.tree() if is_yes else None
        if tree is not None and about.first <= _n_splits(tree[0]) < about.last:
            middle = _n_splits(tree[0])
        about.patience *= 1 if is_yes else GROWTH
        self._ranges.append(Range(middle + 1, about.last, about.patience))
        about.last = middle

    def _persist(self, about: Range, asked: Question | None, done: bool, is_yes: bool) -> None:
        """One size: count splits instead of charging for them, or take more time."""
        if done and about.by_size:
            self._decided[about.first] = True
            self._look()
        elif done or is_yes:
            about.by_size = True
        else:
            about.patience *= GROWTH
            self._question = asked if len(self._ranges) == 1 else None


def minimise(
    search: Search,
    form: BoundForm,
    limits: Limits = ALL_TREES,
    *,
    least_errors: int = 0,
    seconds: float = math.inf,
    work: int = NO_END,
    on_step: Callable[[BoundStep], object] = lambda step: None,
) -> BoundResult:
    """The least bound of all trees within the limits, or what is known of it when time is up."""
    bound = BoundSearch(search, form, limits, least_errors=least_errors)
    end, seen = time.monotonic() + seconds, 0
    while not bound.proved and bound.work < work and (left := end - time.monotonic()) > 0:
        bound.advance(left, min(work - bound.work, STEP))
        for step in bound.history[seen:]:
            on_step(step)
        seen = len(bound.history)
    return bound.result()


def equal_rows_errors(ranks: np.ndarray, classes: np.ndarray, weights: np.ndarray) -> int:
    """What every tree errs at least: rows that no column tells apart get one prediction."""
    _, groups = np.unique(ranks, axis=1, return_inverse=True)
    n_classes = int(classes.max(initial=0)) + 1
    cells = groups.ravel() * n_classes + classes
    counts = np.bincount(cells, weights, n_classes * (int(groups.max(initial=0)) + 1))
    largest = counts.reshape(-1, n_classes).max(axis=1).sum()
    return int(weights.sum() - largest)


def _n_splits(columns: np.ndarray) -> int:
    return int(np.count_nonzero(np.asarray(columns) >= 0))
