"""The oracle of the exact search: by hand, by published values, and by listing every tree."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from tests.optimal.brute_force import (
    Arrays,
    BruteForceSearch,
    best_tree,
    leaf_rows,
    obeys,
    to_arrays,
    value_of,
)
from tests.optimal.optimal_cases import Case, Table, cases, dense, ordered_table

XOR = ordered_table([[0, 0, 1, 1], [0, 1, 0, 1]], [0, 1, 1, 0])
STUMP = (0, 1, None, None)
FULL = (0, 1, (1, 1, None, None), (1, 1, None, None))


def value(table: Table, **limits: Any) -> int:
    return best_tree(*table.parts(), **limits)[0]


def splits(tree: Arrays) -> int:
    return int((tree[0] >= 0).sum())


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({"max_depth": 0}, 2),
        ({"max_depth": 1}, 2),
        ({"max_depth": 2}, 0),
        ({"max_splits": 1}, 2),
        ({"max_splits": 2}, 1),
        ({"max_splits": 3}, 0),
        ({"min_rows": 2}, 2),
        ({"penalty": 1}, 2),
        ({"unit": 2, "penalty": 1}, 3),
        ({"unit": 10, "penalty": 1, "max_depth": 1}, 20),
    ],
)
def test_xor_by_hand(limits: dict[str, int], expected: int):
    assert value(XOR, **limits) == expected


def test_a_column_of_three_ranks_by_hand():
    """0 1 0 along one column: one error with one split, none with two."""
    table = ordered_table([[1, 2, 3]], [0, 1, 0])
    assert [value(table, max_splits=k) for k in range(4)] == [1, 1, 0, 0]
    table.weights = np.array([2, 5, 4])
    assert [value(table, max_splits=k) for k in range(3)] == [5, 2, 0]


def test_costs_by_hand():
    """Two rows alike: class 0 costs 3 when called 1; class 1 costs 7 when called 0."""
    table = ordered_table([[1, 1]], [0, 1], costs=[[0, 3], [7, 0]])
    assert value(table) == 3
    table.weights = np.array([3, 1])
    assert value(table) == 7


def test_the_cheapest_class_need_not_occur():
    costs = [[0, 9, 1], [9, 0, 1], [9, 9, 0]]
    assert value(ordered_table([[1, 1]], [0, 1], costs=costs)) == 2


def test_the_value_of_a_tree_by_hand():
    table = ordered_table(XOR.ranks, [0, 1, 1, 0], weights=[1, 2, 3, 4])
    assert value_of(to_arrays(None), *table.parts()) == 5
    assert value_of(to_arrays(STUMP), *table.parts(), unit=10, penalty=3) == 10 * (1 + 3) + 3
    assert value_of(to_arrays(FULL), *table.parts(), penalty=3) == 9


def test_arrays_are_in_pre_order():
    column, position, left, right = (part.tolist() for part in to_arrays((2, 3, STUMP, None)))
    assert column == [2, 0, -1, -1, -1]
    assert position == [3, 1, -1, -1, -1]
    assert left == [1, 2, -1, -1, -1]
    assert right == [4, 3, -1, -1, -1]


def test_the_limits_by_hand():
    full = to_arrays(FULL)
    assert obeys(full, XOR.ranks, max_depth=2, max_splits=3)
    assert not obeys(full, XOR.ranks, max_depth=1)
    assert not obeys(full, XOR.ranks, max_splits=2)
    assert not obeys(full, XOR.ranks, min_rows=2)
    assert not obeys(to_arrays((0, 1, STUMP, None)), XOR.ranks), "a leaf without rows"
    assert obeys(to_arrays(None), XOR.ranks, max_depth=0, max_splits=0, min_rows=9)


def test_every_row_is_in_one_leaf():
    rows = [row for _, inside in leaf_rows(to_arrays(FULL), XOR.ranks) for row in inside]
    assert sorted(rows) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("name", "depth", "errors"),
    [("zoo-1", 2, 0), ("hepatitis", 2, 16), ("primary-tumor", 2, 58)],
)
def test_published_values(shared_data: Path, name: str, depth: int, errors: int):
    frame = pd.read_csv(shared_data / "binarised" / f"{name}.csv")
    table = ordered_table(frame.to_numpy().T[:-1], frame["class"])
    assert value(table, max_depth=depth) == errors


def every_tree(tests: list[tuple[int, int]], depth: int) -> Iterator[Any]:
    """Each tree of at most `depth` levels, one after the other."""
    yield None
    if depth:
        below = list(every_tree(tests, depth - 1))
        for column, position in tests:
            yield from ((column, position, left, right) for left in below for right in below)


def questions_of(table: Table) -> list[tuple[int, int]]:
    return [(c, j) for c, levels in enumerate(table.levels) for j in range(1, levels)]


@given(cases())
def test_the_best_of_all_trees_in_a_list(case: Case):
    """No recursion over sets of rows: write every tree down and evaluate it."""
    table, question = case.table, case.question
    table.ranks = np.array([dense(column[:6] % 3) for column in table.ranks[:3]])
    table.classes, table.weights = table.classes[:6], table.weights[:6]
    tests = questions_of(table)
    deepest = 3 if len(tests) <= 2 else 2
    question.max_depth = min(deepest, deepest if question.max_depth is None else question.max_depth)
    trees = (to_arrays(tree) for tree in every_tree(tests, question.max_depth))
    assert case.best[0] == min(case.value_of(tree) for tree in trees if case.obeys(tree))


@given(cases())
def test_the_tree_has_the_value_and_obeys_the_limits(case: Case):
    best, tree = case.best
    assert case.value_of(tree) == best
    assert case.obeys(tree)


@given(cases())
def test_no_limit_is_a_limit_nobody_reaches(case: Case):
    unlimited, question = case.best[0], case.question
    n = len(case.table.classes)
    limits = question.limits()
    limits = {name: n if limit is None else limit for name, limit in limits.items()}
    assert value(case.table, **limits, **question.prices()) == unlimited


@given(cases())
def test_brute_force_as_a_search(case: Case):
    ranks, *others = case.table.parts()
    search = BruteForceSearch(ranks, case.table.levels, *others)
    case.question.start(search)
    while not search.advance(seconds=0, work=1):
        assert search.lower <= case.best[0] <= search.upper
        assert case.value_of(search.tree()) == search.upper
    assert search.lower == search.upper == case.best[0]
    assert case.value_of(search.tree()) == case.best[0]
