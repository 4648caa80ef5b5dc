"""Models in words, and the checks of stored models."""

from dataclasses import replace

import numpy as np
import pytest

from silva.errors import ModelFormatError
from silva.leaf.fit import fit_leaves
from silva.leaf.words import model_words
from silva.tree.linear import LinearLeaves, check_linear
from tests.leaf.leaf_samples import SCHEMA, classes_target, numbers_target, random_table, small_tree

INF = np.inf


def models(**changes):
    """Two models: one of four entries, one constant."""
    arrays = {
        "start": np.array([0, 4, 4]),
        "column": np.array([0, 2, 3, 4], dtype=np.int32),
        "code": np.array([-1, -1, 1, -1], dtype=np.int32),
        "weight": np.array([0.5, -1.1, 2.0, -3.0]),
        "center": np.array([40.0, -1.5, 0.25, 0.0]),
        "intercept": np.array([3.2, 7.0]),
        "low": np.array([1.0, 7.0]),
        "high": np.array([9.0, 7.0]),
    }
    return LinearLeaves(**(arrays | changes))


@pytest.fixture
def tree():
    table = random_table(1, 50)
    return small_tree(table, numbers_target(table, 1), 2)


def test_a_model_is_told_exactly(tree):
    told = replace(tree, linear=models())
    assert model_words(told, 0, SCHEMA) == (
        "3.2 + 0.5*(age - 40) - 1.1*(position(size) + 1.5) + 2*([color = brown] - 0.25)"
        " - 3*[tame = yes], between 1 and 9"
    )
    assert model_words(told, 1) == "7"


@pytest.mark.parametrize(
    ("low", "high", "end"),
    [(-INF, INF, "]"), (1.0, INF, ", at least 1"), (-INF, 9.0, ", at most 9")],
)
def test_ranges_in_words(tree, low, high, end):
    linear = models(low=np.array([low, 7.0]), high=np.array([high, 7.0]))
    assert model_words(replace(tree, linear=linear), 0).endswith(end)


def test_log_odds_in_words(tree):
    table = random_table(2, 50)
    two = small_tree(table, classes_target(table, 2, 2), 2)
    assert model_words(replace(two, linear=models()), 1) == "log-odds of 1: 7"
    three = small_tree(table, classes_target(table, 2, 3), 1)
    constants = models(
        start=np.zeros(4, dtype=np.int64),
        column=np.zeros(0, dtype=np.int32),
        code=np.zeros(0, dtype=np.int32),
        weight=np.zeros(0),
        center=np.zeros(0),
        **{name: np.array([1.0, -2.5, 0.0]) for name in ("intercept", "low", "high")},
    )
    assert model_words(replace(three, linear=constants), 0) == (
        "log-odds of 0: 1; log-odds of 1: -2.5; log-odds of 2: 0"
    )


def test_a_fitted_leaf_reads_back_as_the_formula_that_is_applied():
    table = random_table(8, 300, missing=0.0)
    target = numbers_target(table, 8)
    tree = fit_leaves(small_tree(table, target, 2), table, target, "linear")
    words = model_words(tree, 0)
    assert words.count("*") == tree.linear.start[1]
    assert repr(float(tree.linear.weight[0])).lstrip("-") in words


def test_a_tree_without_models_has_no_words(tree):
    with pytest.raises(TypeError, match="no linear models"):
        model_words(tree, 0)


def test_good_models_pass():
    check_linear(models(), SCHEMA, 2, 0)
    check_linear(models(), SCHEMA, 2, 2)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"start": np.array([0, 4])}, "linear_start: must have 3"),
        ({"start": np.array([1, 4, 4])}, r"linear_start\[0\]: must rise"),
        ({"start": np.array([0, 5, 4])}, r"linear_start\[2\]: must rise"),
        ({"start": np.array([0, 4, 3])}, r"linear_start\[2\]: must rise"),
        ({"start": np.array([0.0, 4.0, 4.0])}, "linear_start: must be an array of int64"),
        ({"weight": np.ones((4, 1))}, "linear_weight: has the impossible shape"),
        ({"weight": np.ones(3)}, "linear_weight: must have 4"),
        ({"weight": np.array([1.0, np.nan, 1.0, 1.0])}, r"linear_weight\[1\]: must be finite"),
        ({"center": np.array([1.0, 1.0, INF, 1.0])}, r"linear_center\[2\]: must be finite"),
        ({"intercept": np.array([1.0, INF])}, r"linear_intercept\[1\]: must be finite"),
        ({"low": np.array([10.0, 7.0])}, r"linear_low\[0\]: must be a number up to"),
        ({"low": np.array([np.nan, 7.0])}, r"linear_low\[0\]: must be a number up to"),
        ({"low": np.array([1.0, INF]), "high": np.array([9.0, INF])}, r"linear_low\[1\]"),
        ({"low": np.array([1.0, -INF]), "high": np.array([9.0, -INF])}, r"linear_high\[1\]"),
        ({"column": np.array([0, 2, 3, 6], dtype=np.int32)}, r"linear_column\[3\]: must be one"),
        ({"column": np.array([0, 2, 3, -1], dtype=np.int32)}, r"linear_column\[3\]: must be one"),
        ({"column": np.array([2, 0, 3, 4], dtype=np.int32)}, r"linear_column\[1\]: must be above"),
        ({"code": np.array([-1, -1, 3, -1], dtype=np.int32)}, r"linear_code\[2\]: must be a level"),
        ({"code": np.array([-1, -1, -1, -1], dtype=np.int32)}, r"linear_code\[2\]"),
        ({"code": np.array([0, -1, 1, -1], dtype=np.int32)}, r"linear_code\[0\]"),
    ],
)
def test_impossible_models_are_refused(changes, message):
    with pytest.raises(ModelFormatError, match=message):
        check_linear(models(**changes), SCHEMA, 2, 0)


def test_the_number_of_models_follows_leaves_and_classes():
    with pytest.raises(ModelFormatError, match="linear_intercept: must have 6"):
        check_linear(models(), SCHEMA, 2, 3)


def test_arrays_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        models().weight[0] = 1.0
