"""TreeRegressor and StumpRegressor on small named tables."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import make_friedman1
from sklearn.tree import DecisionTreeRegressor

from silva import DataError, StumpRegressor, TreeRegressor
from silva.tree.tree import same

STEPS = np.arange(6.0)[:, None]


@pytest.fixture(scope="module")
def continuous():
    X, y = make_friedman1(300, noise=0.5, random_state=2)
    return X.astype(np.float32).astype(np.float64), y


def test_leaves_answer_with_exact_means():
    y = [0.1, 0.2, 0.3, 10.1, 10.2, 10.3]
    means = [float(sum(map(Fraction, part)) / 3) for part in (y[:3], y[3:])]
    model = StumpRegressor().fit(STEPS, y)
    assert model.predict([[0.0], [5.0]]).tolist() == means


def test_a_large_offset_loses_nothing():
    noise = np.random.default_rng(0).normal(size=200)
    X = np.arange(200.0)[:, None]
    small = TreeRegressor(max_depth=3).fit(X, noise)
    large = TreeRegressor(max_depth=3).fit(X, 1e6 + noise)
    assert np.array_equal(small.apply(X), large.apply(X))


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
@pytest.mark.parametrize("weighted", [False, True])
def test_scikit_learn_grows_the_same_tree(continuous, criterion, weighted):
    X, y = continuous
    y = np.maximum(y, 0.0)
    weights = np.random.default_rng(1).integers(1, 64, len(y)) / 16 if weighted else None
    choices = {"criterion": criterion, "min_samples_leaf": 5}
    ours = TreeRegressor(**choices).fit(X, y, sample_weight=weights)
    theirs = DecisionTreeRegressor(random_state=0, **choices).fit(X, y, sample_weight=weights)
    assert np.array_equal(ours.apply(X), theirs.apply(X))
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=5e-3)
    np.testing.assert_allclose(ours.tree_.value, theirs.tree_.value, rtol=1e-9)
    found = ours.cost_complexity_pruning_path(X, y, weights)
    expected = theirs.cost_complexity_pruning_path(X, y, weights)
    np.testing.assert_allclose(found.ccp_alphas, expected.ccp_alphas, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(found.impurities, expected.impurities, rtol=1e-6)


def test_ccp_alpha_prunes_as_scikit_learn_does(continuous):
    X, y = continuous
    alphas = TreeRegressor(min_samples_leaf=5).cost_complexity_pruning_path(X, y).ccp_alphas
    for alpha in (alphas[:-1] + np.diff(alphas) / 2)[::5]:
        ours = TreeRegressor(min_samples_leaf=5, ccp_alpha=alpha).fit(X, y)
        theirs = DecisionTreeRegressor(min_samples_leaf=5, ccp_alpha=alpha).fit(X, y)
        assert ours.get_n_leaves() == theirs.get_n_leaves()
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)


def test_a_stump_is_a_tree_of_depth_one(continuous):
    X, y = continuous
    stump = StumpRegressor().fit(X, y)
    assert same(stump.grown_tree_, TreeRegressor(max_depth=1).fit(X, y).grown_tree_)


def test_summary_beside_the_mean(continuous):
    X, y = continuous
    model = TreeRegressor(max_depth=4).fit(X[:200], y[:200], X_val=X[200:], y_val=y[200:])
    summary = model.summary_
    for part, rows in ((summary.train, slice(200)), (summary.held_out, slice(200, None))):
        assert part.tree == pytest.approx(np.mean((y[rows] - model.predict(X[rows])) ** 2))
        assert part.baseline == pytest.approx(np.mean((y[rows] - y[:200].mean()) ** 2))
    assert "mean squared error" in str(summary)


def test_summary_says_when_rows_had_weights():
    model = StumpRegressor().fit(STEPS, STEPS[:, 0], sample_weight=[1, 1, 1, 1, 1, 3])
    mean = np.average(STEPS[:, 0], weights=[1, 1, 1, 1, 1, 3])
    expected = np.average((STEPS[:, 0] - mean) ** 2, weights=[1, 1, 1, 1, 1, 3])
    assert model.summary_.train.baseline == pytest.approx(expected)
    assert "training (weighted)" in str(model.summary_)


def test_constant_target_gives_one_leaf():
    model = TreeRegressor().fit(STEPS, np.full(6, 0.1))
    assert model.get_n_leaves() == 1
    assert model.predict(STEPS).tolist() == [0.1] * 6
    assert model.feature_importances_.tolist() == [0.0]


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([0, 1, 2, 3, 4, -1], r"poisson.*-1\.0.*squared_error"),
        ([0, 0, 0, 0, 0, 0], "poisson.*all are 0"),
    ],
)
def test_poisson_needs_counts(y, words):
    with pytest.raises(DataError, match=words):
        TreeRegressor(criterion="poisson").fit(STEPS, y)


def test_nan_in_the_target_is_refused():
    with pytest.raises(DataError, match=r"NaN|missing"):
        TreeRegressor().fit(STEPS, [0, 1, 2, 3, 4, np.nan])
