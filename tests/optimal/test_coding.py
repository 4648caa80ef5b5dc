"""What a split costs, and which code a table gets."""

import itertools
import math

import numpy as np
import pytest

from silva.errors import PlanError
from silva.optimal.bound import equal_rows_errors
from silva.optimal.bound_forms import BoundForm, default_form
from silva.optimal.coding import (
    CodedColumn,
    FixedTests,
    NamedRows,
    checked_grid,
    coding_of,
    copies,
)


def partitions(levels: int, missing: bool, subsets: bool) -> set[frozenset[frozenset[int]]]:
    """Every question about levels as its two sides; the last group is the missing values."""
    groups = range(levels + missing)
    found = set()
    for size in groups:
        for side in itertools.combinations(groups, size):
            known = [one for one in side if one < levels]
            others = [one for one in range(levels) if one not in side]
            if subsets or len(known) == 1 or len(others) == 1 or not known or not others:
                found.add(frozenset({frozenset(side), frozenset(groups) - frozenset(side)}))
    return {one for one in found if frozenset() not in one}


@pytest.mark.parametrize("subsets", [False, True])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("levels", range(6))
def test_questions_about_levels_are_counted(levels, missing, subsets):
    """Never too few; exactly but for two levels with missing ones, where some coincide."""
    column = CodedColumn("categorical", levels, subsets, missing)
    different = len(partitions(levels, missing, subsets))
    assert column.n_tests >= different
    assert column.n_tests == different or (missing and levels == 2)


@pytest.mark.parametrize(
    ("column", "n_tests"),
    [
        (CodedColumn("binary"), 1),
        (CodedColumn("binary", has_missing=True), 3),
        (CodedColumn("ordinal", 5), 4),
        (CodedColumn("continuous"), None),
        (CodedColumn("categorical", 4), 4),
        (CodedColumn("categorical", 4, declared=False), None),
        (CodedColumn("continuous", grid=(1.0, 2.0, 5.0)), 3),
        (CodedColumn("continuous", grid=(1.0, 2.0, 5.0), has_missing=True), 7),
    ],
)
def test_tests_of_a_column(column, n_tests):
    assert column.n_tests == n_tests


def test_the_code_of_a_table():
    """Fixed tests unless rows decide where thresholds are; observed values never count."""
    levels, numbers = CodedColumn("categorical", 4), CodedColumn("continuous")
    grid = CodedColumn("continuous", grid=(0.5, 1.5))
    assert coding_of([CodedColumn("binary")] * 5, 100) == FixedTests(5)
    assert coding_of([levels, grid], 100) == FixedTests(6)
    assert coding_of([levels, grid, numbers], 100) == NamedRows(3)
    assert default_form(FixedTests(5)) == "textbook"
    assert default_form(NamedRows(5)) == "ln2"


def test_two_rows_must_be_able_to_name_a_set():
    columns = [CodedColumn("categorical", 30, subsets=True), CodedColumn("continuous")]
    with pytest.raises(PlanError, match="536,870,911 tests"):
        coding_of(columns, 1000)
    assert coding_of(columns, 30000) == NamedRows(2)


def test_lengths_by_hand():
    assert FixedTests(13).bits(2, 2) == 6 * 4
    assert FixedTests(13).named(2) == 0
    assert NamedRows(4).bits(1, 2) == pytest.approx(1 + math.log2(3) + 2 + 2 + 1 + 2 * 2, abs=1e-5)
    assert NamedRows(4).named(3) == 6


@pytest.mark.parametrize("grid", [[], [1.0, 1.0], [math.nan], [math.inf], ["a"], [True]])
def test_grids_that_are_none(grid):
    with pytest.raises(PlanError, match="the grid of column"):
        checked_grid("x", grid)


def test_grids_are_sorted():
    assert checked_grid("x", np.array([3, 1.5])) == (1.5, 3.0)


@pytest.mark.parametrize("weight", [0.5, math.nan, math.inf, -1.0])
def test_only_copies_are_counted(weight):
    with pytest.raises(PlanError, match="whole numbers of copies"):
        copies(np.array([1.0, weight]))


@pytest.mark.parametrize("weights", [[1e300, 1.0], [2.0**53, 2.0], [2.0**50] * 2000])
def test_more_copies_than_can_be_counted(weights):
    with pytest.raises(PlanError, match=r"sample_weight adds up to .* copies of .* at most"):
        copies(np.array(weights))


def test_copies():
    assert copies(np.array([1.0, 3.0, 0.0])).tolist() == [1, 3, 0]


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ({"form": "hoeffding"}, "bound='hoeffding'"),
        ({"coding": NamedRows(3)}, "bound='textbook'"),
        ({"delta": 0.0}, "delta=0"),
        ({"delta": 1.0}, "delta=1"),
        ({"delta": "0.05"}, "delta='0.05'"),
        ({"n_rows": 0}, "n_rows=0"),
    ],
)
def test_forms_that_cannot_be(choice, told):
    good = {"form": "textbook", "coding": FixedTests(3), "n_rows": 10, "n_classes": 2}
    with pytest.raises(PlanError, match=told):
        BoundForm(**(good | choice))


def test_rows_that_are_equal():
    ranks = np.array([[0, 0, 0, 1, 1], [0, 0, 0, 1, 0]], dtype=np.int32)
    classes, weights = np.array([0, 1, 1, 0, 1]), np.array([5, 2, 2, 7, 1])
    assert equal_rows_errors(ranks, classes, weights) == 4
    assert equal_rows_errors(ranks[:0], classes, weights) == 5
