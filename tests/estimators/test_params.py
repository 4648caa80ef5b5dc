"""Bad parameters are refused by `fit`, before the data is read; `n_jobs` and seeds are resolved."""

import os

import numpy as np
import pytest

from silva import PlanError, StumpRegressor, TreeClassifier, TreeRegressor
from silva.estimators.params import plan_of, seed
from silva.threads import threads

X, Y = np.arange(8.0).reshape(4, 2), [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"criterion": "ginni"}, "Did you mean 'gini'"),
        ({"criterion": "squared_error"}, "measures regression targets"),
        ({"splitter": "worst"}, "splitter='worst'"),
        ({"max_depth": 0}, "max_depth=0"),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes=1"),
        ({"min_samples_leaf": 0.7}, "more than half of the rows"),
        ({"min_gain": -1.0}, r"min_gain=-1\.0"),
        ({"max_features": "auto"}, "max_features='auto'"),
        ({"ccp_alpha": -0.1}, r"ccp_alpha=-0\.1"),
        ({"ccp_alpha": float("nan")}, "ccp_alpha=nan"),
        ({"ccp_alpha": float("inf")}, "ccp_alpha=inf"),
        ({"ccp_alpha": "0"}, "ccp_alpha='0'"),
        ({"prune": "reduced_eror"}, "Did you mean 'reduced_error'"),
        ({"prune": "cost_complexity", "ccp_alpha": 0.1}, "not both"),
        ({"splits": "subsets"}, "splits='subsets'.*Did you mean 'subset'"),
        ({"splits": {"town": "multi"}}, r"splits\['town'\]='multi'.*Did you mean 'multiway'"),
        ({"splits": "oblique", "splitter": "random"}, "ObliqueSplits needs splitter='best'"),
        ({"missing": "lern"}, "missing='lern'.*Did you mean 'learn'"),
        ({"unseen": {"town": "halt"}}, r"unseen\['town'\]='halt'"),
        ({"thresholds": "breaks"}, "thresholds='breaks'"),
        ({"leaf": "laplas"}, "leaf='laplas'.*Did you mean 'laplace'"),
        ({"leaf": "constant"}, "leaf='constant'.*regression"),
        ({"plan": "ID4"}, "plan='ID4'.*Did you mean 'ID3'"),
        ({"random_state": "seed"}, "random_state='seed'"),
        ({"random_state": -1}, "random_state=-1"),
        ({"random_state": np.random.default_rng(0)}, "RandomState"),
        ({"n_jobs": 0}, "n_jobs=0"),
        ({"n_jobs": 1.5}, r"n_jobs=1\.5"),
        ({"n_jobs": True}, "n_jobs=True"),
    ],
)
def test_bad_parameters(choice, words):
    with pytest.raises(PlanError, match=words):
        TreeClassifier(**choice).fit(None, None)


def test_constructors_judge_nothing():
    assert TreeRegressor(criterion=3, max_depth="deep").max_depth == "deep"


def test_a_stump_has_no_depth():
    with pytest.raises(TypeError, match="max_depth"):
        StumpRegressor(max_depth=2)


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"class_weight": "balance"}, "class_weight"),
        ({"categorical_features": ["colour"]}, "categorical_features"),
        ({"categorical_features": {"x0": [1]}}, "'x0' holds 0.0 in row 0"),
        ({"splits": {"x3": "threshold"}}, "splits names 'x3'"),
        ({"splits": {"x0": "multiway"}}, r"categorical_features=\['x0'\]"),
        ({"missing": {"age": "stop"}}, "missing names 'age'"),
    ],
)
def test_parameters_that_need_data_are_judged_with_it(choice, words):
    with pytest.raises(ValueError, match=words):
        TreeClassifier(**choice).fit(X, Y)


def test_threads():
    usable = threads(-1)
    assert 1 <= usable <= os.cpu_count()
    assert threads(None) == threads(1) == threads(np.int64(1)) == 1
    assert threads(10_000) == usable
    assert threads(-10_000) == 1
    assert threads(-2) == max(1, usable - 1)


def test_seeds():
    assert seed(7, is_random=True) == 7
    assert seed(np.int32(7), is_random=False) == 7
    assert seed(None, is_random=False) == 0
    drawn = {seed(np.random.RandomState(0), is_random=True) for _ in range(2)}
    assert len(drawn) == 1
    assert 0 <= drawn.pop() < 2**64
    assert seed(None, is_random=True) != seed(None, is_random=True)


def test_equal_numbers_of_other_types_are_not_taken_for_each_other():
    """A plan is checked once for equal parameters: 1, 1.0 and True are equal, and not the same."""
    tried = {"int": 1, "float": 1.0, "int64": np.int64(1), "float64": np.float64(1.0)}
    found = {
        name: TreeClassifier(max_features=value, random_state=0).fit(X, Y).max_features_
        for name, value in tried.items()
    }
    assert found == {"int": 1, "float": 2, "int64": 1, "float64": 2}
    for wrong in (True, np.True_, np.array(1)):
        with pytest.raises(PlanError, match="max_features="):
            TreeClassifier(max_features=wrong, random_state=0).fit(X, Y)


def test_a_changed_parameter_is_always_seen():
    model = TreeClassifier()
    assert model.fit(X, Y).get_depth() == 3
    assert model.set_params(max_depth=1).fit(X, Y).get_depth() == 1
    with pytest.raises(PlanError, match="max_depth=0"):
        model.set_params(max_depth=0).fit(X, Y)
    assert TreeClassifier().fit(X, Y).get_depth() == 3


def test_a_choice_that_is_changed_in_place_is_seen():
    missing, splits = {0: "stop"}, ["oblique"]
    model = TreeClassifier(missing=missing, splits=splits)
    before = plan_of(model, "classification")
    missing[1], splits[0] = "own_branch", "distance"
    after = plan_of(model, "classification")
    assert (dict(before.missing), dict(after.missing)) == ({0: "stop"}, missing)
    assert before.splits != after.splits


def test_plans_of_different_estimators_do_not_mix():
    kinds = [(TreeClassifier, "classification"), (TreeRegressor, "regression")]
    seeds = {
        (kind.__name__, i): (kind(random_state=i), task) for i in (0, 1) for kind, task in kinds
    }
    for _ in range(2):
        plans = {key: plan_of(*made) for key, made in seeds.items()}
        assert {key: (plan.task, plan.seed) for key, plan in plans.items()} == {
            key: (made[1], key[1]) for key, made in seeds.items()
        }
    assert plan_of(StumpRegressor(), "regression").max_depth == 1
