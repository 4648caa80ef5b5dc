"""A search of the core that is stopped by limits, watched while it runs, and continued."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from silva import _core
from silva.optimal.build import Arrays
from silva.optimal.objective import Objective
from silva.optimal.questions import Questions
from silva.optimal.report import Progress, Stop

NO_WORK_LIMIT = 2**62

Watch = Callable[[Progress], object]


@dataclass(frozen=True, slots=True)
class Limits:
    """What trees are allowed: levels of splits, splits, and rows of a leaf."""

    max_depth: int | None = None
    max_splits: int | None = None
    min_rows: int = 1

    @property
    def allow_splits(self) -> bool:
        return self.max_depth != 0 and self.max_splits != 0


@dataclass(frozen=True, slots=True)
class Budget:
    """When a search stops without a proof. None: no limit. `gap` is a difference of objectives."""

    seconds: float | None = None
    work: int | None = None
    gap: float = 0.0


class Asked(Protocol):
    """A question to the core, or a driver that asks many of them: advanced until it is proved."""

    @property
    def lower(self) -> float: ...

    @property
    def upper(self) -> float: ...

    @property
    def proved(self) -> bool: ...

    @property
    def work(self) -> int: ...

    def advance(
        self, seconds: float, work: int, on_poll: Callable[[], bool] | None = None
    ) -> bool: ...

    def tree(self) -> Arrays | None: ...


class Search:
    """Runs a question under a budget. `rate` turns its values into objectives."""

    def __init__(self, asked: Asked, rate: Callable[[Any], float]) -> None:
        self._asked, self._rate = asked, rate

    @property
    def best(self) -> Arrays:
        """The best tree so far."""
        found = self._asked.tree()
        assert found is not None
        return found

    @property
    def upper(self) -> Any:
        return self._asked.upper

    @property
    def lower(self) -> Any:
        return min(self._asked.lower, self._asked.upper)

    @property
    def proved(self) -> bool:
        return self._asked.proved

    @property
    def work(self) -> int:
        return self._asked.work

    def run(self, budget: Budget, watch: Watch, clock: Callable[[], float]) -> Stop:
        """Search on until the proof or a limit; Ctrl-C is a limit too.

        `clock` gives the seconds that `watch` is told; the budget counts from now. The core gets
        the whole budget at once, because a task that is cut off loses its work.
        """

        def look() -> bool:
            progress = self.progress(clock())
            watch(progress)
            return 0 < budget.gap >= progress.gap

        most = _most(budget.work)
        before = self.work
        try:
            if not look() and not self.proved and most > 0:
                self._asked.advance(_most_seconds(budget.seconds), most, look)
            is_close = look()
        except KeyboardInterrupt:
            return "interrupted"
        if self.proved:
            return "proved"
        if is_close:
            return "gap"
        return "work" if self.work - before >= most else "time"

    def progress(self, seconds: float) -> Progress:
        return Progress(seconds, self.work, self._rate(self.upper), self._rate(self.lower))

    def release(self) -> None:
        """Give the memory of a proved search back; what it found stays."""
        self._asked = _Done(self.upper, self.work, self.best)


@dataclass(frozen=True, slots=True)
class _Done:
    """A proved search without its tables."""

    upper: float
    work: int
    arrays: Arrays
    proved: bool = True

    @property
    def lower(self) -> float:
        return self.upper

    def advance(self, seconds: float, work: int, on_poll: Callable[[], bool] | None = None) -> bool:
        return True

    def tree(self) -> Arrays:
        return self.arrays


def search_for(
    core: "_core.OptimalSearch", objective: Objective, limits: Limits, offers: Sequence[Arrays]
) -> Search:
    """Ask the core for the best tree within limits; the offers are a start."""
    core.start(
        limits.max_depth,
        limits.max_splits,
        objective.unit,
        objective.penalty,
        limits.min_rows,
        None,
    )
    for arrays in offers:
        core.offer(*arrays)
    return Search(core, objective.rate)


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
