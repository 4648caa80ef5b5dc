"""Errors of refits: complexity and learning curves against fits by hand."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import silva
from silva.errors import DataError, PlanError
from silva.inspect.complexity import PARAMETERS, complexity_of
from silva.inspect.learning import learning_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
Y = np.where(X[:, 0] + 0.6 * RNG.normal(size=120) > 0, "yes", "no")
NUMBERS = X[:, 0] ** 2 + 0.1 * RNG.normal(size=120)
FEW = {"max_depth": [1, 3], "min_samples_split": [2, 30], "min_samples_leaf": [1, 15]}


def error(model, rows, target, weights=None):
    told = model.predict(rows)
    lost = told != target if isinstance(target[0], str) else (told - target) ** 2
    return np.average(lost, weights=weights)


def by_hand(model, target, kind):
    """Mean errors over three folds, and the standard error of those on rows left out."""
    pairs = []
    for train, test in kind(3, shuffle=True, random_state=0).split(X, target):
        fitted = clone(model).fit(X[train], target[train])
        pairs.append([error(fitted, X[rows], target[rows]) for rows in (train, test)])
    train, test = np.array(pairs).T
    return train.mean(), test.mean(), test.std(ddof=1) / np.sqrt(3)


@pytest.mark.parametrize(
    ("model", "target", "kind"),
    [
        (silva.TreeClassifier(), Y, StratifiedKFold),
        (silva.TreeRegressor(), NUMBERS, KFold),
        (silva.ForestClassifier(3, random_state=0), Y, StratifiedKFold),
    ],
)
def test_sweeps_are_those_of_fits_by_hand(model, target, kind):
    found = complexity_of(model, X, target, cv=3, values=FEW)
    assert (found.folds, [sweep.parameter for sweep in found.sweeps]) == (3, [*PARAMETERS])
    for sweep in found.sweeps:
        assert sweep.values.tolist() == FEW[sweep.parameter]
        for place, value in enumerate(sweep.values.tolist()):
            changed = clone(model).set_params(**{sweep.parameter: value})
            told = (sweep.train[place], sweep.validation[place], sweep.spread[place])
            assert told == pytest.approx(by_hand(changed, target, kind))
        assert sweep.validation[sweep.best] == sweep.validation.min()


def test_validation_rows_take_the_place_of_folds():
    half = slice(60), slice(60, None)
    weights = np.arange(60.0)
    parts = (X[half[0]], Y[half[0]], X[half[1]], Y[half[1]])
    found = complexity_of(silva.TreeClassifier(), *parts, sample_weight=weights, values=FEW)
    sweep = found.sweeps[0]
    model = silva.TreeClassifier(max_depth=3).fit(*parts[:2], weights)
    assert (found.folds, sweep.spread) == (0, None)
    assert sweep.train[1] == pytest.approx(error(model, *parts[:2], weights))
    assert sweep.validation[1] == pytest.approx(error(model, *parts[2:]))


def test_pruning_is_left_out_and_values_reach_the_whole_tree():
    plain, pruned = (
        complexity_of(silva.TreeClassifier(prune=prune), X, Y, cv=2).sweeps
        for prune in (None, "cost_complexity")
    )
    assert pruned[0].validation.tolist() == plain[0].validation.tolist()
    depth = silva.TreeClassifier().fit(X, Y).get_depth()
    assert plain[0].values[-1] == depth
    assert [sweep.values[-1] for sweep in plain[1:]] == [60, 30]
    assert plain[0].train[-1] == plain[1].train[0] == plain[2].train[0] == 0.0


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(StandardScaler(), silva.TreeClassifier()),
        silva.BaggingClassifier(silva.TreeClassifier(), n_estimators=2, random_state=0),
        silva.AdaBoostClassifier(silva.TreeClassifier(), n_estimators=2),
        GridSearchCV(silva.TreeClassifier(), {"max_depth": [2]}, cv=2).fit(X, Y),
    ],
    ids=lambda model: type(model).__name__,
)
def test_trees_inside_of_other_models(model):
    weights = np.ones(120)
    found = complexity_of(model, X, Y, cv=2, values=FEW, sample_weight=weights)
    plain = complexity_of(model, X, Y, cv=2, values=FEW)
    for sweep, same in zip(found.sweeps, plain.sweeps, strict=True):
        assert sweep.validation.tolist() == same.validation.tolist()
    assert found.sweeps[0].train[0] > found.sweeps[0].train[1]
    assert learning_of(model, X, Y, cv=2, sizes=[0.5, 1.0]).test.shape == (2, 2)


@pytest.mark.parametrize(
    ("model", "settings", "failure", "message"),
    [
        (silva.StumpClassifier(), {}, PlanError, "StumpClassifier .* no parameter 'max_depth'"),
        (silva.AdaBoostClassifier(), {}, PlanError, "no parameter 'max_depth'"),
        (silva.TreeClassifier, {}, PlanError, "is not possible"),
        (StandardScaler(), {}, PlanError, r"StandardScaler\(\) is not possible"),
        (silva.TreeClassifier(), {"values": {"depth": [1]}}, PlanError, "values='depth'"),
        (silva.TreeClassifier(), {"values": [1]}, PlanError, "lists by parameter"),
        (silva.TreeClassifier(), {"values": {"max_depth": [0]}}, PlanError, "at least 1"),
        (silva.TreeClassifier(), {"values": {"max_depth": []}}, PlanError, "one value at least"),
        (silva.TreeClassifier(), {"cv": 1}, PlanError, "cv=1"),
        (silva.TreeClassifier(), {"X_val": X}, DataError, "y_val is missing"),
        (silva.TreeClassifier(), {"X_val": X, "y_val": Y[:9]}, DataError, "y_val has 9 targets"),
        (silva.TreeClassifier(), {"X": None}, DataError, "X is missing"),
        (silva.TreeClassifier(), {"y": None}, DataError, "y is missing"),
    ],
)
def test_what_complexity_refuses(model, settings, failure, message):
    with pytest.raises(failure, match=message):
        complexity_of(model, **{"X": X, "y": Y} | settings)


def test_learning_curves_are_those_of_fits_by_hand():
    model = silva.TreeRegressor(max_depth=3)
    found = learning_of(model, X, NUMBERS, sizes=[10, 0.5, 1.0], cv=KFold(3), repeats=1)
    assert found.sizes.tolist() == [10, 40, 80]
    for fold, (train, test) in enumerate(KFold(3).split(X)):
        fitted = clone(model).fit(X[train], NUMBERS[train])
        told = (found.train[-1, fold], found.test[-1, fold])
        parts = [error(fitted, X[rows], NUMBERS[rows]) for rows in (train, test)]
        assert told == pytest.approx(parts)


def test_small_parts_have_the_class_shares_of_all_rows():
    rare = np.where(np.arange(120) % 10 == 0, "rare", "common")
    found = learning_of(silva.TreeClassifier(max_depth=1), X[:, :1] * 0, rare, cv=2, sizes=[20])
    assert found.test.ravel().tolist() == [0.1, 0.1]
    assert found.train.ravel().tolist() == [0.1, 0.1]


def test_frames_with_categories_and_missing_values_and_repeats():
    frame = pd.DataFrame({"a": X[:, 0], "c": np.where(X[:, 1] > 0, "up", None)})
    frame.loc[::5, "a"] = np.nan
    found = learning_of(silva.TreeClassifier(), frame, Y, cv=2, repeats=3)
    assert (found.repeats, found.test.shape) == (3, (len(found.sizes), 6))
    assert found.test[-1].mean() < found.test[0].mean()
    assert len({*found.test[-1].tolist()}) > 2


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"sizes": [0]}, "sizes=0"),
        ({"sizes": [500]}, "from 1 to 96"),
        ({"sizes": [1.5]}, "sizes=1.5"),
        ({"sizes": "all"}, "sizes='all'"),
        ({"repeats": 0}, "repeats=0"),
        ({"seed": -1}, "seed=-1"),
        ({"y": None}, "y is missing"),
    ],
)
def test_what_learning_refuses(settings, message):
    with pytest.raises((PlanError, DataError), match=message):
        learning_of(silva.TreeClassifier(), **{"X": X, "y": Y} | settings)
