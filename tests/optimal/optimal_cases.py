"""Random small tables and questions for the exact search, and what every result must satisfy.

The generator asks for integers only, so Hypothesis (which shrinks them) and a seeded generator
(which is fast) build the same kinds of cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

from silva import _core
from tests.optimal.brute_force import Arrays, best_tree, obeys, to_arrays, value_of

Draw = Callable[[int, int], int]
LONG = 10**9
ENOUGH = 1 << 28
ENGINES = ("bits", "sorted")
# Fewest rows, most rows, most columns; most cases have 6 to 14 rows.
SIZES = ((1, 5, 5), (6, 14, 5), (6, 14, 5), (6, 14, 5), (6, 14, 5), (15, 30, 4))


@dataclass
class Table:
    """Ordered columns with classes, weights and costs, as the search takes them."""

    ranks: np.ndarray
    classes: np.ndarray
    n_classes: int
    weights: np.ndarray
    costs: np.ndarray

    @property
    def levels(self) -> np.ndarray:
        return np.array([column.max() + 1 for column in self.ranks], dtype=np.int32)

    def parts(self) -> tuple[Any, ...]:
        return self.ranks, self.classes, self.n_classes, self.weights, self.costs

    def search(self, **settings: Any) -> Any:
        """A search over this table with the given engine, bounds, memory and threads."""
        settings = {"memory": ENOUGH, "n_threads": 1} | settings
        first, *rest = self.parts()
        return _core.OptimalSearch(first, self.levels, *rest, **settings)


@dataclass
class Question:
    """Limits and prices: the arguments of `start`, without the upper bound."""

    max_depth: int | None = None
    max_splits: int | None = None
    unit: int = 1
    penalty: int = 0
    min_rows: int = 1

    def limits(self) -> dict[str, Any]:
        names = ("max_depth", "max_splits", "min_rows")
        return {name: getattr(self, name) for name in names}

    def prices(self) -> dict[str, int]:
        return {"unit": self.unit, "penalty": self.penalty}

    def start(self, search: Any, upper: int | None = None) -> None:
        search.start(
            max_depth=self.max_depth,
            max_splits=self.max_splits,
            unit=self.unit,
            penalty=self.penalty,
            min_rows=self.min_rows,
            upper=upper,
        )


@dataclass
class Case:
    """A table and a question about it; the optimum is computed once by brute force."""

    table: Table
    question: Question
    _best: tuple[int, Arrays] | None = field(default=None, repr=False)

    @property
    def best(self) -> tuple[int, Arrays]:
        if self._best is None:
            question = self.question
            self._best = best_tree(*self.table.parts(), **question.limits(), **question.prices())
        return self._best

    @property
    def needs_table(self) -> bool:
        """Many rows and many levels: exponential time without a table of solved nodes."""
        depth = self.question.max_depth
        return len(self.table.classes) > 14 and (depth is None or depth > 3)

    def search(self, **settings: Any) -> Any:
        """A search with these settings, but with a useful table where one is needed."""
        if self.needs_table:
            without = [name for name in settings.get("without", ()) if name != "table"]
            settings = {**settings, "without": without, "memory": ENOUGH}
        return self.table.search(**settings)

    def value_of(self, tree: Arrays) -> int:
        return value_of(tree, *self.table.parts(), **self.question.prices())

    def obeys(self, tree: Arrays) -> bool:
        return obeys(tree, self.table.ranks, **self.question.limits())


def dense(values: np.ndarray) -> np.ndarray:
    return np.unique(values, return_inverse=True)[1].astype(np.int32)


def ordered_table(raw: Any, classes: Any, weights: Any = None, costs: Any = None) -> Table:
    """Table of raw columns (one sequence each) and classes; weights 1 and costs 0/1 by default."""
    classes = np.asarray(classes, dtype=np.int32)
    n_classes = int(classes.max()) + 1 if costs is None else len(costs)
    costs = 1 - np.eye(n_classes, dtype=np.int64) if costs is None else costs
    weights = np.ones(len(classes)) if weights is None else weights
    ranks = np.array([dense(np.asarray(column)) for column in raw], dtype=np.int32)
    ranks = ranks.reshape(len(raw), len(classes))
    return Table(ranks, classes, n_classes, as_int64(weights), as_int64(costs))


def as_int64(values: Any) -> np.ndarray:
    return np.ascontiguousarray(values, dtype=np.int64)


def draw_table(draw: Draw, n: int, p: int) -> Table:
    n_classes = 1 if draw(0, 19) == 19 else draw(2, 4)
    ranks = draw_ranks(draw, n, p)
    classes = draw_classes(draw, ranks, n_classes)
    return Table(ranks, classes, n_classes, draw_weights(draw, n), draw_costs(draw, n_classes))


def draw_ranks(draw: Draw, n: int, p: int) -> np.ndarray:
    """Columns of up to six ranks (narrow tables: any): constant, tied, copied, reversed.

    Rows may be repeated.
    """
    columns: list[np.ndarray] = []
    for _ in range(p):
        kind = draw(0, 7)
        if kind == 7 and columns:
            copied = columns[draw(0, len(columns) - 1)]
            columns.append(copied.max() - copied if draw(0, 1) else copied)
        else:
            highest = 0 if kind == 0 else n if kind == 6 and p < 3 else draw(1, 5)
            columns.append(np.array([draw(0, highest) for _ in range(n)]))
    table = np.array(columns)
    if draw(0, 3) == 3:
        table = table[:, [draw(0, min(n - 1, 4)) for _ in range(n)]]
    return np.array([dense(column) for column in table], dtype=np.int32)


def draw_classes(draw: Draw, ranks: np.ndarray, n_classes: int) -> np.ndarray:
    """Random classes, or the sum of some columns with a little noise (XOR for two ranks)."""
    n = ranks.shape[1]
    if draw(0, 1):
        return np.array([draw(0, n_classes - 1) for _ in range(n)], dtype=np.int32)
    chosen = ranks[-draw(1, len(ranks)) :].sum(axis=0)
    noise = np.array([draw(0, 3) == 3 for _ in range(n)])
    return np.asarray((chosen + noise) % n_classes, dtype=np.int32)


def draw_weights(draw: Draw, n: int) -> np.ndarray:
    """All one, small, above 2**33, or a mixture of light and very heavy rows."""
    kind = draw(0, 3)
    if kind == 0:
        return np.ones(n, dtype=np.int64)
    if kind == 1:
        return as_int64([draw(1, 3) for _ in range(n)])
    if kind == 2:
        return as_int64([2**33 + draw(1, 2**33) for _ in range(n)])
    return as_int64([2 ** (39 * draw(0, 1)) + draw(0, 2) for _ in range(n)])


def draw_costs(draw: Draw, n_classes: int) -> np.ndarray:
    """Zero-one costs, or small costs of any kind; some wrong predictions may be free."""
    costs = 1 - np.eye(n_classes, dtype=np.int64)
    if draw(0, 1):
        lowest = 0 if draw(0, 3) == 3 else 1
        for k, c in np.argwhere(costs):
            costs[k, c] = draw(lowest, 5)
    return costs


def draw_question(draw: Draw, weights: np.ndarray) -> Question:
    unit = (1, 1, 2, 7, 1000)[draw(0, 4)]
    splits = 0 if draw(0, 19) == 19 else (None, 2, 3, 4, 5, 6, None, None, None, 1)[draw(0, 9)]
    return Question(
        max_depth=0 if draw(0, 19) == 19 else (None, 2, 3, 4, 1)[draw(0, 4)],
        max_splits=splits,
        unit=unit,
        penalty=draw_penalty(draw, unit * int(weights.mean())),
        min_rows=(1, 1, 1, 1, 1, 2, 3, 4)[draw(0, 7)],
    )


def draw_penalty(draw: Draw, price_of_a_row: int) -> int:
    """Nothing, a few units, or some thirds of the price of a row."""
    kind = draw(0, 4)
    if kind < 2:
        return 0
    return draw(1, 3) if kind < 4 else price_of_a_row * draw(1, 4) // 3


def draw_case(draw: Draw) -> Case:
    """A case that brute force solves in milliseconds: wide or tall, not both."""
    fewest, most, widest = SIZES[draw(0, len(SIZES) - 1)]
    table = draw_table(draw, draw(fewest, most), draw(1, widest))
    return Case(table, draw_question(draw, table.weights))


def draw_boolean_case(draw: Draw) -> Case:
    """Up to 80 rows of two ranks only: few sets of rows, so brute force needs no limit of depth."""
    n, p = draw(15, 80), draw(2, 6)
    ranks = np.array([dense(np.array([draw(0, 1) for _ in range(n)])) for _ in range(p)])
    n_classes = draw(2, 4)
    classes = draw_classes(draw, ranks, n_classes)
    weights, costs = draw_weights(draw, n), draw_costs(draw, n_classes)
    return Case(Table(ranks, classes, n_classes, weights, costs), draw_question(draw, weights))


def random_case(seed: int) -> Case:
    """The case of a seed, without Hypothesis; one in ten is boolean."""
    make = draw_boolean_case if seed % 10 == 9 else draw_case
    return make(drawn_from(np.random.default_rng(seed)))


def drawn_from(rng: np.random.Generator) -> Draw:
    return lambda low, high: int(rng.integers(low, high, endpoint=True))


@st.composite
def cases(draw: Any) -> Case:
    return draw_case(lambda low, high: draw(st.integers(low, high)))


@st.composite
def boolean_cases(draw: Any) -> Case:
    return draw_boolean_case(lambda low, high: draw(st.integers(low, high)))


@st.composite
def tables(draw: Any) -> Table:
    return draw(cases()).table


def draw_tree(draw: Draw, table: Table, depth: int) -> Any:
    """A nested tree with any tests, sensible or not."""
    columns = np.flatnonzero(table.levels > 1)
    if depth == 0 or not len(columns) or draw(0, 2) == 0:
        return None
    column = int(columns[draw(0, len(columns) - 1)])
    position = draw(1, int(table.levels[column]) - 1)
    return (
        column,
        position,
        draw_tree(draw, table, depth - 1),
        draw_tree(draw, table, depth - 1),
    )


@st.composite
def trees(draw: Any, table: Table) -> Arrays:
    return to_arrays(draw_tree(lambda low, high: draw(st.integers(low, high)), table, 3))


def bound_choices() -> Iterator[tuple[str, ...]]:
    """All bounds on, all off, and each one off alone."""
    names = tuple(_core.OptimalSearch.BOUNDS)
    yield ()
    yield names
    yield from ((name,) for name in names)


def finish(case: Case, search: Any, upper: int | None = None) -> None:
    """Ask the question of the case, search to the end and check everything about the result."""
    case.question.start(search, upper)
    assert search.advance(seconds=LONG, work=LONG), "not done"
    assert_proved(case, search, upper)


def assert_proved(case: Case, search: Any, upper: int | None = None) -> None:
    optimum, _ = case.best
    expected = optimum if upper is None else min(optimum, upper)
    assert search.proved, "not proved"
    found = (search.lower, search.upper)
    assert found == (expected, expected), f"bounds {found}, brute force {expected}"
    if upper is not None and optimum >= upper:
        assert search.tree() is None, f"a tree, but none is below {upper}"
    else:
        assert_tree(case, search.tree(), optimum)


def assert_tree(case: Case, tree: Arrays | None, value: int) -> None:
    assert tree is not None, "no tree"
    assert_preorder(tree)
    assert case.obeys(tree), f"{case.question} does not allow {tree}"
    found = case.value_of(tree)
    assert found == value, f"the tree has the value {found}, reported was {value}"


def assert_preorder(tree: Arrays) -> None:
    """Every node is the next one after its parent, or after its sibling's subtree."""
    column, _, left, right = (np.asarray(part).tolist() for part in tree)
    assert {len(part) for part in tree} == {len(column)}

    def end_of(node: int) -> int:
        if column[node] < 0:
            return node + 1
        assert left[node] == node + 1
        assert right[node] == end_of(left[node])
        return end_of(right[node])

    assert end_of(0) == len(column)


def optimum_of(table: Table, question: Question, **settings: Any) -> int:
    """Optimal value by the search, for tables beyond brute force."""
    search = table.search(**settings)
    question.start(search)
    assert search.advance(seconds=LONG, work=LONG)
    assert search.lower == search.upper
    return int(search.upper)
