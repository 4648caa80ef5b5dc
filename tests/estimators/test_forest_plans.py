"""A forest's own draws (rows, columns, thresholds) with any plan."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

import silva
from silva import (
    BaggingClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    ForestClassifier,
    ForestRegressor,
    Plan,
    PlanError,
    TreeClassifier,
)
from silva.ensemble.sampling import row_counts, tree_seeds
from silva.tree.tree import same

RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 9))
Y = (X[:, 0] + X[:, 1] + RNG.normal(size=150) > 0).astype(int)
NUMBERS = X[:, 0] + X[:, 1]
PLANS = ["ID3", "C45", "CART", silva.ID3(max_depth=1), silva.C45(max_depth=2), silva.CART()]


def roots(model):
    return {int(tree.thresholds.column[0]) for tree in model.trees_ if tree.n_nodes > 1}


@pytest.mark.parametrize("plan", PLANS)
def test_a_plan_does_not_switch_the_column_draw_off(plan):
    model = ForestClassifier(30, plan=plan, random_state=0).fit(X, Y)
    assert model.max_features_ == 3
    assert len(roots(model)) > 2
    everything = ForestClassifier(30, plan=plan, max_features=None, random_state=0).fit(X, Y)
    assert everything.max_features_ == 9
    assert len(roots(everything)) < len(roots(model))


@pytest.mark.parametrize(
    ("given", "own", "expected"),
    [
        (None, {}, 3),
        (None, {"max_features": 4}, 4),
        (None, {"max_features": None}, 9),
        ("log2", {}, 3),
        (2, {}, 2),
        (2, {"max_features": "sqrt"}, 2),
        (2, {"max_features": 5}, 5),
        (2, {"max_features": None}, 9),
    ],
)
@pytest.mark.parametrize("kind", [ForestClassifier, ExtraTreesClassifier])
def test_the_plans_own_columns_hold_unless_the_forest_is_given_some(kind, given, own, expected):
    plan = Plan("classification", "gini", max_features=given)
    assert kind(2, plan=plan, **own).fit(X, Y).max_features_ == expected


def test_regressors_too():
    plan = silva.CART("regression", max_depth=3)
    model = ForestRegressor(20, plan=plan, max_features=2, prune="none", random_state=0)
    assert len(roots(model.fit(X, NUMBERS))) > 2
    assert ForestRegressor(2, plan="CART").fit(X, NUMBERS).max_features_ == 9
    extra = ExtraTreesRegressor(20, plan=plan, max_features=2, prune="none", random_state=0)
    assert len(roots(extra.fit(X, NUMBERS))) > 2


@pytest.mark.parametrize("kind", [ForestClassifier, ExtraTreesClassifier])
def test_a_plan_in_a_forest_is_what_its_parameters_grow(kind):
    plan = Plan("classification", "entropy", max_depth=3, missing="majority")
    by_plan = kind(8, plan=plan, random_state=4).fit(X, Y)
    choices = {"criterion": "entropy", "max_depth": 3, "missing": "majority"}
    by_parameters = kind(8, random_state=4, **choices).fit(X, Y)
    assert all(map(same, by_plan.trees_, by_parameters.trees_))


def test_each_tree_is_the_single_tree_of_its_draws():
    model = ForestClassifier(5, plan="C45", random_state=1, prune="none").fit(X, Y)
    target = model._bind_target(Y, None, len(Y))
    for seed, tree in zip(tree_seeds(1, 0, 5), model.trees_, strict=True):
        counts = row_counts(seed, target, len(Y), "bootstrap")
        plan = replace(silva.C45(), max_features="sqrt", seed=seed)
        single = TreeClassifier(plan=plan, prune="none").fit(X, Y, sample_weight=counts)
        assert same(tree, single.grown_tree_)


@pytest.mark.parametrize("plan", ["C45", "CART"])
def test_pruning_of_a_preset_holds_in_a_forest(plan):
    pruned = ForestClassifier(6, plan=plan, random_state=0).fit(X, Y)
    whole = ForestClassifier(6, plan=plan, random_state=0, prune="none").fit(X, Y)
    leaves = [sum(tree.n_leaves for tree in model.trees_) for model in (pruned, whole)]
    assert leaves[0] < leaves[1]


def test_extra_trees_draw_thresholds_with_any_plan_that_can():
    plan = silva.CART()
    drawn = ExtraTreesClassifier(5, plan=plan, prune="none", random_state=0).fit(X, Y)
    alike = ForestClassifier(
        5, plan=plan, splitter="random", bootstrap=False, prune="none", random_state=0
    )
    assert all(map(same, drawn.trees_, alike.fit(X, Y).trees_))
    assert not any(map(same, drawn.trees_, alike.set_params(splitter="best").fit(X, Y).trees_))
    own = ForestClassifier(
        5, plan=replace(plan, splitter="random"), bootstrap=False, prune="none", random_state=0
    )
    assert all(map(same, drawn.trees_, own.fit(X, Y).trees_))


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (ExtraTreesClassifier(plan="ID3"), "thresholds='breakpoints'.*Use ForestClassifier"),
        (ForestClassifier(plan="ID3", splitter="random"), "thresholds='breakpoints'"),
        (
            ExtraTreesClassifier(plan=Plan("classification", "gini", splits="oblique")),
            "ExtraTreesClassifier draws thresholds at random.*ObliqueSplits",
        ),
        (ForestClassifier(plan="ID3", max_depth=3), "max_depth=3.*default"),
        (ExtraTreesClassifier(plan="CART", criterion="entropy"), "criterion='entropy'"),
        (ForestClassifier(plan="CART", max_features=0), "max_features=0"),
        (ForestClassifier(plan="CART", max_features=10), "the table has 9 columns"),
        (ExtraTreesClassifier(plan=silva.CART("regression")), "task='classification'"),
    ],
)
def test_refusals(model, words):
    with pytest.raises(PlanError, match=words):
        model.fit(X, Y)


def test_bagging_leaves_the_plan_of_its_tree_alone():
    model = BaggingClassifier(TreeClassifier(plan=silva.ID3(max_depth=1)), 10, max_features=0.5)
    assert model.fit(X, Y).max_features_ == 9
    with pytest.raises(PlanError, match=r"max_features=3.*leave it at its default"):
        BaggingClassifier(TreeClassifier(plan="ID3", max_features=3)).fit(X, Y)


@pytest.mark.parametrize("kind", [ForestClassifier, ExtraTreesClassifier])
def test_files_and_warm_starts_keep_the_draws(kind, tmp_path):
    model = kind(6, plan=silva.C45(max_depth=3), max_features=2, random_state=3)
    long = clone(model).set_params(n_estimators=12).fit(X, Y)
    silva.save(model.fit(X, Y), tmp_path / "forest.silva")
    loaded = silva.load(tmp_path / "forest.silva")
    assert (loaded.max_features_, loaded.plan) == (2, model.plan)
    for start in (model, loaded):
        start.set_params(n_estimators=12, warm_start=True).fit(X, Y)
        assert all(map(same, start.trees_, long.trees_))


def test_inspectors_grow_such_forests_again():
    model = ForestClassifier(8, plan=silva.ID3(max_depth=3), random_state=0).fit(X, Y)
    for kind in ("corrected", "impurity", "permutation"):
        assert len(silva.importance(model, X, Y, kind, repeats=1).values) == 9
    assert silva.proximity(model, X).shape == (150, 150)
    assert silva.distil(model, X, n_rows=400).leaves > 1
