"""Boosting: the pseudo-code read slowly gives the same trees, votes and margins."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import silva
from silva.data.bind import bind_classes, bind_training
from silva.ensemble.boost import boost, first_weights
from silva.ensemble.boost_plan import BoostPlan
from silva.ensemble.boosted import staged
from silva.ensemble.boosted import votes as vote
from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.tree.tree import same
from tests.ensemble.boost_oracle import margin, samme, votes, winner

X, Y = load_iris(return_X_y=True)
FEW = [0.0, 1.0, 2.0, 3.0, np.nan]
STUMP = Plan("classification", "gini", max_depth=1)


@st.composite
def problems(draw):
    """A small table with numbers, missing values and a category, labels and weights."""
    n_rows = draw(st.integers(1, 20))
    rows = st.lists(st.sampled_from(FEW), min_size=n_rows, max_size=n_rows)
    letters = st.lists(st.sampled_from("abcd"), min_size=n_rows, max_size=n_rows)
    data = {"x": draw(rows), "y": draw(rows), "town": draw(letters)}
    n_classes = draw(st.integers(1, 4))
    labels = draw(st.lists(st.integers(0, n_classes - 1), min_size=n_rows, max_size=n_rows))
    weight = draw(st.sampled_from((st.integers(0, 3).map(float), st.floats(1e-6, 1e6))))
    weights = draw(
        st.none() | st.lists(weight, min_size=n_rows, max_size=n_rows).filter(any).map(np.array)
    )
    table = bind_training(pd.DataFrame(data))
    return table, bind_classes(np.array(labels), weights, None, n_rows)


plans = st.builds(
    Plan,
    task=st.just("classification"),
    criterion=st.sampled_from(("gini", "entropy", "error", "gain_ratio")),
    max_depth=st.sampled_from((1, 2, None)),
    max_features=st.sampled_from((None, 1)),
    min_samples_leaf=st.sampled_from((1, 2, 0.2)),
    splits=st.sampled_from((None, "onevsrest", "multiway")),
    missing=st.sampled_from(("learn", "own_branch", "stop", "majority")),
)


def check_against_oracle(table, target, plan, n_estimators, rate, seed=0):
    trees, alphas, errors, _ = samme(table, target, plan, n_estimators, rate, seed)
    boost_plan = BoostPlan(n_estimators, rate, seed)
    if not trees:
        with pytest.raises(silva.DataError, match="no better than chance"):
            boost(table, target, plan, boost_plan)
        return
    found = boost(table, target, plan, boost_plan)
    assert found.boosted.alphas.tolist() == alphas
    assert found.errors.tolist() == errors
    assert all(map(same, found.boosted.trees, trees))
    table = replace(table, schema=found.boosted.schema)
    stages = votes(trees, alphas, table, len(target.classes))
    whole = vote(found.boosted, table)
    for so_far, expected in zip(staged(found.boosted, table), stages, strict=True):
        assert so_far.by_class.tolist() == expected
        assert so_far.codes.tolist() == list(map(winner, expected))
    assert (whole.by_class.tolist(), whole.total) == (expected, so_far.total)
    margins = [
        margin(row, code, so_far.total)
        for row, code in zip(expected, target.values.tolist(), strict=True)
    ]
    assert found.margins.tolist() == margins
    assert found.codes.tolist() == so_far.codes.tolist()
    assert found.stopped == ("perfect" if errors[-1] == 0 else found.stopped)


@given(problems(), plans, st.sampled_from((0.3, 1.0, 2.5)), st.integers(0, 5))
def test_boosting_is_what_the_pseudo_code_says(problem, plan, rate, seed):
    check_against_oracle(*problem, plan, 6, rate, seed)


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_so_it_is_for_the_irises(depth, n_classes):
    rows = 3 - n_classes <= Y
    target = bind_classes(Y[rows], None, None, int(rows.sum()))
    check_against_oracle(bind_training(X[rows]), target, replace(STUMP, max_depth=depth), 30, 1.0)


def target_of(labels, weights=None):
    return bind_classes(np.array(labels), weights, None, len(labels))


def test_three_rounds_by_hand():
    """Six rows on a line, - + + - - +: every stump is wrong somewhere, three of them are right."""
    table = bind_training(np.arange(6.0)[:, None])
    target = target_of([0, 1, 1, 0, 0, 1])
    found = boost(table, target, STUMP, BoostPlan(1))
    (tree,) = found.boosted.trees
    assert found.errors[0] == pytest.approx(2 / 6)
    assert found.boosted.alphas[0] == pytest.approx(np.log(2))
    assert set(np.round(np.abs(found.margins), 12)) == {1.0}
    assert (found.margins < 0).sum() == 2
    assert tree.n_leaves == 2


def test_weights_after_a_round_are_half_on_the_wrong_rows():
    table = bind_training(np.arange(6.0)[:, None])
    *_, history = samme(table, target_of([0, 1, 1, 0, 0, 1]), STUMP, 2)
    assert np.isclose(sorted(history[1])[-2:], 1.5).all()
    assert np.isclose(sorted(history[1])[:4], 0.75).all()


def test_the_first_tree_is_that_of_a_plain_fit():
    table, target = bind_training(X), target_of(Y)
    (first,) = boost(table, target, STUMP, BoostPlan(1)).boosted.trees
    assert same(first, grow(table, target, STUMP))


def test_a_perfect_tree_ends_it():
    found = boost(bind_training(X[Y < 2]), target_of(Y[Y < 2]), STUMP, BoostPlan(50))
    assert found.stopped == "perfect"
    assert found.boosted.alphas.tolist() == [1.0]
    assert found.errors.tolist() == [0.0]
    assert (found.margins == 1.0).all()


def test_a_later_perfect_tree_outvotes_all_others():
    """Greedy trees of two levels miss the pattern until the weights show it to them."""
    rng = np.random.default_rng(4)
    rows, labels = rng.integers(0, 3, (40, 3)).astype(float), None
    labels = (rows[:, 0] > 0) ^ (rows[:, 1] > 1)
    plan = Plan("classification", "gini", max_depth=2, max_features=1)
    seen = set()
    for seed in range(40):
        found = boost(bind_training(rows), target_of(labels), plan, BoostPlan(40, 1.0, seed))
        if found.stopped == "perfect" and len(found.boosted) > 1:
            seen.add(seed)
            before = sum(found.boosted.alphas.tolist()[:-1])
            assert found.boosted.alphas[-1] == 1.0 + before
            assert (found.margins > 0).all()
    assert seen


def test_boosting_stops_where_trees_are_no_better_than_chance():
    rows = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [1.0]])
    found = boost(bind_training(rows), target_of([0, 0, 1, 1, 1, 0]), STUMP, BoostPlan(50))
    assert found.stopped == "chance"
    assert len(found.boosted) == 1
    assert found.errors[0] == pytest.approx(1 / 3)


def test_a_first_tree_no_better_than_chance_is_refused():
    with pytest.raises(silva.DataError, match=r"wrong on 50\.0% of the weight.*2 classes"):
        boost(bind_training(np.zeros((4, 1))), target_of([0, 1, 0, 1]), STUMP, BoostPlan())


@pytest.mark.parametrize("rate", [1e-100, 1e-3, 1.0, 40.0, 1e100])
def test_any_learning_rate_keeps_weights_finite(rate):
    found = boost(bind_training(X), target_of(Y), STUMP, BoostPlan(20, rate))
    assert np.isfinite(found.boosted.alphas).all()
    assert np.isfinite(found.margins).all()


def assert_same_boosting(one, other):
    assert one.errors.tolist() == other.errors.tolist()
    assert one.boosted.alphas.tolist() == other.boosted.alphas.tolist()
    assert one.margins.tolist() == other.margins.tolist()
    assert all(map(same, one.boosted.trees, other.boosted.trees))


def boosted_with(weights):
    return boost(bind_training(X), target_of(Y, weights), STUMP, BoostPlan(8))


@given(st.floats(5e-324, 1e300) | st.sampled_from([3.0, 0.1, 1 / 3]))
def test_equal_weights_are_no_weights(weight):
    weights = np.full(len(Y), weight)
    assert_same_boosting(boosted_with(weights), boosted_with(None))


@given(st.integers(0, 99), st.integers(-300, 300))
def test_a_power_of_two_in_all_weights_changes_nothing(seed, exponent):
    weights = np.random.default_rng(seed).integers(0, 9, len(Y)) / 3.0
    scaled = np.ldexp(weights, exponent)
    assert_same_boosting(boosted_with(scaled), boosted_with(weights))


@given(st.integers(0, 99), st.floats(1e-9, 1e9))
def test_a_constant_factor_in_the_weights_changes_nothing_but_rounding(seed, factor):
    weights = np.random.default_rng(seed).random(len(Y)) + 0.1
    one, other = first_weights(target_of(Y, weights)), first_weights(target_of(Y, weights * factor))
    assert one == pytest.approx(other, rel=1e-14)
    assert one.mean() == pytest.approx(1.0)


def test_the_order_of_rows_does_not_matter():
    rng = np.random.default_rng(0)
    weights = rng.random(len(Y))
    order = rng.permutation(len(Y))
    one = boost(bind_training(X), target_of(Y, weights), STUMP, BoostPlan(30))
    target = target_of(Y[order], weights[order])
    other = boost(bind_training(X[order]), target, STUMP, BoostPlan(30))
    assert one.boosted.alphas.tolist() == other.boosted.alphas.tolist()
    assert all(map(same, one.boosted.trees, other.boosted.trees))
    assert one.margins[order].tolist() == other.margins.tolist()


def test_rows_of_weight_zero_are_left_out():
    weights = np.where(np.arange(len(Y)) % 3 == 0, 0.0, 1.0)
    kept = weights > 0
    with_zeros = boost(bind_training(X), target_of(Y, weights), STUMP, BoostPlan(10))
    without = boost(bind_training(X[kept]), target_of(Y[kept]), STUMP, BoostPlan(10))
    assert with_zeros.errors.tolist() == without.errors.tolist()
    assert with_zeros.margins[kept].tolist() == without.margins.tolist()


def test_pickles_are_small_and_whole():
    boosted = boost(bind_training(X), target_of(Y), STUMP, BoostPlan(50)).boosted
    data = pickle.dumps(boosted)
    again = pickle.loads(data)
    assert all(map(same, again.trees, boosted.trees))
    assert again.alphas.tolist() == boosted.alphas.tolist()
    assert len(data) < 30_000
    assert repr(again) == "Boosted(trees=50, classes=3)"


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"n_estimators": 0}, "n_estimators=0"),
        ({"learning_rate": 0.0}, "learning_rate=0.0.*above 0"),
        ({"learning_rate": -1}, "learning_rate=-1.*above 0"),
        ({"learning_rate": float("inf")}, "learning_rate=inf"),
        ({"learning_rate": float("nan")}, "learning_rate=nan"),
        ({"learning_rate": 1e-200}, "learning_rate=1e-200.*from 1e-100 to 1e\\+100"),
        ({"learning_rate": "fast"}, "learning_rate='fast'"),
        ({"seed": -1}, "seed=-1"),
    ],
)
def test_bad_plans_are_refused(choices, message):
    with pytest.raises(silva.PlanError, match=message):
        BoostPlan(**choices)
