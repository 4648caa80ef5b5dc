"""Targets as large as float64 can add up: means are right, larger ones are refused by name."""

import numpy as np
import pytest
from sklearn.base import clone

import silva
from silva import (
    BaggingRegressor,
    DataError,
    ExtraTreesRegressor,
    ForestRegressor,
    StumpRegressor,
    TreeRegressor,
)
from silva.data.large import LARGEST_TARGET, mean_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 4))
SMALL = np.tanh(X[:, 0] - X[:, 1] + 0.2 * RNG.normal(size=len(X)))
POWER = 960
LARGE = np.ldexp(SMALL, POWER)

pytestmark = pytest.mark.filterwarnings("error")


MODELS = [
    TreeRegressor(),
    TreeRegressor(max_depth=2, ccp_alpha=0.0),
    StumpRegressor(),
    ForestRegressor(30),
    ForestRegressor(30, max_depth=3, missing="stop"),
    ForestRegressor(12, splits="oblique", max_depth=3),
    ExtraTreesRegressor(30),
    BaggingRegressor(n_estimators=30),
    BaggingRegressor(n_estimators=30, max_features=2),
    BaggingRegressor(TreeRegressor(prune="reduced_error")),
]


@pytest.mark.parametrize("model", MODELS)
def test_a_power_of_two_changes_nothing_else(model):
    """The predictions are those of the small targets, bit for bit."""
    model.set_params(random_state=0)
    small, large = clone(model).fit(X, SMALL), clone(model).fit(X, LARGE)
    rows = np.vstack([X, np.full(4, np.nan)])
    assert large.predict(rows).tolist() == np.ldexp(small.predict(rows), POWER).tolist()
    if isinstance(model, StumpRegressor):
        assert large.feature_importances_.tolist() == small.feature_importances_.tolist()
        return
    with pytest.raises(DataError, match=r"y has values up to .*squared errors.*divide y"):
        _ = large.feature_importances_


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("largest", [np.nextafter(LARGEST_TARGET, np.inf), -np.finfo(float).max])
def test_what_sums_may_not_hold_is_refused(model, largest):
    target = LARGE.copy()
    target[7] = largest
    with pytest.raises(DataError, match=r"y has values up to .*sums are beyond .*divide y"):
        clone(model).fit(X, target)


@pytest.mark.parametrize(
    "model",
    [
        ForestRegressor(30),
        ForestRegressor(30, max_depth=2, leaf="linear"),
        ExtraTreesRegressor(30, bootstrap=True),
        BaggingRegressor(n_estimators=30, max_features=2),
    ],
)
def test_so_it_is_out_of_bag_and_after_a_warm_start(model):
    model.set_params(random_state=0, oob_score=True)
    small, large = clone(model).fit(X, SMALL), clone(model).fit(X, LARGE)
    expected = np.ldexp(small.oob_prediction_, POWER)
    assert large.oob_prediction_ == pytest.approx(expected, rel=1e-4)
    assert large.oob_score_ == pytest.approx(small.oob_score_)
    warm = clone(model).set_params(warm_start=True, n_estimators=20).fit(X, LARGE)
    warm.set_params(n_estimators=30).fit(X, LARGE)
    assert warm.oob_prediction_.tobytes() == large.oob_prediction_.tobytes()


@pytest.mark.parametrize(
    "target", [np.full(150, LARGEST_TARGET), np.where(X[:, 0] > 0, LARGEST_TARGET, -LARGEST_TARGET)]
)
def test_the_largest_number_itself(target):
    model = ForestRegressor(30, random_state=0, oob_score=True).fit(
        X, target, X_val=X, y_val=target
    )
    for told in (model.predict(X), model.oob_prediction_):
        assert np.abs(told - target).max() <= 1e-12 * LARGEST_TARGET or np.ptp(np.sign(target))
    assert model.oob_score_ > 0.9
    assert "nan" not in str(model.summary_)


def test_intervals():
    found = []
    for target in (SMALL, LARGE):
        model = ForestRegressor(30, random_state=0).fit(X, target)
        intervals = silva.interval_model(model, X, target)
        found.append([intervals.predict_interval(X, 0.9, how) for how in ("oob", "quantile")])
    for small, large in zip(*found, strict=True):
        assert large == pytest.approx(np.ldexp(small, POWER), rel=1e-9)


@pytest.mark.parametrize("kind", ["permutation", "drop_column", "impurity", "corrected"])
def test_squared_errors_beyond_float64_are_named(kind):
    model = ForestRegressor(5, random_state=0).fit(X, LARGE)
    with pytest.raises(DataError, match=r"y has values up to .*e\+288.*squared errors.*divide y"):
        silva.importance(model, X, LARGE, kind=kind)
    with pytest.raises(DataError, match=r"y has values up to .*squared errors"):
        TreeRegressor(prune="auto").fit(X, LARGE)


def test_a_constant_is_met():
    """Thirty times a third over thirty is not a third, but near enough to be right."""
    model = ForestRegressor(30, oob_score=True, random_state=0).fit(X, np.full(len(X), 0.1))
    assert model.oob_score_ == 1.0
    assert model.summary_.oob.baseline == 0.0


def test_means():
    assert mean_of(np.full(11, 0.1), np.linspace(0.1, 3, 11)) == 0.1
