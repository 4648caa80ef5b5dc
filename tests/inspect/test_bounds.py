"""Bounds of trees: formulas and descriptions by hand, fresh rows, refusals."""

import math
from math import log, log2, sqrt

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

import silva
from silva.data.schema import Column, Schema
from silva.errors import DataError, PlanError
from silva.inspect.bounds import has_weights, learned_error
from silva.inspect.generalisation import (
    Description,
    Size,
    compression,
    compression_kl,
    described,
    size_of,
    textbook,
    vapnik,
)
from silva.inspect.intervals import error_at_most, student, wilson
from silva.prune.bound import GeneralisationBound
from silva.tree.builder import TreeBuilder
from silva.tree.splits import STOP, Subset, Threshold

SCHEMA = Schema(
    (
        Column("x", "continuous"),
        Column("size", "ordinal", ("s", "m", "l", "xl")),
        Column("kind", "categorical", tuple("abcdef")),
        Column("tame", "binary", ("no", "yes")),
    )
)
SIZE = Size(errors=10, nodes=7, rows=1000, columns=5, classes=2)


@pytest.fixture
def course(examples):
    table = pd.read_csv(examples / "course.csv")
    return table.drop(columns=["rating", "liked"]), table["liked"]


def noisy(seed, n_rows=400):
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(n_rows, 3))
    return columns, ((columns[:, 0] > 0.3) ^ (rng.random(n_rows) < 0.1)).astype(int)


def test_the_textbook_by_hand():
    wanted = 0.01 + sqrt((8 * 3 + log(40)) / 2000)
    assert textbook(SIZE, 0.05) == pytest.approx(wanted)
    assert textbook(SIZE, 0.05, n_tests=29) == pytest.approx(0.01 + sqrt((40 + log(40)) / 2000))
    three = SIZE._replace(classes=3, columns=12)
    assert textbook(three, 0.05) == pytest.approx(0.01 + sqrt((32 + log(40)) / 2000))


def test_compression_by_hand():
    cost = Description(bits=33.0, named=6)
    nats = 33 * log(2) + 6 * log(1000) + log(20)
    assert compression(SIZE, cost, 0.05) == pytest.approx(10 / 994 + sqrt(nats / (2 * 994)))
    tight = compression_kl(SIZE, cost, 0.05)
    q = 10 / 994
    assert q * log(q / tight) + (1 - q) * log((1 - q) / (1 - tight)) == pytest.approx(nats / 994)
    assert tight < compression(SIZE, cost, 0.05)


def test_compression_has_no_rows_left():
    assert compression(SIZE, Description(0.0, 1000), 0.05) == math.inf
    assert compression_kl(SIZE, Description(0.0, 2000), 0.05) == 1.0
    assert compression_kl(SIZE, Description(0.0, 990), 0.05) == 1.0


def test_vapnik_by_hand():
    wanted = 0.01 + sqrt(8 * (4 * log(2 * math.e * 1000 / 4) + log(80)) / 1000)
    assert vapnik(SIZE, 4, 0.05) == pytest.approx(wanted)
    assert vapnik(SIZE, 2001, 0.05) == math.inf


def test_splits_of_several_columns_have_no_description():
    table, _ = noisy(0)
    model = silva.TreeClassifier(max_depth=2, splits="oblique").fit(table, table.sum(axis=1) > 0)
    assert described(model.grown_tree_) is None
    assert "no short description" in silva.bounds(model).compression.why


def test_the_description_by_hand():
    """A threshold of numbers, a yes/no column and a set of levels among four columns."""
    builder = TreeBuilder(SCHEMA, "classification", np.array(["a", "b", "c"]))
    root = builder.add_split(None, 0, Threshold(0, 1.5, 0, 0), 0.5)
    builder.add_leaf(root, 0, 9, {0: 8, 1: 1})
    right = builder.add_split(root, 1, Threshold(3, 1.0, STOP, 0), 0.4)
    builder.add_leaf(right, 0, 6, {1: 6})
    low = builder.add_split(right, 1, Subset(2, (1, 4), (), 0, 0), 0.3)
    builder.add_leaf(low, 0, 5, {2: 5})
    builder.add_leaf(low, 1, 5, {1: 3, 2: 2})
    tree = builder.finish()
    leaves = 4 * (1 + log2(3))
    heads = 3 * (1 + log2(3) + log2(4))
    values = 2 + 4 + 4 + log2(3) + 1 + 1
    sizes = 3 + 1
    found = described(tree)
    assert found.bits == pytest.approx(leaves + heads + values + sizes, abs=1e-4)
    assert found.named == 2 + 2
    assert size_of(tree) == Size(errors=3, nodes=7, rows=25, columns=4, classes=3)


def test_pruning_minimises_the_same_bound():
    table, target = noisy(11)
    model = silva.TreeClassifier(max_leaf_nodes=6).fit(table, target)
    found = silva.bounds(model, delta=0.1, n_tests=40)
    tree = model.grown_tree_
    assert found.compression.value == GeneralisationBound(0.1).value(tree)
    assert found.textbook.value == GeneralisationBound(0.1, "textbook").value(tree)
    assert found.fixed.value == GeneralisationBound(0.1, "fixed", 40).value(tree)


def test_the_record_has_the_formulas():
    table, target = noisy(1)
    model = silva.TreeClassifier(max_leaf_nodes=4).fit(table[:300], target[:300])
    found = silva.bounds(model, table[300:], target[300:], delta=0.1, n_tests=50)
    errors = int((model.predict(table[:300]) != target[:300]).sum())
    size = Size(errors, 7, 300, 3, 2)
    cost = Description(4 * 2 + 3 * (1 + log2(3) + log2(3) + 2 + 1), 6)
    assert found.training_error == errors / 300
    assert found.textbook.value == textbook(size, 0.1)
    assert found.fixed.value == textbook(size, 0.1, 50)
    assert found.compression.value == pytest.approx(compression(size, cost, 0.1), abs=1e-6)
    assert found.compression_kl.value == pytest.approx(compression_kl(size, cost, 0.1), abs=1e-6)
    assert (found.vc_dimension, found.vc.value) == (4, vapnik(size, 4, 0.1))
    wrong = int((model.predict(table[300:]) != target[300:]).sum())
    assert found.test.value == error_at_most(wrong, 100, 0.1)
    assert found.test_interval[0] <= wrong / 100 <= found.test_interval[1]
    told = [bound.guarantee for bound in found.all]
    assert told == [True, True, True, True, False, False]


def test_yes_no_columns_are_fixed_tests(course):
    found = silva.bounds(silva.TreeClassifier().fit(*course))
    assert found.textbook.guarantee
    assert found.textbook.value == pytest.approx(0.05 + sqrt((10 * 3 + log(40)) / 40))
    assert "not a guarantee" not in str(found.textbook)


def test_leaves_by_training_rows():
    table, target = noisy(2)
    model = silva.TreeClassifier(max_leaf_nodes=5).fit(table, target)
    leaf, told = model.apply(table), model.predict(table)
    found = silva.bounds(model).leaf_intervals
    for place, node in enumerate(found.node):
        inside = leaf == node
        right = (told == target)[inside].sum()
        assert (found.rows[place], found.estimate[place]) == (inside.sum(), right / inside.sum())
        low, high = wilson(np.array([right]), np.array([inside.sum()]))
        assert (found.low[place], found.high[place]) == (low[0], high[0])
        assert found.answer[place] == told[inside][0]


def test_leaves_of_numbers_by_training_and_held_out_rows():
    table, _ = noisy(3)
    target = table[:, 0] + np.sin(table[:, 1])
    model = silva.TreeRegressor(max_leaf_nodes=6).fit(table[:250], target[:250])
    found = silva.bounds(model, table[250:], target[250:], delta=0.2)
    parts = ((found.leaf_intervals, slice(250)), (found.held_out_leaf_intervals, slice(250, None)))
    for intervals, part in parts:
        leaf = model.apply(table[part])
        for place, node in enumerate(intervals.node):
            inside = target[part][leaf == node]
            mean, spread = np.array([inside.mean()]), np.array([inside.std()])
            low, high = student(mean, spread, np.array([len(inside)]), 0.2)
            wanted = (mean[0], low[0], high[0])
            got = (intervals.estimate[place], intervals.low[place], intervals.high[place])
            assert got == pytest.approx(wanted)


def test_a_leaf_without_held_out_rows_is_unknown():
    table, target = noisy(4)
    model = silva.TreeClassifier(max_leaf_nodes=9).fit(table, target)
    found = silva.bounds(model, table[:1], target[:1])
    empty = found.held_out_leaf_intervals.rows == 0
    assert empty.sum() == 8
    assert np.isnan(found.held_out_leaf_intervals.estimate[empty]).all()
    assert "no rows" in str(found)


def test_unseen_classes_are_errors():
    model = silva.StumpClassifier().fit([[0.0], [1.0]], ["a", "b"])
    found = silva.bounds(model, [[0.0], [1.0]], ["a", "z"])
    assert found.test.value == error_at_most(1, 2)


def test_numbers_are_refused_with_the_reason():
    table, _ = noisy(5)
    found = silva.bounds(silva.TreeRegressor(max_depth=2).fit(table, table[:, 0] ** 2), n_tests=3)
    assert [bound.value for bound in found.all] == [None] * 5
    assert all("numbers" in bound.why for bound in found.all)
    assert str(found).count("answers with numbers") == 1
    assert found.vc_dimension is None
    assert found.training_error is None


def test_weights_are_refused_with_the_reason():
    table, target = noisy(6)
    weights = np.random.default_rng(0).random(len(target))
    model = silva.TreeClassifier(max_depth=2).fit(table, target, weights)
    found = silva.bounds(model, table, target)
    assert has_weights(model.grown_tree_)
    assert all("weigh" in bound.why for bound in (found.compression, found.textbook, found.vc))
    assert found.leaf_intervals is None
    assert found.test.value is not None
    assert model.summary_.train_floor is None


def test_rows_of_weight_zero_are_only_left_out():
    table, target = noisy(7)
    kept = np.arange(len(target)) % 3 > 0
    part = silva.TreeClassifier(max_depth=3).fit(table[kept], target[kept])
    weighted = silva.TreeClassifier(max_depth=3).fit(table, target, kept.astype(float))
    assert not has_weights(weighted.grown_tree_)
    assert str(silva.bounds(part)) == str(silva.bounds(weighted))


def test_linear_leaves_and_more_classes():
    table, target = noisy(8)
    linear = silva.TreeClassifier(max_depth=1, leaf="linear").fit(table, target)
    assert "models in the leaves" in silva.bounds(linear).textbook.why
    three = silva.TreeClassifier(max_depth=2).fit(table, np.arange(len(target)) % 3)
    found = silva.bounds(three)
    assert found.vc.value is None
    assert "two classes" in found.vc.why
    assert found.compression.value is not None


def test_a_single_leaf():
    found = silva.bounds(silva.TreeClassifier().fit([[1.0]] * 50, ["a"] * 50))
    assert found.training_error == 0.0
    assert found.compression_kl.value == pytest.approx(1 - math.exp(-(log(2) + log(20)) / 50))


def test_the_summary_tells_the_floors():
    table, target = noisy(9)
    model = silva.TreeClassifier(max_leaf_nodes=3)
    model.fit(table[:200], target[:200], X_val=table[200:], y_val=target[200:])
    summary, found = model.summary_, silva.bounds(model, table[200:], target[200:])
    assert summary.train_floor == 1 - found.compression_kl.value
    assert summary.held_out_floor == pytest.approx(1 - found.test.value)
    assert learned_error(model.grown_tree_) == found.compression_kl.value
    lines = str(summary).splitlines()
    assert lines[1].endswith("   guaranteed")
    assert "95% confidence" in lines[-1]
    assert lines[2].endswith(f" {summary.train_floor:.4f}")


@pytest.mark.parametrize("seed", range(6))
def test_a_guarantee_below_the_majority_class_is_not_printed(seed):
    table, target = noisy(seed, n_rows=20 * (seed + 1))
    model = silva.TreeClassifier().fit(table, target, X_val=table[:9], y_val=target[:9])
    summary, lines = model.summary_, str(model.summary_).splitlines()
    pairs = (summary.train, summary.train_floor), (summary.held_out, summary.held_out_floor)
    is_shown = any(floor >= part.baseline for part, floor in pairs)
    assert ("guarantee" in str(summary)) == is_shown
    for line, (part, floor) in zip(lines[2:4], pairs, strict=True):
        if is_shown:
            assert line.endswith("  -" if floor < part.baseline else f"  {floor:.4f}")
        assert len(line) < 88


def test_numbers_have_no_guarantee():
    table, target = noisy(1)
    model = silva.TreeRegressor(max_depth=2).fit(table, target, X_val=table, y_val=target)
    assert "guarantee" not in str(model.summary_)


def test_the_guarantees_hold_on_fresh_rows():
    """Twenty fits on noise and signal: the error on 20,000 new rows is never above a limit."""
    for seed in range(20):
        table, target = noisy(100 + seed, n_rows=300)
        new, truth = noisy(1000 + seed, n_rows=20_000)
        model = silva.TreeClassifier(max_leaf_nodes=2 + seed).fit(table, target)
        error = (model.predict(new) != truth).mean()
        found = silva.bounds(model, *noisy(500 + seed))
        assert error <= found.compression_kl.value <= found.compression.value


@pytest.mark.parametrize("delta", [0.0, 1.0, -1, float("nan"), "x", None])
def test_delta_is_a_probability(delta):
    model = silva.StumpClassifier().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(PlanError, match="delta="):
        silva.bounds(model, delta=delta)


def test_bad_input():
    model = silva.StumpClassifier().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(PlanError, match="n_tests=0"):
        silva.bounds(model, n_tests=0)
    with pytest.raises(DataError, match="y_val is missing"):
        silva.bounds(model, [[1.0]])
    with pytest.raises(DataError, match="X_val has no rows"):
        silva.bounds(model, np.empty((0, 1)), [])
    with pytest.raises(DataError, match="1 labels and X_val 2 rows"):
        silva.bounds(model, [[1.0], [0.0]], [1])
    with pytest.raises(NotFittedError):
        silva.bounds(silva.TreeClassifier())
    with pytest.raises(PlanError, match="silva's tree estimators"):
        silva.bounds(DecisionTreeClassifier())
    with pytest.raises(PlanError, match="give a tree"):
        silva.bounds(3)
