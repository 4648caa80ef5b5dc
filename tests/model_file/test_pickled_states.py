"""Altered states of pickled estimators: refused when they are read, or they predict."""

import copy
import pickle
import warnings
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import silva
from silva.ensemble.boosted import Boosted
from silva.ensemble.forest import Forest
from silva.ensemble.packed import PackedTrees
from silva.errors import ModelFormatError
from silva.tree.tree import Tree

ROWS = np.random.default_rng(0).random((40, 2))
TARGET = (ROWS[:, 0] + ROWS[:, 1] > 1.0).astype(int)
HELD_OUT = {"X_val": ROWS, "y_val": TARGET}
ESTIMATORS = [
    silva.TreeClassifier(prune="cost_complexity", leaf="laplace"),
    silva.TreeRegressor(leaf="linear", max_depth=2),
    silva.StumpClassifier(),
    silva.ForestClassifier(12, oob_score=True, random_state=0),
    silva.ForestRegressor(12, oob_score=True, random_state=0),
    silva.ExtraTreesClassifier(3, random_state=0),
    silva.BaggingClassifier(silva.TreeClassifier(max_depth=2), 3, random_state=0),
    silva.BaggingRegressor(n_estimators=3, random_state=0),
    silva.AdaBoostClassifier(n_estimators=3),
]
WHOLE = (Tree, PackedTrees, np.ndarray)
"""Values that are replaced as a whole: the bytes of trees have tests of their own."""


@pytest.fixture(params=ESTIMATORS, ids=lambda one: type(one).__name__)
def model(request):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(request.param).fit(ROWS, TARGET, **HELD_OUT)


def odd_values():
    tree = silva.TreeRegressor(max_depth=1).fit(ROWS[:, :1], TARGET)
    forest = silva.ForestRegressor(2, random_state=1).fit(ROWS[:, :1], TARGET)
    return [
        *(None, True, 0, -1, 2**70, 1.5, float("nan"), "x", b"x", [], {}, ()),
        *(np.zeros(3), np.zeros((2, 2)), np.array(["a"]), np.zeros(3, int), object),
        *(tree.grown_tree_, forest.trees_, forest.forest_, tree),
    ]


def parts(value, depth=5):
    """The paths to everything inside a state that can be replaced."""
    for key in keys_of(value) if depth else ():
        yield (key,)
        yield from ((key, *path) for path in parts(part_of(value, key), depth - 1))


def keys_of(value):
    if isinstance(value, WHOLE):
        return []
    if isinstance(value, dict):
        return list(value)
    if is_dataclass(value) and not isinstance(value, type):
        return [field.name for field in fields(value)]
    return getattr(value, "_fields", ())


def part_of(value, key):
    return value[key] if isinstance(value, dict) else getattr(value, key)


def altered(value, path, other):
    """A copy of the value with something else at the path; nothing is checked on the way."""
    if not path:
        return other
    key, rest = path[0], path[1:]
    new = altered(part_of(value, key), rest, other)
    if isinstance(value, dict):
        return value | {key: new}
    if not is_dataclass(value):
        return value._replace(**{key: new})
    twin = object.__new__(type(value))
    for field in fields(value):
        object.__setattr__(twin, field.name, getattr(value, field.name))
    object.__setattr__(twin, key, new)
    return twin


def check_summary(model):
    """A model without training figures is taken for a member of an ensemble, which has none."""
    summary = getattr(model, "summary_", None)
    if summary is not None:
        assert str(summary)
    else:
        with pytest.raises(AttributeError, match="it is a member of an ensemble"):
            _ = model.summary_


def is_read(model, state):
    """Whether the state is taken; what is taken must work, on as many columns as it has."""
    new = type(model).__new__(type(model))
    try:
        new.__setstate__(state)
    except ModelFormatError:
        return False
    rows = ROWS[:, : new.n_features_in_]
    assert new.predict(rows).shape == (len(ROWS),)
    check_summary(new)
    if hasattr(new, "apply"):
        assert len(new.apply(rows)) == len(ROWS)
    if hasattr(new, "predict_proba"):
        assert new.predict_proba(rows).shape == (len(ROWS), new.n_classes_)
    return True


def test_whole_states_are_read(model):
    for new in (pickle.loads(pickle.dumps(model)), copy.copy(model), copy.deepcopy(model)):
        np.testing.assert_array_equal(new.predict(ROWS), model.predict(ROWS))
        assert str(new.summary_) == str(model.summary_)
        assert vars(new).keys() == vars(model).keys()
    new = clone(model)
    assert isinstance(pickle.loads(pickle.dumps(new)), type(model))
    with pytest.raises(NotFittedError):
        pickle.loads(pickle.dumps(new)).predict(ROWS)


def test_every_field_of_a_state(model):
    state, others = model.__getstate__(), odd_values()
    refused = 0
    for path in parts(state):
        for other in others:
            refused += not is_read(model, altered(state, path, other))
    assert refused > 100


def test_absent_fields(model):
    state = model.__getstate__()
    fitted = [name for name in state if name not in model.get_params(deep=False)]
    for name in state:
        is_read(model, {key: state[key] for key in state if key != name})
    needed = {"grown_tree_", "_figures", "_start", "boosted_", "estimator_errors_"}
    for name in needed & set(fitted):
        assert not is_read(model, {key: state[key] for key in state if key != name})
    assert not is_read(model, {key: state[key] for key in state if key != "n_jobs"})


def test_parameters_that_predict_needs_are_judged(model):
    with pytest.raises(ModelFormatError, match="state: n_jobs=0"):
        clone(model).__setstate__(model.__getstate__() | {"n_jobs": 0})
    wrong = clone(model).set_params(n_jobs=0)
    assert pickle.loads(pickle.dumps(wrong)).n_jobs == 0


def test_what_follows_from_the_trees_is_made_from_them(model):
    state = model.__getstate__()
    lies = {"n_features_in_": 99, "classes_": np.array(["a"]), "feature_names_in_": ["z"]}
    new = clone(model)
    new.__setstate__(state | {name: lies[name] for name in lies if name in state})
    assert new.n_features_in_ == 2
    np.testing.assert_array_equal(new.predict(ROWS), model.predict(ROWS))
    assert not hasattr(new, "feature_names_in_")


def test_altered_parts_are_refused_in_pickles_of_their_own():
    forest = silva.ForestClassifier(3, random_state=0).fit(ROWS, TARGET).forest_
    boosted = silva.AdaBoostClassifier(n_estimators=2).fit(ROWS, TARGET).boosted_
    for whole in (forest, boosted):
        twin = pickle.loads(pickle.dumps(whole))
        assert len(twin) == len(whole)
        for path in parts(whole, 1):
            for other in (None, "x", 0, np.zeros(2), np.full(3, np.nan), [1.0, 1.0]):
                with pytest.raises(ModelFormatError):
                    pickle.loads(pickle.dumps(altered(whole, path, other)))
    assert isinstance(forest, Forest)
    assert isinstance(boosted, Boosted)


def test_parameters_set_after_the_fit_change_no_copy():
    bagging = silva.BaggingClassifier(silva.TreeClassifier(max_depth=5), 3).fit(ROWS, TARGET > 0)
    bagging.set_params(estimator=silva.StumpClassifier())
    forest = silva.ForestClassifier(3, max_features=2).fit(ROWS, TARGET > 0)
    forest.set_params(max_features=1, n_estimators=0, max_depth=-1)
    for model in (bagging, forest):
        copied = pickle.loads(pickle.dumps(model))
        assert copied.max_features_ == model.max_features_
        assert type(copied[0]) is type(model[0])
        assert copied.predict(ROWS).tolist() == model.predict(ROWS).tolist()


def test_a_score_that_is_no_longer_asked_for_is_not_pickled():
    model = silva.ForestClassifier(10, oob_score=lambda a, b: float((a == b).mean()))
    model.fit(ROWS, TARGET > 0).set_params(oob_score=True)
    copied = pickle.loads(pickle.dumps(model))
    assert copied.oob_score_ == model.oob_score_
    copied.set_params(warm_start=True, n_estimators=20).fit(ROWS, TARGET > 0)
    whole = silva.ForestClassifier(20, oob_score=True, random_state=0)
    assert copied.oob_curve_.trees.tolist() == whole.fit(ROWS, TARGET > 0).oob_curve_.trees.tolist()
