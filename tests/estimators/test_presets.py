"""Plans and presets through the estimators: what they replace, what they leave alone."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import silva
from silva import (
    DataError,
    DataWarning,
    Plan,
    PlanError,
    StumpClassifier,
    TreeClassifier,
    TreeRegressor,
)
from silva.tree.splits import MULTIWAY, split_of
from silva.tree.tree import same

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "town": RNG.choice(["Bonn", "Kiel", "Ulm"], 120),
        "age": RNG.integers(18, 80, 120).astype(float),
        "paid": RNG.choice(["no", "yes"], 120),
    }
)
TARGET = np.where((FRAME["age"] > 40) & (FRAME["town"] != "Ulm"), "x", "y")
YES_OR_NO = FRAME[["paid"]].assign(old=FRAME["age"] > 40)


@pytest.mark.parametrize("name", ["ID3", "C45", "CART"])
def test_a_name_is_its_plan(name):
    by_name = TreeClassifier(plan=name).fit(FRAME, TARGET)
    by_plan = TreeClassifier(plan=getattr(silva, name)()).fit(FRAME, TARGET)
    assert same(by_name.grown_tree_, by_plan.grown_tree_)
    assert by_name.score(FRAME, TARGET) == 1.0


def test_cart_is_what_the_defaults_grow_by_plain_gains():
    assert same(
        TreeClassifier(plan="CART", prune="none").fit(FRAME, TARGET).grown_tree_,
        TreeClassifier(category_gain="plain").fit(FRAME, TARGET).grown_tree_,
    )
    squares = FRAME["age"] ** 2
    assert same(
        TreeRegressor(plan="CART", prune="none").fit(FRAME, squares).grown_tree_,
        TreeRegressor(category_gain="plain").fit(FRAME, squares).grown_tree_,
    )


def test_a_plan_is_what_its_parameters_grow():
    plan = Plan("classification", "gini", max_depth=2, splits="multiway", missing="stop")
    by_plan = TreeClassifier(plan=plan).fit(FRAME, TARGET)
    choices = {"max_depth": 2, "splits": "multiway", "missing": "stop"}
    assert same(by_plan.grown_tree_, TreeClassifier(**choices).fit(FRAME, TARGET).grown_tree_)


def test_stopping_rules_of_presets():
    small = TreeClassifier(plan=silva.ID3(max_depth=1)).fit(FRAME, TARGET)
    assert small.get_depth() == 1
    assert TreeClassifier(plan=silva.C45(max_leaf_nodes=4)).fit(FRAME, TARGET).get_n_leaves() <= 4


def test_id3_asks_every_value_of_a_category():
    with pytest.warns(DataWarning, match="'town' .one to one"):
        tree = TreeClassifier(plan="ID3").fit(FRAME[["town"]], FRAME["town"]).grown_tree_
    assert tree.split_kind[0] == MULTIWAY
    assert split_of(tree, 0).codes == (0, 1, 2)


def test_what_a_plan_does_not_decide_stays_with_the_estimator():
    pruned = TreeClassifier(plan="CART", ccp_alpha=1.0, class_weight="balanced", n_jobs=2)
    assert pruned.fit(FRAME, TARGET).get_n_leaves() == 1
    labels = TreeClassifier(plan="ID3", categorical_features=["age"]).fit(FRAME[["age"]], TARGET)
    assert labels.grown_tree_.schema.columns[0].kind == "categorical"
    smooth = TreeClassifier(plan="ID3", leaf="laplace").fit(FRAME, TARGET)
    assert smooth.predict_proba(FRAME).min() > 0.0


def test_the_random_state_seeds_the_plan():
    plan = Plan("classification", "gini", splitter="random", seed=4)
    models = [TreeClassifier(plan=plan, random_state=s).fit(FRAME, TARGET) for s in (None, 4, 5)]
    assert same(models[0].grown_tree_, models[1].grown_tree_)
    assert not same(models[0].grown_tree_, models[2].grown_tree_)


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"max_depth": 3}, "max_depth=3.*default.*plan='ID3'.*to the plan"),
        ({"criterion": "entropy"}, "criterion='entropy'"),
        ({"splits": "multiway"}, "splits='multiway'"),
        ({"missing": {"age": "stop"}}, "missing={'age': 'stop'}"),
        ({"min_samples_leaf": 0.5}, "min_samples_leaf=0.5"),
        ({"min_gain": 0}, "min_gain=0 "),
    ],
)
def test_a_parameter_beside_a_plan_is_refused(choice, words):
    with pytest.raises(PlanError, match=words):
        TreeClassifier(plan="ID3", **choice).fit(None, None)


@pytest.mark.parametrize(
    ("estimator", "plan", "words"),
    [
        (TreeClassifier, "id3", "plan='id3'.*Did you mean 'ID3'"),
        (TreeClassifier, "C5.0", "'greedy_accuracy'"),
        (TreeClassifier, silva.ID3, r"Did you mean plan=silva.ID3\(\)"),
        (TreeClassifier, 3, "plan=3.*silva.Plan"),
        (TreeClassifier, silva.CART("regression"), "needs a plan with task='classification'"),
        (TreeRegressor, silva.CART(), "needs a plan with task='regression'"),
        (TreeRegressor, "ID3", "ID3 grows classification trees.*'CART'"),
        (TreeRegressor, "C45", "C45 grows classification trees"),
    ],
)
def test_refused_plans(estimator, plan, words):
    with pytest.raises(PlanError, match=words):
        estimator(plan=plan).fit(None, None)


def test_a_stump_has_no_plan():
    with pytest.raises(TypeError, match="plan"):
        StumpClassifier(plan="ID3")


def test_columns_that_a_preset_cannot_use():
    greedy = TreeClassifier(plan="greedy_accuracy")
    with pytest.raises(PlanError, match=r"column 'town' is categorical.*binary columns only"):
        greedy.fit(FRAME, TARGET)
    with pytest.raises(PlanError, match=r"column 'age' is continuous.*data\[name\] >= 40"):
        greedy.fit(FRAME[["paid", "age"]], TARGET)
    assert greedy.fit(YES_OR_NO, TARGET).grown_tree_.criterion == "error"
    with pytest.raises(DataError, match=r"'age' is missing in row 3.*missing='error'"):
        TreeClassifier(plan="ID3").fit(
            FRAME.assign(age=FRAME["age"].mask(FRAME.index == 3)), TARGET
        )


def test_plans_in_scikit_learn(tmp_path):
    model = TreeClassifier(plan=silva.ID3(max_depth=4), leaf=silva.MEstimate(3.0))
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert "plan=Plan(task='classification'" in repr(copy)
    assert "ID3" in TreeClassifier(plan="ID3")._repr_html_()
    copy.set_params(plan="CART", leaf=None).fit(FRAME, TARGET)
    grid = {"plan": ["ID3", "CART", silva.C45(min_samples_leaf=5)]}
    search = GridSearchCV(TreeClassifier(), grid, cv=3).fit(FRAME, TARGET)
    assert search.best_score_ > 0.8
    silva.save(model.fit(FRAME, TARGET), tmp_path / "model.silva")
    loaded = silva.load(tmp_path / "model.silva")
    assert loaded.plan == model.plan
    assert loaded.leaf == model.leaf
    assert np.array_equal(loaded.predict_proba(FRAME), model.predict_proba(FRAME))
