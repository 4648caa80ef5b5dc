"""Laws of the exact search that need no brute force, on tables of up to some hundred rows."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.optimal.optimal_cases import (
    ENGINES,
    LONG,
    Case,
    Question,
    Table,
    assert_tree,
    bound_choices,
    cases,
    dense,
    optimum_of,
    ordered_table,
)
from tests.optimal.two_levels import best_in_two_levels

seeds = st.integers(0, 2**32 - 1)
engines = st.sampled_from(ENGINES)


def medium_table(seed: int) -> Table:
    """40 to 160 rows of 2 to 6 columns, few or many ranks, and classes that depend on them."""
    rng = np.random.default_rng(seed)
    n, p, n_classes = rng.integers(40, 160), rng.integers(2, 7), rng.integers(2, 5)
    ranks = [dense(rng.integers(0, rng.choice([2, 3, 8, 200]), n)) for _ in range(p)]
    signal = sum(column > np.median(column) for column in ranks[:3]) + (rng.random(n) < 0.2)
    weights = rng.integers(1, rng.choice([2, 6, 2**36]), n)
    costs = rng.integers(1, rng.choice([2, 5]), (n_classes, n_classes))
    np.fill_diagonal(costs, 0)
    return ordered_table(ranks, signal % n_classes, weights, costs)


def medium_question(seed: int, table: Table) -> Question:
    rng = np.random.default_rng([seed, 1])
    price = int(table.weights.mean())
    return Question(
        max_depth=int(rng.integers(1, 3)),
        max_splits=(None, None, 1, 2, 3)[rng.integers(5)],
        unit=int(rng.choice([1, 3])),
        penalty=int(rng.choice([0, 1, price, 2 * price])),
        min_rows=int(rng.choice([1, 1, 2, 10])),
    )


@given(seeds)
def test_two_levels_of_medium_tables(seed: int):
    table = medium_table(seed)
    question = medium_question(seed, table)
    expected = best_in_two_levels(table, question)
    for engine in ENGINES:
        search = table.search(engine=engine)
        question.start(search)
        assert search.advance(seconds=LONG, work=LONG)
        assert (search.lower, search.upper) == (expected, expected)
        assert_tree(Case(table, question), search.tree(), expected)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("without", list(bound_choices()), ids=str)
def test_two_levels_without_bounds(engine: str, without: tuple[str, ...]):
    for seed in range(5):
        table, question, expected = solved_table(seed)
        assert optimum_of(table, question, engine=engine, without=list(without)) == expected


@cache
def solved_table(seed: int) -> tuple[Table, Question, int]:
    table = medium_table(seed)
    question = medium_question(seed, table)
    return table, question, best_in_two_levels(table, question)


@given(cases())
def test_counting_agrees_with_brute_force(case: Case):
    question = case.question
    question.max_depth = 2 if question.max_depth is None else min(2, question.max_depth)
    assert best_in_two_levels(case.table, question) == case.best[0]


@pytest.mark.parametrize("seed", range(12))
def test_three_levels_of_medium_tables(seed: int):
    """The engines, the threads and the memory agree on the value; both trees have it."""
    table = medium_table(seed)
    question = replace(medium_question(seed, table), max_depth=3)
    values = set()
    for chosen in ALL_WAYS:
        search = table.search(**chosen)
        question.start(search)
        assert search.advance(seconds=LONG, work=LONG)
        assert search.lower == search.upper
        assert_tree(Case(table, question), search.tree(), search.upper)
        values.add(search.upper)
    assert len(values) == 1


ALL_WAYS: list[dict[str, Any]] = [
    {"engine": "bits"},
    {"engine": "sorted"},
    {"engine": "bits", "n_threads": 4},
    {"engine": "sorted", "n_threads": 4},
    {"engine": "bits", "memory": 1 << 14},
    {"engine": "sorted", "memory": 1 << 14},
]


@pytest.mark.parametrize("seed", range(10))
def test_threads_give_the_same_tree_of_three_levels(seed: int):
    table = medium_table(seed + 100)
    question = replace(medium_question(seed, table), max_depth=3)
    for engine in ENGINES:
        found = set()
        for count in (1, 2, 4):
            search = table.search(engine=engine, n_threads=count)
            question.start(search)
            search.advance(seconds=LONG, work=LONG)
            found.add(tuple(tuple(part.tolist()) for part in search.tree()))
        assert len(found) == 1


def sources() -> st.SearchStrategy[tuple[Table, Question]]:
    """Small tables with any question, and medium ones with at most two levels."""
    small = cases().map(lambda case: (case.table, case.question))
    medium = seeds.map(lambda seed: (medium_table(seed), medium_question(seed, medium_table(seed))))
    return small | medium


laws = given(sources(), engines, seeds)


def pick(table: Table, rows: Any) -> Table:
    """The table of some rows, in their order and as often as named, with all their ranks."""
    return replace(
        table,
        ranks=np.ascontiguousarray(table.ranks[:, rows]),
        classes=table.classes[rows],
        weights=table.weights[rows],
    )


@laws
def test_the_order_of_columns_does_not_matter(source: Any, engine: str, seed: int):
    table, question = source
    order = np.random.default_rng(seed).permutation(len(table.ranks))
    shuffled = replace(table, ranks=np.ascontiguousarray(table.ranks[order]))
    expected = optimum_of(table, question, engine=engine)
    assert optimum_of(shuffled, question, engine=engine) == expected


@laws
def test_the_direction_of_columns_does_not_matter(source: Any, engine: str, seed: int):
    table, question = source
    turned = np.random.default_rng(seed).random(len(table.ranks)) < 0.5
    ranks = np.where(turned[:, None], table.levels[:, None] - 1 - table.ranks, table.ranks)
    reversed_table = replace(table, ranks=np.ascontiguousarray(ranks, dtype=np.int32))
    expected = optimum_of(table, question, engine=engine)
    assert optimum_of(reversed_table, question, engine=engine) == expected


@laws
def test_the_order_of_rows_does_not_matter(source: Any, engine: str, seed: int):
    table, question = source
    order = np.random.default_rng(seed).permutation(len(table.classes))
    expected = optimum_of(table, question, engine=engine)
    assert optimum_of(pick(table, order), question, engine=engine) == expected


@laws
def test_a_row_twice_is_a_row_of_twice_the_weight(source: Any, engine: str, seed: int):
    table, question = source
    question = replace(question, min_rows=1)
    times = np.random.default_rng(seed).integers(1, 4, len(table.classes))
    heavier = replace(table, weights=table.weights * times)
    copied = pick(table, np.repeat(np.arange(len(times)), times))
    expected = optimum_of(heavier, question, engine=engine)
    assert optimum_of(copied, question, engine=engine) == expected


@laws
def test_all_rows_twice_with_twice_the_minimum(source: Any, engine: str, seed: int):
    """Rows are counted one by one for the minimum of a leaf, whatever they weigh."""
    table, question = source
    rows = np.arange(len(table.classes)).repeat(2)
    doubled = replace(question, penalty=2 * question.penalty, min_rows=2 * question.min_rows)
    expected = 2 * optimum_of(table, question, engine=engine)
    assert optimum_of(pick(table, rows), doubled, engine=engine) == expected


@laws
def test_the_names_of_classes_do_not_matter(source: Any, engine: str, seed: int):
    table, question = source
    order = np.random.default_rng(seed).permutation(table.n_classes)
    costs = np.empty_like(table.costs)
    costs[np.ix_(order, order)] = table.costs
    renamed = replace(table, classes=order[table.classes].astype(np.int32), costs=costs)
    expected = optimum_of(table, question, engine=engine)
    assert optimum_of(renamed, question, engine=engine) == expected


@laws
def test_a_column_more_never_hurts(source: Any, engine: str, seed: int):
    """A copy of a column changes nothing; any other column can only lower the value."""
    table, question = source
    rng = np.random.default_rng(seed)
    expected = optimum_of(table, question, engine=engine)
    for column, equal in ((table.ranks[rng.integers(len(table.ranks))], True), (None, False)):
        new = dense(rng.integers(0, 4, len(table.classes))) if column is None else column
        wider = replace(table, ranks=np.ascontiguousarray(np.vstack([table.ranks, new])))
        value = optimum_of(wider, question, engine=engine)
        assert value == expected if equal else value <= expected


@laws
def test_looser_limits_never_hurt(source: Any, engine: str, seed: int):
    table, question = source
    value = optimum_of(table, question, engine=engine)
    looser = [replace(question, min_rows=max(1, question.min_rows - 1))]
    if question.max_splits is not None:
        looser.append(replace(question, max_splits=question.max_splits + 1))
    if question.max_depth is not None and len(table.classes) <= 30:
        looser.append(replace(question, max_depth=question.max_depth + 1))
    if question.penalty:
        looser.append(replace(question, penalty=question.penalty - 1))
    assert all(optimum_of(table, easier, engine=engine) <= value for easier in looser)


@laws
def test_all_prices_scale_together(source: Any, engine: str, seed: int):
    table, question = source
    scaled = replace(question, unit=3 * question.unit, penalty=3 * question.penalty)
    expected = 3 * optimum_of(table, question, engine=engine)
    assert optimum_of(table, scaled, engine=engine) == expected
