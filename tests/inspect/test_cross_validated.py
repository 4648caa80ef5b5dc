"""silva.inspect.cross_validated: every row is predicted once, by a fit that did not see it."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import silva
from silva.inspect.cross_validated import cross_validated


@given(
    st.lists(st.sampled_from("abc"), min_size=4, max_size=40), st.integers(2, 4), st.integers(0, 9)
)
def test_folds_part_the_rows(labels, n_folds, seed):
    y, seen = np.array(labels), []

    def fit_and_predict(train, test):
        assert sorted([*train, *test]) == list(range(len(y)))
        seen.extend(test)
        return y[test]

    found = cross_validated(fit_and_predict, "classification", y, n_folds, seed)
    assert sorted(seen) == list(range(len(y)))
    assert (found.score, found.rows) == (1.0, len(y))
    assert len(found.fold_scores) == n_folds


def test_scores_are_those_of_the_rows_left_out():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(50, 2)), random.normal(size=50)
    parts = []

    def fit_and_predict(train, test):
        told = silva.TreeRegressor(max_depth=2).fit(X[train], y[train]).predict(X[test])
        parts.append(((told - y[test]) ** 2, (y[train].mean() - y[test]) ** 2))
        return told

    found = cross_validated(fit_and_predict, "regression", y, 5)
    model, simple = (np.concatenate(one) for one in zip(*parts, strict=True))
    assert found.score == pytest.approx(model.mean())
    assert found.baseline == pytest.approx(simple.mean())
    assert found.fold_scores == pytest.approx([one.mean() for one, _ in parts])
    each = np.array(found.fold_scores)
    assert found.standard_error == pytest.approx(each.std(ddof=1) / np.sqrt(5))
    assert str(found).startswith("5-fold cross-validation on 50 rows; mean squared error: ")
    json.dumps(found.to_dict(), allow_nan=False)


def test_rows_without_weight_are_in_no_fold_and_few_rows_are_refused():
    y, weights = np.arange(8.0), np.array([1, 1, 0, 2, 1, 1, 1, 0])
    found = cross_validated(lambda _, test: y[test], "regression", y, 3, 0, weights)
    assert (found.rows, found.score) == (6, 0.0)
    with pytest.raises(silva.DataError, match="7 folds need at least as many rows"):
        cross_validated(lambda _, test: y[test], "regression", y, 7, 0, weights)
