"""A fit of the exact search: greedy trees at once, then the search, for as long as it is given."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from silva import _core
from silva.data.table import Table, Target
from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.optimal.build import (
    CRITERION,
    Arrays,
    arrays_of,
    leaf_tree,
    simplified,
    tree_of,
)
from silva.optimal.incumbent import greedy_plans, useless_splits
from silva.optimal.objective import Objective
from silva.optimal.questions import NO_FORMS, Forms, Questions, questions_of
from silva.optimal.report import OBJECTIVE, Progress, SearchReport, Stop
from silva.optimal.search import Budget, Limits, Search, Watch, core_search, search_for
from silva.tree.collapse import collapse
from silva.tree.restat import restated
from silva.tree.tree import Costs, Tree


@dataclass(frozen=True, slots=True)
class Settings:
    """Which questions are asked, and what the search may use."""

    max_bins: int | None
    max_subset_levels: int
    memory: int
    n_threads: int
    forms: Forms = NO_FORMS

    @property
    def coarse(self) -> bool:
        """Whether some thresholds are not asked."""
        return self.max_bins is not None or bool(self.forms.grids)


class Greedy(NamedTuple):
    """A greedy tree, its splits that lower the value by nothing, and the value without these."""

    tree: Tree
    useless: list[int]
    value: int


class Incumbent(NamedTuple):
    """The value of a tree, and the tree, which is made when it is needed."""

    value: Any
    tree: Callable[[], Tree]


class Study:
    """Rows, an objective and limits, and the best tree so far.

    `history` has a point for each change of the objective or of its lower bound. `costs` are
    those that the objective was made of. `measure` says in words what is minimised.
    """

    measure = OBJECTIVE

    def __init__(
        self,
        table: Table,
        target: Target,
        objective: Objective,
        limits: Limits,
        settings: Settings,
        costs: Costs | None = None,
    ) -> None:
        self.table, self.target, self.objective = table, target, objective
        self.limits, self.settings, self.costs = limits, settings, costs
        self.history: list[Progress] = []
        self._seconds = 0.0
        self._questions: Questions | None = None
        self._search: Search | None = None
        self._greedy: list[Greedy] = []
        self._best: Incumbent | None = None

    @property
    def questions(self) -> Questions:
        """All questions about the rows with a weight; made when they are first needed."""
        if self._questions is None:
            chosen = self.settings
            self._questions = questions_of(
                self._weighted_rows()[0],
                self.objective.weights,
                chosen.max_bins,
                chosen.max_subset_levels,
                chosen.memory,
                chosen.forms,
            )
        return self._questions

    @property
    def has_questions(self) -> bool:
        """Whether a tree may have a split at all."""
        return self.limits.allow_splits and len(self.questions.columns) > 0

    def run(self, budget: Budget, watch: Watch | None = None) -> SearchReport:
        """Search, or search on, until the proof or a limit."""
        begun, before = time.perf_counter(), self._seconds

        def clock() -> float:
            self._seconds = before + time.perf_counter() - begun
            return self._seconds

        def note(progress: Progress) -> None:
            if not self.history or progress[2:] != self.history[-1][2:]:
                self.history.append(progress)
            if watch is not None:
                watch(progress)

        try:
            if self._best is None:
                self._best = self._incumbent()
                note(self._progress(clock()))
            stop = self._searched(budget, note, clock, before)
        except KeyboardInterrupt:
            if self._best is None:
                raise
            stop = "interrupted"
        return self._report(stop, clock())

    def tree(self) -> Tree:
        """The best tree so far."""
        assert self._best is not None
        if self._search is None:
            return self.priced(self._best.tree())
        arrays = simplified(self._search.best, self.questions, self.objective)
        return self.priced(self.made(arrays))

    def priced(self, tree: Tree) -> Tree:
        """The tree whose nodes predict the class of least expected cost."""
        return replace(tree, costs=self.costs)

    def made(self, arrays: Arrays) -> Tree:
        """The tree of some arrays of the core."""
        return tree_of(arrays, self.questions, self.table, self.target)

    def offers(self, more: Sequence[Tree] = ()) -> list[Arrays]:
        """The greedy trees, and more of this table, as the core takes them, without useless splits.

        The best tree so far is among them.
        """
        trees = [*self._greedy, *(self._judged(tree) for tree in more)]
        found = [arrays_of(one.tree, self.questions, one.useless) for one in trees]
        best = [] if self._search is None else [self._search.best]
        known = [simplified(arrays, self.questions, self.objective) for arrays in best]
        return [*known, *(arrays for arrays in found if arrays is not None)]

    def grown(self, plan: Plan) -> Tree:
        """The greedy tree of a plan; with bins or a grid, that of the thresholds that are left."""
        if not self.settings.coarse:
            return grow(self.table, self.target, plan, self.settings.n_threads)
        target = self._weighted_rows()[1]
        tree = grow(self.questions.binned(), target, plan, self.settings.n_threads)
        arrays = arrays_of(tree, self.questions)
        assert arrays is not None
        return self.made(arrays)

    def plans(self, limits: Limits) -> list[Plan]:
        """Greedy trees that ask the same questions within some limits, which allow a split."""
        chosen = self.settings
        return greedy_plans(self.table, limits, chosen.max_subset_levels, chosen.forms)

    def core(self) -> "_core.OptimalSearch":
        """A new search of the core over these rows."""
        memory = self.settings.memory - self.questions.ranks.nbytes
        return core_search(self.questions, self.objective, memory, self.settings.n_threads)

    def _searched(
        self, budget: Budget, note: Watch, clock: Callable[[], float], begun: float
    ) -> Stop:
        """Run the search; growing greedy trees and making questions counts as time too."""

        def left() -> float | None:
            return None if budget.seconds is None else max(0.0, budget.seconds + begun - clock())

        if self._is_proved():
            return "proved"
        if left() == 0:
            return "time"
        if not self.has_questions:
            return "proved"
        if self._search is None:
            self._search = self._begun()
        stop = self._search.run(replace(budget, seconds=left()), note, clock)
        if self._search.proved:
            self._search.release()
        return stop

    def _begun(self) -> Search:
        return search_for(self.core(), self.objective, self.limits, self.offers())

    def _is_proved(self) -> bool:
        """Whether there is nothing to search: no split is allowed or possible, or no cost left."""
        assert self._best is not None
        if self._search is not None:
            return self._search.proved
        return bool(self._best.value == self.bounds()[0])

    def bounds(self) -> tuple[Any, Any]:
        """Proved lower bound and value of the best tree."""
        if self._search is not None:
            return self._search.lower, self._search.upper
        assert self._best is not None
        value = self._best.value
        has_questions = self._questions is None or len(self._questions.columns) > 0
        splits = self.limits.allow_splits and has_questions
        return (min(self._least_with_splits(), value) if splits else value), value

    def least_cost(self) -> int:
        """What has been proved about the cost of every tree within the limits."""
        return 0 if self.objective.penalty else int(self.bounds()[0])

    def rate(self, value: Any) -> float:
        """The objective that a value of the search stands for."""
        return self.objective.rate(value)

    def _least_with_splits(self) -> Any:
        """A limit for trees with splits, and for the leaf alone, before the search."""
        return 0

    def _progress(self, seconds: float) -> Progress:
        lower, upper = self.bounds()
        work = 0 if self._search is None else self._search.work
        return Progress(seconds, work, self.rate(upper), self.rate(lower))

    def _report(self, stop: Stop, seconds: float) -> SearchReport:
        lower, upper = self.bounds()
        progress = self._progress(seconds)
        return SearchReport(
            objective=progress.objective,
            lower_bound=progress.lower_bound,
            proved=lower == upper,
            stopped=stop,
            seconds=seconds,
            work=progress.work,
            left_out=0 if self._questions is None else self._questions.left_out,
            tolerance=self._tolerance(),
            measure=self.measure,
        )

    def _tolerance(self) -> float:
        """What rounding may have changed in the objective."""
        leaves = max(one.tree.n_leaves for one in self._greedy)
        if self._search is not None:
            leaves = max(leaves, len(self._search.best[0]))
        return self.objective.tolerance + self.objective.split_tolerance * leaves

    def _incumbent(self) -> Incumbent:
        """A tree at once: the better one of the greedy trees."""
        self._greedy = [self._judged(tree) for tree in self._grown_trees()]
        best = min(self._greedy, key=lambda one: one.value)
        return Incumbent(best.value, lambda: self._cut(best.tree, best.useless))

    def _judged(self, tree: Tree) -> Greedy:
        return Greedy(tree, *useless_splits(tree, self.table, self.objective))

    def _grown_trees(self) -> list[Tree]:
        if not self.limits.allow_splits:
            return [leaf_tree(self.table, self.target)]
        return [self.grown(plan) for plan in self.plans(self.limits)]

    def _cut(self, tree: Tree, useless: list[int]) -> Tree:
        smaller = replace(collapse(tree, useless), criterion=CRITERION)
        return restated(smaller, self.table, self.target)

    def _weighted_rows(self) -> tuple[Table, Target]:
        """The rows with a weight."""
        rows = self.objective.rows
        if len(rows) == self.table.n_rows:
            return self.table, self.target
        return self.table.take(rows), self.target.take(rows)
