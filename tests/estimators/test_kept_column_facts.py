"""Every fitted model keeps the facts about its training columns: in memory, files and pickles."""

import copy
import json
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import silva
from silva.data.bind import bind_training
from silva.data.column_facts import column_facts, packed
from silva.errors import ModelFormatError
from silva.model_file.estimators.save_load import KEY
from tests.tree.model_bytes import put_together, taken_apart

RNG = np.random.default_rng(0)
ROWS = pd.DataFrame(
    {
        "income": RNG.normal(3000, 900, 60),
        "children": RNG.integers(0, 5, 60),
        "town": RNG.choice(["a", "b", "c"], 60),
        "start": pd.date_range("2024-01-01", periods=60),
    }
)
ROWS.loc[::7, "income"] = np.nan
ROWS.loc[::9, "town"] = None
TARGET = ((ROWS["children"] > 2) ^ (RNG.random(60) < 0.2)).to_numpy().astype(int)
ESTIMATORS = [
    silva.TreeClassifier(),
    silva.TreeRegressor(),
    silva.TreeClassifier(prune="reduced_error"),
    silva.TreeRegressor(leaf="linear", max_depth=2),
    silva.StumpClassifier(),
    silva.StumpRegressor(),
    silva.ForestClassifier(3, random_state=0),
    silva.ForestRegressor(3, random_state=0),
    silva.ExtraTreesClassifier(3, random_state=0),
    silva.ExtraTreesRegressor(3, random_state=0),
    silva.BaggingClassifier(silva.TreeClassifier(), 3, max_features=2, random_state=0),
    silva.BaggingRegressor(silva.TreeRegressor(), 3, random_state=0),
    silva.AdaBoostClassifier(n_estimators=3),
]
NUMBERS = ("low", "high", "mean", "deviation")


@pytest.fixture(params=ESTIMATORS, ids=lambda one: type(one).__name__)
def model(request):
    return clone(request.param).fit(ROWS, TARGET)


def expected():
    return packed(column_facts(bind_training(ROWS)))


def saved(model, path, change=None):
    """The file of a model, with other facts."""
    silva.save(model, path)
    if change is not None:
        header, section = taken_apart(path.read_bytes())
        meta = json.loads(header["__metadata__"]["meta"])
        facts = json.loads(meta["extra"][KEY])
        change(facts)
        meta["extra"][KEY] = json.dumps(facts)
        header["__metadata__"]["meta"] = json.dumps(meta)
        path.write_bytes(put_together(header, section))
    return path


def test_a_fit_keeps_the_facts(model):
    assert packed(model.column_facts_) == expected()
    assert model.column_facts_.missing.tolist() == [9, 0, 7, 0]


def test_they_are_asked_for_too_early(model):
    with pytest.raises(NotFittedError, match="then ask for column_facts_"):
        _ = clone(model).column_facts_


def test_files_and_copies_have_them(model, tmp_path):
    loaded = silva.load(saved(model, tmp_path / "model.silva"))
    silva.save(loaded, tmp_path / "again.silva")
    assert (tmp_path / "again.silva").read_bytes() == (tmp_path / "model.silva").read_bytes()
    for one in (loaded, pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)):
        assert packed(one.column_facts_) == expected()


def test_files_without_them_are_read(model, tmp_path):
    loaded = silva.load(
        saved(model, tmp_path / "old.silva", lambda facts: facts.pop("column_facts"))
    )
    assert loaded.column_facts_ is None
    np.testing.assert_array_equal(loaded.predict(ROWS), model.predict(ROWS))
    again = silva.load(saved(loaded, tmp_path / "again.silva"))
    assert again.column_facts_ is None
    assert packed(again.fit(ROWS, TARGET).column_facts_) == expected()


def test_pickles_without_them_are_read(model):
    state = {name: one for name, one in model.__getstate__().items() if name != "_column_facts"}
    old = type(model).__new__(type(model))
    old.__setstate__(state)
    assert old.column_facts_ is None
    np.testing.assert_array_equal(old.predict(ROWS), model.predict(ROWS))
    if hasattr(old, "estimators_"):
        assert old.estimators_[0].column_facts_ is None


WRONG = [
    ("low", [1.0], "low: must have an entry for each of 4 columns, has 1"),
    ("low", {}, "low: must be a list of numbers or null"),
    ("high", [1, 2, 3, 4], "high: must be a list of numbers or null"),
    ("low", [9e9, 0.0, None, 0.0], "high: must be at least low"),
    ("low", [0.0, 0.0, 0.0, 0.0], "low: columns with levels have no smallest value"),
    ("low", [None, None, None, None], "high: must be finite, or missing as low is"),
    ("mean", [9e9, 2.0, None, 3.0], "mean: must be from low to high"),
    ("deviation", [-1.0, 2.0, None, 3.0], "deviation: must be at least 0"),
    ("missing", [0, 0, 0, -1], "missing: must be a list of whole numbers of at least 0"),
    ("missing", [0, 0, 0, 2**63], "missing: must be a list of whole numbers of at least 0"),
    ("missing", [0, 0, 0], "missing: must have an entry for each of 4 columns, has 3"),
    ("median", [0.0] * 4, "must be an object of low, high, mean, deviation, missing"),
]


@pytest.mark.parametrize(("name", "value", "message"), WRONG)
def test_files_with_impossible_facts_are_refused(model, tmp_path, name, value, message):
    def change(facts):
        facts["column_facts"][name] = value

    path = saved(model, tmp_path / "model.silva", change)
    with pytest.raises(ModelFormatError, match=rf"estimator\.column_facts.*{message}"):
        silva.load(path)


def test_pickles_with_impossible_facts_are_refused(model):
    state = model.__getstate__()
    right = state["_column_facts"]
    facts = column_facts(bind_training(ROWS))
    swapped = b"".join(getattr(facts, one).tobytes() for one in ("high", "low", *NUMBERS[2:]))
    negative = np.array([-1, 0, 0, 0]).tobytes()
    infinite = np.full(4, np.inf).tobytes()
    wrong = [
        (right[:-8], "must have 160 bytes"),
        (right * 2, "must have 160 bytes"),
        ("x", "must be of type bytes or None"),
        (swapped + right[-32:], "high: must be at least low"),
        (right[:-32] + negative, "missing: must be at least 0"),
        (infinite + right[32:], "low"),
    ]
    for value, message in wrong:
        with pytest.raises(ModelFormatError, match=rf"state\._column_facts.*{message}"):
            type(model).__new__(type(model)).__setstate__(state | {"_column_facts": value})


def test_members_have_the_facts_about_their_columns(model):
    if not hasattr(model, "estimators_"):
        pytest.skip("one tree")
    whole = column_facts(bind_training(ROWS))
    features = getattr(model, "estimators_features_", [np.arange(4)] * len(model))
    for member, columns in zip(model.estimators_[1:], features[1:], strict=True):
        assert packed(member.column_facts_) == packed(whole.take(columns))


def test_threads_change_nothing():
    rows = np.random.default_rng(1).normal(size=(60_000, 20))
    one, two = (
        silva.StumpRegressor(n_jobs=n_jobs).fit(rows, rows[:, 0] + rows[:, 1]).column_facts_
        for n_jobs in (1, 2)
    )
    assert packed(one) == packed(two)


def test_weights_do_not_count():
    model = silva.TreeClassifier().fit(ROWS, TARGET, sample_weight=np.arange(60))
    assert packed(model.column_facts_) == expected()


def test_an_edited_model_has_the_facts_about_its_rows():
    model = silva.TreeClassifier(max_depth=3).fit(ROWS, TARGET)
    edited = silva.edit.collapse(model, 0, ROWS, TARGET)
    assert packed(edited.column_facts_) == expected()
    fewer = ROWS.iloc[:50]
    edited = silva.edit.collapse(model, 0, fewer, TARGET[:50])
    assert packed(edited.column_facts_) == packed(column_facts(bind_training(fewer)))


def test_a_distilled_tree_has_the_facts_of_its_forest(tmp_path):
    forest = silva.ForestClassifier(5, random_state=0).fit(ROWS, TARGET)
    told = silva.distil(forest, ROWS[:40], n_rows=200, max_leaves=4)
    assert packed(told.model.column_facts_) == expected()
    path = saved(forest, tmp_path / "old.silva", lambda facts: facts.pop("column_facts"))
    told = silva.distil(silva.load(path), ROWS, n_rows=200, max_leaves=4)
    assert packed(told.model.column_facts_) == expected()
