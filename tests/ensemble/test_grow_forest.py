"""Growing forests: every tree is the single tree, out of bag is what the slow way says."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from silva import DataError, PlanError
from silva.data.bind import bind_classes, bind_numbers, bind_training
from silva.ensemble import combine, oob, sampling
from silva.ensemble.growers import masked
from silva.ensemble.growth import EarlyStop, grow_forest, is_flat
from silva.ensemble.oob import Curve, Oob, score
from silva.ensemble.plan import ForestPlan
from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.tree.tree import same
from tests.ensemble.slow_forest import counts_of, out_of_bag, seed_of_tree, single_tree, told

X, Y = load_iris(return_X_y=True)
TABLE = bind_training(X)
CLASSES = bind_classes(Y, None, None, len(Y))
NUMBERS = bind_numbers(X[:, 0] * X[:, 1], None, len(Y))
CLASS_PLAN = Plan("classification", "gini", max_features=2)
NUMBER_PLAN = Plan("regression", "squared_error", max_features=2)
CASES = [(CLASSES, CLASS_PLAN), (NUMBERS, NUMBER_PLAN)]


@pytest.mark.parametrize("bootstrap", [True, "subsample", False])
@pytest.mark.parametrize(("target", "plan"), CASES)
def test_every_tree_is_the_single_tree(target, plan, bootstrap):
    forest_plan = ForestPlan(6, bootstrap=bootstrap, seed=3)
    forest = grow_forest(TABLE, target, plan, forest_plan).forest
    assert len(forest) == 6
    for number, tree in enumerate(forest.trees):
        assert same(tree, single_tree(TABLE, target, plan, forest_plan, number))
    if bootstrap is not False or plan.max_features:
        assert not same(forest.trees[0], forest.trees[1])


@given(
    rows=st.integers(1, 12),
    seed=st.integers(0, 2**64 - 1),
    bootstrap=st.sampled_from([True, "subsample", False]),
    max_samples=st.sampled_from([None, 1, 0.5, 1.0]),
    data=st.data(),
)
def test_tiny_tables(rows, seed, bootstrap, max_samples, data):
    """Ties, constant columns, missing values, weights of 0, single rows."""
    cell = st.sampled_from([0.0, 1.0, 1.0, 2.0, float("nan")])
    cells = data.draw(st.lists(cell, min_size=2 * rows, max_size=2 * rows))
    table = bind_training(np.array(cells).reshape(rows, 2))
    labels = data.draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows))
    weights = data.draw(
        st.none() | st.lists(st.sampled_from([0.0, 1.0, 2.5]), min_size=rows, max_size=rows)
    )
    if weights is not None:
        weights[0] = 1.0
    target = bind_classes(labels, weights, None, rows)
    samples = None if bootstrap is False else max_samples
    forest_plan = ForestPlan(
        3, bootstrap=bootstrap, max_samples=samples, seed=seed, oob=bootstrap is not False
    )
    plan = Plan("classification", "gini", max_features=1)
    grown = grow_forest(table, target, plan, forest_plan)
    for number, tree in enumerate(grown.forest.trees):
        assert same(tree, single_tree(table, target, plan, forest_plan, number))
    if grown.oob is not None:
        assert_out_of_bag(grown, table, target, forest_plan)


def assert_out_of_bag(grown, table, target, forest_plan):
    votes, total = out_of_bag(grown.forest, table, target, forest_plan)
    assert np.array_equal(grown.oob.votes, votes)
    found = grown.oob.total + grown.oob.lost
    np.testing.assert_allclose(found, total, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("target", "plan"), CASES)
def test_out_of_bag_the_slow_way(target, plan):
    forest_plan = ForestPlan(7, seed=5, oob=True)
    grown = grow_forest(TABLE, target, plan, forest_plan)
    assert_out_of_bag(grown, TABLE, target, forest_plan)
    assert grown.curve.trees.tolist() == [7]
    assert grown.curve.score[-1] == score(grown.oob, target)


@pytest.mark.parametrize(("target", "plan"), CASES)
def test_threads_later_trees_and_batches_change_nothing(target, plan):
    long = grow_forest(TABLE, target, plan, ForestPlan(24, seed=1, oob=True), threads=2)
    short = grow_forest(TABLE, target, plan, ForestPlan(13, seed=1, oob=True))
    rest = grow_forest(TABLE, target, plan, ForestPlan(24, seed=1, oob=True), start=short)
    for one, two in zip(long.forest.trees, rest.forest.trees, strict=True):
        assert same(one, two)
    assert np.array_equal(long.oob.votes, rest.oob.votes)
    assert long.oob.total.tobytes() == rest.oob.total.tobytes()
    assert long.oob.answers.tobytes() == rest.oob.answers.tobytes()
    assert long.curve.trees.tolist() == rest.curve.trees.tolist() == [10, 20, 24]
    assert long.curve.score.tolist() == rest.curve.score.tolist()


def test_columns_of_a_tree():
    forest_plan = ForestPlan(8, max_columns=2, seed=2)
    forest = grow_forest(TABLE, CLASSES, replace(CLASS_PLAN, max_features=None), forest_plan).forest
    used = [set(tree.thresholds.column.tolist()) for tree in forest.trees]
    assert all(len(columns) <= 2 for columns in used)
    assert len(set.union(*used)) == 4
    seed, counts = counts_of(forest_plan, CLASSES, 0)
    columns = sampling.draw_columns(seed, 4, 2)
    narrow = bind_training(X[:, columns])
    plan = replace(CLASS_PLAN, max_features=None, seed=seed)
    tree = grow(narrow, replace(CLASSES, weights=counts.astype(float)), plan)
    assert np.array_equal(columns[tree.thresholds.column], forest.trees[0].thresholds.column)
    assert np.array_equal(tree.gain, forest.trees[0].gain)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"max_features": "sqrt"},
        {"max_features": 2, "splitter": "random"},
        {"splitter": "random"},
        {"max_leaf_nodes": 6},
        {"splits": "oblique", "max_depth": 3},
    ],
)
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_trees_of_some_columns_are_those_of_a_table_without_the_others(
    task, choices, missing, threads
):
    rng = np.random.default_rng(7)
    numbers = rng.normal(size=(90, 4)).astype(np.float32)
    numbers[:, 3] = numbers[:, 3] > 0
    numbers[rng.random((90, 4)) < (0.1 if missing else 0.0)] = np.nan
    frame = pd.DataFrame(numbers, columns=list("abcd")).assign(e=numbers[:, 1] < 0, f=2.0)
    if missing:
        frame["g"] = pd.Categorical(rng.choice(list("xyz"), 90))
    table = bind_training(frame)
    signal = np.nan_to_num(numbers[:, 0] + numbers[:, 1])
    target = bind_classes(signal > 0, None, None, 90)
    plan = Plan("classification", "gini", **choices)
    if task == "regression":
        target, plan = bind_numbers(signal, None, 90), Plan(task, "squared_error", **choices)
    forest_plan = ForestPlan(9, max_columns=3, seed=2, oob=True)
    grown = grow_forest(table, target, plan, forest_plan, threads)
    sums = oob.nothing(target)
    for number, tree in enumerate(grown.forest.trees):
        seed, counts = counts_of(forest_plan, target, number)
        shown = masked(table, sampling.draw_columns(seed, len(table.schema), 3))
        alone = grow(shown, replace(target, weights=counts.astype(float)), replace(plan, seed=seed))
        assert same(tree, alone)
        combiner = forest_plan.combiner(task)
        sums += oob.of_tree(tree, grown_table(table, tree), counts, combiner)
    assert sums.total.tobytes() == grown.oob.total.tobytes()
    assert sums.answers.tobytes() == grown.oob.answers.tobytes()
    assert sums.votes.tobytes() == grown.oob.votes.tobytes()


def grown_table(table, tree):
    return replace(table, schema=tree.schema)


def test_votes_by_hand():
    """Trees of one row each answer a or b, whatever they are asked."""
    table = bind_training(np.array([[0.0], [1.0]]))
    target = bind_classes(["a", "b"], None, None, 2)
    plan = Plan("classification", "gini")
    forest = grow_forest(table, target, plan, ForestPlan(9, max_samples=1, seed=0)).forest
    answers = [tree.classes[tree.leaf_stats.code[0]] for tree in forest.trees]
    share = answers.count("a") / 9
    assert 0 < share < 1
    assert combine.shares(forest, table).tolist() == [[share, answers.count("b") / 9]] * 2
    assert combine.codes(forest, table).tolist() == [int(share < 0.5)] * 2


def test_soft_and_hard_votes_differ():
    """Leaves of 60% and 40%: soft votes add the shares up, hard votes count trees."""
    table = bind_training(np.zeros((5, 1)))
    target = bind_classes([0, 0, 0, 1, 1], None, None, 5)
    plan = Plan("classification", "gini")
    for vote, expected in (("soft", [0.6, 0.4]), ("hard", [1.0, 0.0])):
        forest = grow_forest(table, target, plan, ForestPlan(3, False, vote=vote)).forest
        assert combine.shares(forest, table)[0] == pytest.approx(expected)


@pytest.mark.parametrize("vote", ["soft", "hard"])
@pytest.mark.parametrize(("target", "plan"), CASES)
def test_answers_are_means_over_the_trees(target, plan, vote):
    forest = grow_forest(TABLE, target, plan, ForestPlan(5, vote=vote)).forest
    ask = combine.values if target.classes is None else combine.shares
    np.testing.assert_allclose(ask(forest, TABLE), told(forest, TABLE), rtol=1e-12, atol=1e-15)


def test_a_flat_curve():
    stop = EarlyStop(patience=20)
    curve = Curve(np.array([10, 20, 30, 40]), np.array([0.5, 0.9, 0.9, 0.8]))
    assert is_flat(curve, stop)
    assert not is_flat(Curve(curve.trees, np.array([0.5, 0.9, 0.8, 0.91])), stop)
    assert is_flat(Curve(curve.trees, np.array([0.5, 0.9, 0.8, 0.91])), replace(stop, tol=0.02))
    assert not is_flat(Curve(curve.trees[:2], curve.score[:2]), stop)


def test_early_stop():
    plan = ForestPlan(500, early_stop=EarlyStop(20), seed=1)
    grown = grow_forest(TABLE, CLASSES, CLASS_PLAN, plan)
    assert 30 <= len(grown.forest) < 500
    whole = grow_forest(TABLE, CLASSES, CLASS_PLAN, ForestPlan(len(grown.forest), seed=1))
    assert all(map(same, grown.forest.trees, whole.forest.trees))


def test_early_stop_without_a_row_out_of_bag():
    table = bind_training(np.array([[1.0]]))
    target = bind_classes([0], None, None, 1)
    with pytest.raises(DataError, match="early_stopping: after 10 trees no row was out of bag"):
        grow_forest(table, target, CLASS_PLAN, ForestPlan(50, early_stop=EarlyStop()))


def test_an_interrupt_keeps_finished_trees_if_asked():
    def interrupt(n_trees, score):
        seen.append((n_trees, score))
        if n_trees >= 20 and n_trees % 10 == 0:
            raise KeyboardInterrupt

    seen = []
    plan = ForestPlan(100, oob=True)
    with pytest.raises(KeyboardInterrupt):
        grow_forest(TABLE, CLASSES, CLASS_PLAN, plan, watch=interrupt)
    assert max(n for n, _ in seen) == 20
    plan = replace(plan, keep_interrupted=True)
    grown = grow_forest(TABLE, CLASSES, CLASS_PLAN, plan, watch=interrupt)
    assert grown.interrupted
    assert len(grown.forest) == 20
    assert grown.curve.trees.tolist() == [10, 20]


def test_scores_by_hand():
    target = bind_classes([0, 1, 1], [1.0, 2.0, 4.0], None, 3)
    oob = Oob(np.array([2, 1, 0]), np.array([[1.5, 0.5], [0.9, 0.1], [0.0, 0.0]]))
    assert score(oob, target) == 1 / 3
    assert oob.codes.tolist() == [0, 0, -1]
    assert oob.confidence[:2].tolist() == [0.75, 0.9]
    assert np.isnan(oob.confidence[2])
    numbers = bind_numbers([1.0, 3.0, 9.0], None, 3)
    oob = Oob(np.array([2, 1, 0]), np.array([2.0, 4.0, 0.0]))
    assert score(oob, numbers) == pytest.approx(0.5)
    assert np.isnan(score(Oob(np.zeros(3, int), np.zeros(3)), numbers))


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"n_estimators": 0}, "n_estimators=0.*at least 1"),
        ({"n_estimators": 2.5}, "n_estimators=2.5"),
        ({"bootstrap": "no"}, "bootstrap='no'.*'subsample'"),
        ({"max_samples": 0}, "max_samples=0"),
        ({"max_samples": 1.5, "bootstrap": "subsample"}, "max_samples=1.5"),
        ({"max_samples": float("inf")}, "max_samples=inf"),
        ({"max_samples": float("nan")}, "max_samples=nan"),
        ({"max_samples": 0.5, "bootstrap": False}, "max_samples=0.5.*bootstrap=True"),
        ({"max_columns": 0}, "max_features=0"),
        ({"vote": "loud"}, "vote='loud'"),
        ({"oob": True, "bootstrap": False}, "oob_score=True.*bootstrap=True"),
        ({"early_stop": EarlyStop(), "bootstrap": False}, "early_stopping=True.*bootstrap=True"),
        ({"seed": -1}, "seed=-1"),
    ],
)
def test_bad_plans(choice, words):
    with pytest.raises(PlanError, match=words):
        ForestPlan(**choice)


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (
            {"max_samples": 151, "bootstrap": "subsample"},
            "max_samples=151 is more than the 150 training rows",
        ),
        ({"max_samples": 2**32}, "max_samples=4294967296 asks for more draws than a tree can have"),
        ({"max_columns": 5}, "max_features=5 is more than the 4 columns"),
    ],
)
def test_choices_that_need_the_table(choice, words):
    with pytest.raises(PlanError, match=words):
        grow_forest(TABLE, CLASSES, CLASS_PLAN, ForestPlan(2, **choice))


def test_draws():
    counts = sampling.row_counts(1, CLASSES, 150, "bootstrap")
    assert counts.sum() == 150
    assert counts.dtype == np.uint32
    assert 0.55 < np.count_nonzero(counts) / 150 < 0.70
    counts = sampling.row_counts(1, CLASSES, 60, "subsample")
    assert counts.max() == 1
    assert counts.sum() == 60
    assert ForestPlan(bootstrap="subsample").draws(1000) == 632
    assert ForestPlan(max_samples=0.5).draws(1000) == 500


def test_seeds():
    assert sampling.tree_seeds(7, 3, 2) == [seed_of_tree(7, 3), seed_of_tree(7, 4)]
    assert sampling.tree_seeds(2**64 - 1, 0, 1) == [seed_of_tree(2**64 - 1, 0)]
