"""Parameters of pruners, plans, leaves and splits by their names in the estimator: `prune__m`."""

import pickle
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import silva
from silva.grow.splits import KindForms
from silva.model_file.estimators.params import SETTINGS

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4))
LABELS = (X[:, 0] * X[:, 1] > 0).astype(int)
NUMBERS = X[:, 0] * X[:, 1]
SAMPLES = [
    *(silva.Auto(cv=3), silva.ReducedError(), silva.AccuracyThreshold(0.1), silva.Pessimistic()),
    *(silva.CriticalValue(0.1), silva.MinimumError(), silva.BottomUp(lambda _: 0.0)),
    *(silva.GeneralisationBound(), silva.CostComplexity(), silva.MaxLeaves(5)),
    *(silva.ID3(), silva.C45(), silva.CART(), silva.Plan("regression", "poisson")),
    *(silva.MEstimate(), silva.LinearLeaf(), silva.ObliqueSplits(), silva.DistanceSplits()),
    KindForms("multiway"),
]


def test_every_setting_that_a_model_file_knows_is_among_the_samples():
    assert set(SETTINGS.values()) <= {type(one) for one in SAMPLES}


@pytest.mark.parametrize("setting", SAMPLES, ids=lambda one: type(one).__name__)
def test_every_setting_tells_its_fields_and_never_changes(setting):
    assert is_dataclass(setting)
    told = setting.get_params(deep=False)
    assert told == {one.name: getattr(setting, one.name) for one in fields(setting)}
    assert told.items() <= setting.get_params().items()
    assert clone(setting) is setting
    assert not hasattr(setting, "__dict__")
    name = next(iter(told))
    with pytest.raises(TypeError, match=rf"never changes.*prune__{name}="):
        setting.set_params(**{name: told[name]})


@pytest.mark.parametrize(
    ("model", "y", "grid"),
    [
        (silva.TreeClassifier(prune=silva.MaxLeaves(9)), LABELS, {"prune__max_leaves": [2, 3]}),
        (silva.TreeRegressor(prune=silva.CostComplexity()), NUMBERS, {"prune__rule": ["min"]}),
        (silva.StumpClassifier(leaf=silva.MEstimate()), LABELS, {"leaf__m": [1.0, 9.0]}),
        (silva.TreeRegressor(leaf=silva.LinearLeaf()), NUMBERS, {"leaf__ridge": [0.5]}),
        (silva.TreeClassifier(splits=silva.ObliqueSplits()), LABELS, {"splits__margin": [0.0]}),
        (silva.ForestClassifier(3, plan=silva.CART()), LABELS, {"plan__max_depth": [1, 2]}),
        (
            silva.BaggingClassifier(silva.TreeClassifier(plan=silva.C45()), 2),
            LABELS,
            {"estimator__plan__prune": [silva.MaxLeaves(3)]},
        ),
        (
            silva.AdaBoostClassifier(silva.TreeClassifier(prune=silva.MaxLeaves(3))),
            LABELS,
            {"estimator__prune__max_leaves": [2]},
        ),
    ],
)
def test_searches_set_the_parameters_of_settings(model, y, grid):
    before = pickle.dumps(model)
    search = GridSearchCV(model, grid, cv=2).fit(X, y)
    for name, value in search.best_params_.items():
        assert search.best_estimator_.get_params()[name] == value
        assert value in grid[name]
    assert pickle.dumps(model) == before


def test_a_pruner_is_shared_and_its_copy_changed():
    shared = silva.MaxLeaves(9)
    first, second = silva.TreeClassifier(prune=shared), silva.TreeClassifier(prune=shared)
    assert clone(first).prune is shared
    first.set_params(prune__max_leaves=2, max_depth=3)
    assert (first.prune, first.max_depth) == (silva.MaxLeaves(2), 3)
    assert second.prune is shared
    assert shared == silva.MaxLeaves(9)
    assert first.fit(X, LABELS).get_n_leaves() == 2
    first.set_params(prune=silva.CostComplexity(), prune__cv=3)
    assert first.prune == silva.CostComplexity(cv=3)


def test_settings_inside_of_settings_and_pipelines():
    plan = silva.Plan("classification", "gini", prune=silva.MaxLeaves(9))
    model = make_pipeline(silva.TreeClassifier(plan=plan))
    assert model.get_params()["treeclassifier__plan__prune__max_leaves"] == 9
    model.set_params(treeclassifier__plan__prune__max_leaves=4, treeclassifier__plan__max_depth=5)
    assert model[-1].plan.prune == silva.MaxLeaves(4)
    assert model[-1].plan.max_depth == 5
    assert plan.prune == silva.MaxLeaves(9)


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"prune__max_leaves": 0}, r"prune__max_leaves=0 .* at least 1"),
        ({"prune__max_leafs": 3}, r"prune__max_leafs=3 .*Did you mean 'max_leaves'\?"),
        ({"plan__max_depth": 3}, r"plan='CART' .* plan=silva\.CART\(\)"),
        ({"leaf__m": 3}, r"leaf=None .* leaf=silva\.MEstimate\(\)"),
        ({"leaf": silva.MEstimate(), "leaf__m": -1}, r"leaf: MEstimate: m must be"),
        ({"prun__max_leaves": 3}, "Invalid parameter 'prun'"),
    ],
)
def test_what_cannot_be_set_is_refused(params, told):
    model = silva.TreeClassifier(prune=silva.MaxLeaves(9), plan="CART")
    before = model.get_params()
    with pytest.raises(ValueError, match=told):
        model.set_params(**params)
    assert model.get_params() == before


class OwnPruner:
    """A pruner of a user, which changes itself as scikit-learn's objects do."""

    def __init__(self, leaves=2):
        self.leaves = leaves

    def get_params(self, deep=True):
        return {"leaves": self.leaves}

    def set_params(self, **params):
        vars(self).update(params)
        return self

    def __call__(self, tree, evidence):
        return silva.MaxLeaves(self.leaves)(tree, evidence)


def test_a_pruner_of_a_user_sets_its_own_parameters():
    search = GridSearchCV(silva.TreeClassifier(prune=OwnPruner()), {"prune__leaves": [3]}, cv=2)
    assert search.fit(X, LABELS).best_estimator_.get_n_leaves() == 3
