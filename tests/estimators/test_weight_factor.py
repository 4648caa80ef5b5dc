"""A constant factor in all sample weights: what it changes, and what it must not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import silva

RNG = np.random.default_rng(0)
X = RNG.integers(0, 6, (60, 3)).astype(float)
Y = RNG.integers(0, 3, 60)
WEIGHTS = RNG.integers(1, 9, 60) / 3.0
BOOSTED = [
    silva.TreeClassifier(max_depth=2),
    silva.TreeClassifier(max_depth=2, criterion="entropy"),
    silva.TreeClassifier(max_depth=2, leaf="laplace"),
    silva.TreeClassifier(max_depth=1, leaf="linear"),
    silva.TreeClassifier(plan="C45"),
]
SCALE_FREE = [
    silva.TreeClassifier(),
    silva.TreeClassifier(criterion="entropy", class_weight="balanced"),
    silva.TreeClassifier(ccp_alpha=0.01),
    silva.TreeRegressor(),
    silva.TreeRegressor(prune="cost_complexity"),
    silva.ForestClassifier(5, oob_score=True, random_state=0),
    silva.ForestRegressor(5, random_state=0),
    silva.ExtraTreesClassifier(5, random_state=0),
    silva.BaggingClassifier(n_estimators=5, random_state=0),
]


def told(model, weights):
    fitted = clone(model).fit(X, Y, sample_weight=weights)
    ask = getattr(fitted, "predict_proba", fitted.predict)
    return ask(X).tobytes()


@pytest.mark.parametrize("tree", BOOSTED, ids=repr)
@pytest.mark.parametrize("factor", [3.0, 0.1, 1e-200, 7e99])
def test_equal_weights_are_no_weights_in_adaboost(tree, factor):
    model = silva.AdaBoostClassifier(tree, n_estimators=6)
    assert told(model, np.full(60, factor)) == told(model, None)


@given(st.floats(1e-300, 1e300))
def test_any_equal_weights_are_no_weights_in_adaboost(factor):
    model = silva.AdaBoostClassifier(n_estimators=4)
    assert told(model, np.full(60, factor)) == told(model, None)


@pytest.mark.parametrize("tree", BOOSTED, ids=repr)
def test_a_power_of_two_changes_nothing_in_adaboost(tree):
    model = silva.AdaBoostClassifier(tree, n_estimators=6)
    assert told(model, WEIGHTS * 8.0) == told(model, WEIGHTS)


@pytest.mark.filterwarnings("ignore:.*seen by every tree")
@pytest.mark.parametrize("model", SCALE_FREE, ids=repr)
@pytest.mark.parametrize("factor", [2.0, 2.0**-30, 2.0**300])
def test_a_power_of_two_changes_no_tree_and_no_forest(model, factor):
    assert told(model, WEIGHTS * factor) == told(model, WEIGHTS)
    assert told(model, np.full(60, factor)) == told(model, None)


@pytest.mark.parametrize("factor", [3.0, 0.1])
def test_weights_of_classes_times_a_factor_differ_by_rounding_only(factor):
    tree = silva.TreeClassifier(class_weight="balanced", max_depth=2)
    model = silva.AdaBoostClassifier(tree, n_estimators=6)
    scaled, plain = (np.frombuffer(told(model, weights)) for weights in (np.full(60, factor), None))
    np.testing.assert_allclose(scaled, plain, rtol=1e-9)


def test_evidence_that_is_counted_grows_with_the_weights():
    for model in (silva.TreeClassifier(leaf="laplace"), silva.TreeClassifier(prune="pessimistic")):
        assert told(model, np.full(60, 8.0)) != told(model, None)
