"""The summary as a value and as text."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import r2_score, roc_auc_score

import silva
from silva.data.bind import bind_classes, bind_codes, bind_numbers, bind_prediction, bind_training
from silva.data.schema import Column, Schema
from silva.data.table import Table, Target
from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.inspect.summary import (
    Comparison,
    Summary,
    majority_class,
    on_held_out,
    on_training_rows,
    summarise,
)
from silva.tree.builder import Moments, TreeBuilder
from silva.tree.linear import Smoothing
from silva.tree.splits import STOP, Threshold

ROWS = np.arange(6.0)[:, None]
STUMP = {"max_depth": 1}


@pytest.fixture
def classes_tree():
    target = bind_classes(["a", "b", "b", "c", "c", "c"], [1, 1, 1, 1, 1, 2], None, 6)
    return grow(bind_training(ROWS), target, Plan("classification", "gini", **STUMP))


def test_training_figures_come_from_the_leaves(classes_tree):
    summary = summarise(classes_tree, weighted=True)
    assert (summary.leaves, summary.depth) == (2, 1)
    assert bare(summary.train) == Comparison(6 / 7, 4 / 7, 6, True)
    assert summary.held_out is None
    assert majority_class(classes_tree) == 2


def test_held_out_classes_that_training_did_not_see_count_as_wrong(classes_tree):
    codes = bind_codes(["b", "c", "z", "c"], classes_tree.classes)
    target = Target("classification", codes, classes_tree.classes, None)
    table = bind_prediction(np.array([[0.0], [9.0], [9.0], [0.0]]), classes_tree.schema)
    assert bare(on_held_out(classes_tree, table, target)) == Comparison(0.5, 0.5, 4, False)


def test_held_out_numbers():
    tree = grow(
        bind_training(ROWS),
        bind_numbers([0, 0, 0, 6, 6, 6], None, 6),
        Plan("regression", "squared_error", **STUMP),
    )
    table = bind_prediction(np.array([[0.0], [5.0]]), tree.schema)
    found = on_held_out(tree, table, bind_numbers([1.0, 6.0], [3.0, 1.0], 2))
    assert bare(found) == Comparison(0.75, (3 * 4 + 1 * 9) / 4, 2, True)


def test_rows_of_weight_zero_are_only_left_out(classes_tree):
    codes = bind_codes(["b", "c", "a", "c"], classes_tree.classes)
    weights = np.array([1.0, 0.0, 1.0, 1.0])
    target = Target("classification", codes, classes_tree.classes, weights)
    table = bind_prediction(np.array([[0.0], [9.0], [9.0], [5.0]]), classes_tree.schema)
    found = on_held_out(classes_tree, table, target)
    assert bare(found) == Comparison(2 / 3, 1 / 3, 3, False)
    training = on_training_rows(classes_tree, table, target)
    assert training.weighted is False


def bare(found):
    """Accuracy or squared error alone."""
    return replace(found, auc=None, r2=None)


def one_row(x, **changes):
    """A tree of two leaves whose root keeps missing values, and the table of one row."""
    builder = TreeBuilder(Schema((Column("x", "continuous"),)), *changes.pop("facts"), **changes)
    root = builder.add_split(None, 0, Threshold(0, 1.0, STOP, STOP), 0.5)
    return builder, root, Table(Schema((Column("x", "continuous"),)), (np.array([x]),), 1)


def test_rows_that_stop_are_told_what_the_node_knows():
    facts = ("classification", np.array(["a", "b"]))
    builder, root, table = one_row(np.nan, facts=facts)
    builder.add_leaf(root, 0, 5, {0: 5})
    builder.add_leaf(root, 1, 4, {1: 4})
    target = Target("classification", np.array([0], dtype=np.int32), facts[1], None)
    assert bare(on_held_out(builder.finish(), table, target)) == Comparison(1.0, 1.0, 1, False)
    builder, root, table = one_row(np.nan, facts=("regression",))
    builder.add_leaf(root, 0, 1, Moments(1, 2, 4, 2.0))
    builder.add_leaf(root, 1, 1, Moments(1, 6, 36, 6.0))
    target = Target("regression", np.array([4.5]), None, None)
    assert bare(on_held_out(builder.finish(), table, target)) == Comparison(0.25, 0.25, 1, False)


def test_a_prior_counts_in_the_training_figures():
    facts = ("classification", np.array(["a", "b"]))
    builder, root, _ = one_row(0.0, facts=facts, smoothing=Smoothing(10.0, "root"))
    builder.add_leaf(root, 0, 3, {0: 2, 1: 1})
    builder.add_leaf(root, 1, 9, {1: 9})
    assert bare(summarise(builder.finish(), weighted=False).train) == Comparison(
        10 / 12, 10 / 12, 12, False
    )


def test_training_figures_can_be_given(classes_tree):
    given = Comparison(0.9, 0.5, 6, False)
    assert summarise(classes_tree, True, training=given).train is given


def test_text():
    train = Comparison(1.0, 0.6, 10, False)
    text = str(Summary("classification", 3, 2, train, Comparison(0.75, 0.5, 4, True)))
    lines = text.splitlines()
    assert lines[0] == "3 leaves, depth 2; accuracy:"
    assert lines[1].split() == ["rows", "tree", "majority", "class"]
    assert lines[2].split() == ["training", "10", "1.0000", "0.6000"]
    assert lines[3].split() == ["held-out", "(weighted)", "4", "0.7500", "0.5000"]
    regression = str(Summary("regression", 1, 0, Comparison(1234567.0, 2.5e-9, 3, False)))
    assert regression.splitlines()[2].split() == ["training", "3", "1.23457e+06", "2.5e-09"]


@pytest.mark.parametrize("leaf", [None, "laplace", "linear"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_training_and_held_out_auc(leaf, n_classes):
    random = np.random.default_rng(5)
    table, weights = random.integers(0, 5, (60, 2)).astype(float), random.integers(1, 4, 60)
    labels = (table[:, 0] + random.integers(0, 3, 60)).astype(int) % n_classes
    model = silva.TreeClassifier(max_depth=2, leaf=leaf)
    model.fit(table[:40], labels[:40], weights[:40], X_val=table[40:], y_val=labels[40:])
    for part, rows in (
        (model.summary_.train, slice(0, 40)),
        (model.summary_.held_out, slice(40, 60)),
    ):
        shares = model.predict_proba(table[rows])
        scores = shares[:, 1] if n_classes == 2 else shares
        own = weights[rows] if rows.start == 0 else None
        expected = roc_auc_score(labels[rows], scores, multi_class="ovr", sample_weight=own)
        assert part.auc == pytest.approx(expected)
    assert "AUC" in str(model.summary_)


def test_r2_of_training_and_held_out_rows():
    random = np.random.default_rng(5)
    table = random.normal(size=(60, 2))
    target = table[:, 0] + random.normal(size=60)
    for model in (
        silva.TreeRegressor(max_depth=2),
        silva.ForestRegressor(n_estimators=30, oob_score=True, random_state=0),
    ):
        model.fit(table[:40], target[:40], X_val=table[40:], y_val=target[40:])
        summary = model.summary_
        expected = r2_score(target[40:], model.predict(table[40:]))
        assert summary.held_out.r2 == pytest.approx(expected)
        assert "R2" in str(summary)
    assert summary.oob.r2 == pytest.approx(model.oob_score_)


@pytest.mark.parametrize(
    "model",
    [
        silva.ForestClassifier(n_estimators=30, oob_score=True, random_state=0),
        silva.BaggingClassifier(n_estimators=30, oob_score=True, random_state=0),
        silva.AdaBoostClassifier(n_estimators=5),
    ],
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_auc_of_ensembles(model, n_classes, tmp_path):
    random = np.random.default_rng(5)
    table = random.normal(size=(90, 2))
    labels = (table[:, 0] * 2 + random.normal(size=90)).astype(int) % n_classes
    model.fit(table[:60], labels[:60], X_val=table[60:], y_val=labels[60:])

    def area(X, y):
        shares = model.predict_proba(X)
        return roc_auc_score(y, shares[:, 1] if n_classes == 2 else shares, multi_class="ovr")

    assert model.summary_.held_out.auc == pytest.approx(area(table[60:], labels[60:]))
    if n_classes == 2 and isinstance(model, silva.AdaBoostClassifier):
        assert model.summary_.training.auc == pytest.approx(area(table[:60], labels[:60]))
    silva.save(model, tmp_path / "model.silva")
    assert silva.load(tmp_path / "model.silva").summary_ == model.summary_


def test_rows_of_one_class_have_no_auc():
    model = silva.TreeClassifier().fit([[1.0], [2.0]], ["a", "b"], X_val=[[1.0]], y_val=["a"])
    assert model.summary_.held_out.auc is None
    assert str(model.summary_).splitlines()[3].endswith(" -")
