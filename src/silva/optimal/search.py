"""A search of the core that is stopped by limits, watched while it runs, and continued."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from silva import _core
from silva.optimal.build import Arrays
from silva.optimal.objective import Objective
from silva.optimal.questions import Questions
from silva.optimal.report import Progress, Stop

SLICE = 0.05
"""Seconds of search between two looks at the limits."""

NO_WORK_LIMIT = 2**62

Watch = Callable[[Progress], object]


@dataclass(frozen=True, slots=True)
class Limits:
    """What trees are allowed: levels of splits, splits, and rows of a leaf."""

    max_depth: int | None
    max_splits: int | None
    min_rows: int

    @property
    def allow_splits(self) -> bool:
        return self.max_depth != 0 and self.max_splits != 0


@dataclass(frozen=True, slots=True)
class Budget:
    """When a search stops without a proof. None: no limit. `gap` is a difference of objectives."""

    seconds: float | None = None
    work: int | None = None
    gap: float = 0.0


class Search:
    """One question to the core: the best tree within limits, for one objective."""

    def __init__(
        self,
        core: "_core.OptimalSearch",
        objective: Objective,
        limits: Limits,
        offered: list[Arrays],
    ) -> None:
        self._core, self._objective = core, objective
        core.start(
            limits.max_depth,
            limits.max_splits,
            objective.unit,
            objective.penalty,
            limits.min_rows,
            None,
        )
        for arrays in offered:
            core.offer(*arrays)

    @property
    def best(self) -> Arrays:
        """The best tree so far."""
        found = self._core.tree()
        assert found is not None
        return found

    @property
    def upper(self) -> int:
        return int(self._core.upper)

    @property
    def lower(self) -> int:
        return min(int(self._core.lower), self.upper)

    @property
    def proved(self) -> bool:
        return bool(self._core.proved)

    @property
    def work(self) -> int:
        return int(self._core.work)

    def run(self, budget: Budget, watch: Watch, clock: Callable[[], float]) -> Stop:
        """Search on until the proof or a limit; Ctrl-C is a limit too.

        `clock` gives the seconds that `watch` is told; the budget counts from now.
        """
        begun, end = time.perf_counter(), self.work + _most(budget.work)
        gap = self._objective.value(budget.gap)
        try:
            while True:
                watch(self.progress(clock()))
                left = _most_seconds(budget.seconds) - (time.perf_counter() - begun)
                stop = self._stop(gap, left, end)
                if stop is not None:
                    return stop
                self._core.advance(min(SLICE, left), end - self.work)
        except KeyboardInterrupt:
            return "interrupted"

    def progress(self, seconds: float) -> Progress:
        rate = self._objective.rate
        return Progress(seconds, self.work, rate(self.upper), rate(self.lower))

    def _stop(self, gap: int, seconds_left: float, end: int) -> Stop | None:
        if self.proved:
            return "proved"
        if self.upper - self.lower <= gap:
            return "gap"
        if seconds_left <= 0:
            return "time"
        return "work" if self.work >= end else None


def core_search(
    questions: Questions, objective: Objective, memory: int, n_threads: int
) -> "_core.OptimalSearch":
    """The core's search over these questions, which can be asked about many limits."""
    return _core.OptimalSearch(
        questions.ranks,
        questions.levels,
        objective.classes,
        objective.n_classes,
        objective.weights,
        objective.costs,
        memory=memory,
        n_threads=n_threads,
    )


def _most(work: int | None) -> int:
    return NO_WORK_LIMIT if work is None else work


def _most_seconds(seconds: float | None) -> float:
    return math.inf if seconds is None else seconds
