"""The mean over trees: exact for equal numbers, within their range, the same bits on every path."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import silva
from silva import _core
from silva.data.bind import bind_numbers, bind_training
from silva.ensemble import engine
from silva.ensemble.growth import grow_forest
from silva.ensemble.means import Sums
from silva.ensemble.packed import PackedTrees
from silva.ensemble.plan import ForestPlan
from silva.grow.plan import Plan
from tests.ensemble.slow_forest import counts_of, exact_mean

NUMBERS = st.floats(-(2.0**960), 2.0**960)
SHARES = st.fractions(0, 1, max_denominator=10**7).map(float)
FORESTS = [
    silva.ForestRegressor(10, oob_score=True, random_state=0),
    silva.ForestRegressor(49, leaf="linear", oob_score=True, random_state=0),
    silva.ExtraTreesRegressor(10, bootstrap=True, oob_score=True, random_state=0),
    silva.BaggingRegressor(silva.TreeRegressor(max_depth=3), 10, oob_score=True, random_state=0),
    silva.ForestRegressor(10, bootstrap="subsample", prune="auto", oob_score=True, random_state=0),
]


def added(terms, how):
    sums = Sums.none((1,))
    for term in terms:
        sums = getattr(sums, how)(np.array([term]))
    return float(sums.mean(np.array(len(terms)))[0])


@given(NUMBERS, st.integers(1, 300))
def test_the_mean_of_equal_numbers_is_that_number(number, n):
    assert added([number] * n, "plus_numbers") == number


@given(SHARES, st.integers(1, 300))
def test_the_mean_of_equal_shares_is_that_share(share, n):
    assert added([share] * n, "plus_shares") == share


@given(st.lists(NUMBERS | st.floats(0, 1), min_size=1, max_size=40))
def test_a_mean_stays_within_its_numbers(numbers):
    mean = added(numbers, "plus_numbers")
    assert min(numbers) <= mean <= max(numbers)
    exact = exact_mean([np.array([number]) for number in numbers])[0]
    assert mean == pytest.approx(exact, rel=2**-52)


@given(st.lists(SHARES, min_size=1, max_size=40))
def test_a_mean_of_shares_stays_within_them(shares):
    mean = added(shares, "plus_shares")
    assert min(shares) <= mean <= max(shares)
    assert mean == pytest.approx(exact_mean([np.array([share]) for share in shares])[0], rel=2**-52)


def rows(n, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 3))


@pytest.mark.parametrize("number", [0.1, -1 / 3, 1e-310, 9e288, -1e280])
@pytest.mark.filterwarnings("ignore:.*seen by every tree")
@pytest.mark.parametrize("model", FORESTS, ids=lambda model: type(model).__name__)
def test_a_forest_of_equal_targets_predicts_them(model, number):
    X = rows(80)
    model.fit(X, np.full(80, number))
    assert set(model.predict(rows(200, 1)).tolist()) == {number}
    assert set(model.predict(X[:1]).tolist()) == {number}
    told = model.oob_prediction_
    assert set(told[~np.isnan(told)].tolist()) == {number}


@given(
    st.lists(st.floats(-1e6, 1e6) | st.just(0.1), min_size=2, max_size=25),
    st.integers(1, 60),
    st.integers(0, 99),
)
def test_no_prediction_leaves_the_range_of_the_targets(targets, n_trees, seed):
    X = rows(len(targets), seed)
    model = silva.ForestRegressor(n_trees, random_state=seed).fit(X, targets)
    many, one = model.predict(rows(70, seed + 1)), model.predict(X[:1])
    for told in (many, one):
        assert min(targets) <= told.min() <= told.max() <= max(targets)


def test_few_rows_many_rows_and_each_tree_alone_say_the_same():
    X, y = rows(300), np.random.default_rng(1).normal(size=300)
    model = silva.ForestRegressor(37, min_samples_leaf=3, random_state=0).fit(X, y)
    many = model.predict(X)
    few = np.concatenate([model.predict(X[i : i + 1]) for i in range(len(X))])
    assert many.tobytes() == few.tobytes()
    told = [one.predict(X) for one in singles(model, X, y)]
    assert many.tobytes() == exact_mean(told).tobytes()


def singles(model, X, y):
    """The trees of a forest, fitted one by one."""
    plan = ForestPlan(seed=0)
    target = bind_numbers(y, None, len(y))
    for number in range(len(model.trees_)):
        seed, counts = counts_of(plan, target, number)
        tree = silva.TreeRegressor(min_samples_leaf=3, max_features=1.0, random_state=seed)
        yield tree.fit(X, y, sample_weight=counts)


def test_out_of_bag_predictions_are_rounded_once():
    X, y = rows(60), np.random.default_rng(2).normal(size=60)
    table, target = bind_training(X), bind_numbers(y, None, 60)
    plan, forest_plan = Plan("regression", "squared_error"), ForestPlan(23, seed=4, oob=True)
    grown = grow_forest(table, target, plan, forest_plan)
    trees = list(grown.forest.trees)
    counts = [counts_of(forest_plan, target, number)[1] for number in range(23)]
    for row in range(60):
        alone = replace(table, columns=tuple(c[row : row + 1] for c in table.columns), n_rows=1)
        unseen = [tree for tree, count in zip(trees, counts, strict=True) if count[row] == 0]
        told = engine.mean(PackedTrees.of(unseen), alone)[0] if unseen else np.nan
        np.testing.assert_array_equal(grown.oob.answers[row], told)


@given(st.integers(1, 40), st.integers(2, 5), st.integers(0, 99))
def test_equal_trees_have_the_shares_of_one(n_trees, n_classes, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 2, (40, 2)).astype(float), rng.integers(0, n_classes, 40)
    tree = silva.TreeClassifier().fit(X, y)
    model = silva.ForestClassifier(n_trees, bootstrap=False, max_features=None).fit(X, y)
    shares = model.predict_proba(X)
    assert shares.tobytes() == tree.predict_proba(X).tobytes()
    assert shares.min() >= 0.0
    assert shares.max() <= 1.0
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-15)


def test_the_core_refuses_arrays_of_several_lengths():
    with pytest.raises(ValueError, match="one length"):
        _core.means(np.zeros(2), np.zeros(3), np.ones(2))


def test_infinite_numbers_have_an_infinite_mean():
    assert added([1.0, np.inf, 2.0], "plus_numbers") == np.inf
    assert np.isnan(Sums.none((1,)).mean(np.zeros(1))[0])
