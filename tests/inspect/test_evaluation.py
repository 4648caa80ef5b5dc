"""silva.inspect.evaluate against sums written out, and scikit-learn's measures."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics

import silva
from silva.inspect import evaluate
from silva.inspect.intervals import wilson
from silva.inspect.scores import auc

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(120, 3))
CODES = (X[:, 0] + RANDOM.normal(size=120) > 0).astype(int) + (X[:, 1] > 1)
LABELS = np.array(["a", "b", "c"])[CODES]
NUMBERS = X[:, 0] ** 2 + RANDOM.normal(size=120)
TREE = silva.TreeClassifier(max_depth=3, leaf="laplace").fit(X[:60], LABELS[:60])
NUMBER_TREE = silva.TreeRegressor(max_depth=3).fit(X[:60], NUMBERS[:60])
TEST, TRUTH = X[60:], LABELS[60:]


@pytest.mark.parametrize("weights", [None, RANDOM.integers(0, 4, 60)])
@pytest.mark.parametrize("bare", [False, True])
def test_classification_figures(weights, bare):
    found = evaluate(TREE.grown_tree_ if bare else TREE, TEST, TRUTH, weights)
    told, shares = TREE.predict(TEST), TREE.predict_proba(TEST)
    accuracy = metrics.accuracy_score(TRUTH, told, sample_weight=weights)
    assert found.figure("accuracy").model == pytest.approx(accuracy)
    loss = metrics.log_loss(TRUTH, shares, labels=["a", "b", "c"], sample_weight=weights)
    assert found.figure("log loss").model == pytest.approx(loss)
    truth = (TRUTH[:, None] == TREE.classes_).astype(float)
    brier = np.average(((shares - truth) ** 2).sum(axis=1), weights=weights)
    assert found.figure("Brier score").model == pytest.approx(brier)
    area = metrics.roc_auc_score(TRUTH, shares, multi_class="ovr", sample_weight=weights)
    assert found.figure("AUC").model == pytest.approx(area)
    macro = metrics.precision_recall_fscore_support(
        TRUTH, told, average="macro", sample_weight=weights, zero_division=0
    )
    for name, expected in zip(("precision", "recall", "F1"), macro, strict=False):
        assert found.figure(f"macro {name}").model == pytest.approx(expected)
    labels = TREE.classes_.tolist()
    table = metrics.confusion_matrix(TRUTH, told, labels=labels, sample_weight=weights)
    np.testing.assert_allclose(found.confusion, table)
    scores = metrics.precision_recall_fscore_support(
        TRUTH, told, labels=labels, sample_weight=weights, zero_division=np.nan
    )
    for one, precision, recall, f1, rows in zip(found.classes, *scores, strict=True):
        assert one.f1 == pytest.approx(f1)
        assert one.rows == pytest.approx(rows)
        assert (one.precision is None) == bool(np.isnan(precision))
        assert one.precision is None or one.precision == pytest.approx(precision)
        assert one.recall == pytest.approx(recall)
    assert (found.weighted, found.rows) == (
        weights is not None,
        60 if weights is None else np.count_nonzero(weights),
    )


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 7), st.integers(0, 3)),
        min_size=1,
        max_size=25,
    ),
    st.booleans(),
)
def test_scores_are_those_of_scikit_learn(rows, has_weights):
    """Of two classes: the Brier score and the AUC of the second, tied probabilities included."""
    truth, numbers, weights = np.array(rows).T
    truth = np.minimum(truth, 1)
    if not has_weights or not weights.any():
        weights = np.ones(len(truth))
    model = silva.TreeClassifier(max_depth=1, leaf="laplace").fit(
        np.arange(6)[:, None], [0, 1, 0, 1, 1, 1]
    )
    table = numbers[:, None].astype(float)
    found, shares = evaluate(model, table, truth, weights), model.predict_proba(table)[:, 1]
    brier = metrics.brier_score_loss(truth, shares, sample_weight=weights)
    assert found.figure("Brier score").model == pytest.approx(brier)
    kept = weights > 0
    if len(set(truth[kept])) < 2:
        assert found.figure("AUC").model is None
        assert "not defined" in str(found)
    else:
        area = metrics.roc_auc_score(truth[kept], shares[kept], sample_weight=weights[kept])
        assert found.figure("AUC").model == pytest.approx(area)


@given(st.lists(st.tuples(st.integers(0, 3), *[st.integers(0, 4)] * 4), min_size=1, max_size=30))
def test_the_mean_area_over_classes(rows):
    """Classes that no row has are left out, and rows of unknown classes belong to the rest."""
    found = np.array(rows, dtype=float)
    truth, weights = found[:, 0].astype(int) - 1, found[:, 4] + 0.5
    shares = found[:, 1:4] / np.maximum(1.0, found[:, 1:4].sum(axis=1, keepdims=True))
    areas = [
        metrics.roc_auc_score(truth == code, shares[:, code], sample_weight=weights)
        for code in range(3)
        if 0 < np.count_nonzero(truth == code) < len(truth)
    ]
    expected = pytest.approx(np.mean(areas)) if areas else None
    assert auc(shares, truth, weights) == expected


def test_numbers_that_do_not_vary_have_no_r2():
    found = evaluate(NUMBER_TREE, X[60:], np.full(60, 3.0))
    assert found.figure("R2").model is None
    assert "not defined" in str(found)


def test_baselines_are_the_best_constants():
    found = evaluate(TREE, TEST, TRUTH)
    shares = pd.Series(TRUTH).value_counts(normalize=True)
    assert found.figure("accuracy").baseline == pytest.approx(shares.max())
    assert found.figure("log loss").baseline == pytest.approx(stats.entropy(shares))
    assert found.figure("Brier score").baseline == pytest.approx(1 - (shares**2).sum())


def test_the_interval_of_the_accuracy_is_wilsons():
    figure = evaluate(TREE, TEST, TRUTH).figure("accuracy")
    right = np.count_nonzero(TREE.predict(TEST) == TRUTH)
    assert (figure.low, figure.high) == tuple(map(float, wilson(np.array(right), np.array(60))))
    heavy = evaluate(TREE, TEST, TRUTH, np.full(60, 7.0)).figure("accuracy")
    assert (heavy.low, heavy.high) == pytest.approx((figure.low, figure.high))


def test_regression_figures():
    found = evaluate(NUMBER_TREE, X[60:], NUMBERS[60:])
    told, truth = NUMBER_TREE.predict(X[60:]), NUMBERS[60:]
    squared = found.figure("mean squared error")
    assert squared.model == pytest.approx(metrics.mean_squared_error(truth, told))
    assert squared.baseline == pytest.approx(truth.var())
    assert found.figure("mean absolute error").model == pytest.approx(
        metrics.mean_absolute_error(truth, told)
    )
    assert found.figure("R2").model == pytest.approx(metrics.r2_score(truth, told))
    losses = (truth - told) ** 2
    expected = stats.t.interval(0.95, 59, losses.mean(), stats.sem(losses))
    assert (squared.low, squared.high) == pytest.approx(expected)


@given(st.lists(st.tuples(st.integers(0, 59), st.integers(0, 3)), min_size=1, max_size=30))
def test_weights_are_repetitions(pairs):
    rows, weights = np.array(pairs).T
    if not weights.any():
        return
    weighted = evaluate(TREE, TEST[rows], TRUTH[rows], weights)
    repeated = np.repeat(rows, weights)
    plain = evaluate(TREE, TEST[repeated], TRUTH[repeated])
    for one, other in zip(weighted.figures, plain.figures, strict=True):
        for ours, theirs in ((one.model, other.model), (one.baseline, other.baseline)):
            assert (ours is None) == (theirs is None)
            assert ours is None or ours == pytest.approx(theirs, abs=1e-12)
    np.testing.assert_allclose(weighted.confusion, plain.confusion, atol=1e-9)


def test_classes_that_the_model_does_not_know_are_wrong():
    found = evaluate(TREE, TEST[:3], ["a", "z", "z"])
    assert found.confusion.shape == (4, 3)
    assert found.confusion[3].sum() == 2
    assert found.labels[-1] == "other classes"
    assert found.impossible == 2
    assert np.isinf(found.figure("log loss").model)
    assert "2 rows got probability 0" in str(found)
    assert found.to_dict()["figures"][5]["model"] is None
    assert found.figure("Brier score").high <= 2.0


@pytest.mark.parametrize(("model", "y"), [(TREE, TRUTH), (NUMBER_TREE, NUMBERS[60:])])
def test_records_are_plain_and_have_words(model, y):
    found = evaluate(model, TEST, y)
    json.dumps(found.to_dict(), allow_nan=False)
    columns = found.columns()
    assert {len(column) for column in columns.values()} == {
        len(found.figures) + 3 * len(found.classes)
    }
    assert str(found).startswith(f"{type(model).__name__} on 60 rows; baseline: ")
    assert found._repr_html_().startswith("<pre")


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [(TEST, TRUTH[:5], "one a row"), (TEST[:0], TRUTH[:0], "no rows")],
)
def test_rows_that_cannot_be_measured(X, y, message):
    with pytest.raises(silva.DataError, match=message):
        evaluate(TREE, X, y)
