"""Model files of forests: they come back whole, and bad files are refused."""

import json
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import silva
from silva import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    ForestClassifier,
    ForestRegressor,
    ModelFormatError,
    StumpClassifier,
    TreeClassifier,
)
from silva.files import write_bytes
from silva.model_file import packed
from silva.model_file.estimators.save_load import KEY
from silva.tree.tree import same

X, Y = load_iris(return_X_y=True)
ALL = [
    ForestClassifier,
    ForestRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    BaggingClassifier,
    BaggingRegressor,
]


def saved_and_loaded(model, folder):
    silva.save(model, folder / "model.silva")
    return silva.load(folder / "model.silva")


@pytest.mark.parametrize("kind", ALL)
def test_a_forest_comes_back(kind, tmp_path):
    model = kind(n_estimators=8, random_state=4).fit(X, Y, X_val=X, y_val=Y)
    loaded = saved_and_loaded(model, tmp_path)
    assert type(loaded) is kind
    assert loaded.get_params() == model.get_params()
    assert all(map(same, loaded.trees_, model.trees_))
    assert np.array_equal(loaded.predict(X), model.predict(X))
    assert loaded.summary_ == model.summary_
    assert loaded.max_features_ == model.max_features_
    silva.save(loaded, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model.silva").read_bytes()


def test_the_curve_comes_back_and_answers_by_row_do_not(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = ForestClassifier(12, oob_score=True, vote="hard", random_state=1).fit(X, Y)
    loaded = saved_and_loaded(model, tmp_path)
    assert loaded.forest_.combiner == "hard"
    assert loaded.oob_score_ == model.oob_score_
    assert loaded.oob_curve_.trees.tolist() == [10, 12]
    assert loaded.summary_ == model.summary_
    with pytest.raises(AttributeError, match="comes from a file"):
        loaded.oob_votes_  # noqa: B018


def test_a_loaded_forest_grows_on(tmp_path):
    state = np.random.RandomState(5)
    model = ForestClassifier(4, random_state=state, warm_start=True).fit(X, Y)
    with pytest.warns(UserWarning, match="random_state"):
        loaded = saved_and_loaded(model, tmp_path)
    model.set_params(n_estimators=9).fit(X, Y)
    assert all(map(same, loaded.set_params(n_estimators=9).fit(X, Y).trees_, model.trees_))


def test_the_tree_of_a_bagging_comes_back(tmp_path):
    frame = pd.DataFrame({"colour": ["red", "green", "blue", "red"], "size": [1.5, 2.5, 3.5, 9.0]})
    tree = TreeClassifier(leaf=silva.MEstimate(1.5), class_weight={"no": 1, "yes": 2.0})
    model = BaggingClassifier(tree, 3, random_state=0).fit(frame, ["no", "yes", "no", "yes"])
    loaded = saved_and_loaded(model, tmp_path)
    assert loaded.estimator.get_params() == tree.get_params()
    assert np.array_equal(loaded.predict_proba(frame), model.predict_proba(frame))
    stumps = BaggingClassifier(StumpClassifier(), 3).fit(X, Y)
    assert isinstance(saved_and_loaded(stumps, tmp_path).estimator, StumpClassifier)


def test_an_unfitted_forest_is_not_saved(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        silva.save(ForestClassifier(), tmp_path / "model.silva")
    assert not list(tmp_path.iterdir())


def test_a_pickle_is_as_small_as_the_packed_trees():
    model = ForestClassifier(30).fit(X, Y)
    model.predict(X)
    assert len(pickle.dumps(model)) < len(packed.dumps(model.trees_)) + 3000


TREES = ForestClassifier(2, random_state=0).fit(X, Y).trees_


def facts(**changes):
    whole = {
        "name": "ForestClassifier",
        "params": {},
        "combiner": "soft",
        "seed": 0,
        "oob": None,
        "held_out": None,
        "curve": None,
    }
    return json.dumps(whole | changes)


def drawn(**changes):
    whole = {
        "n_rows": 150,
        "unused": None,
        "digest": "AAAAAAAAAAAAAAAAAAAAAA==",
        "sampling": "bootstrap",
        "n_samples": 150,
    }
    return {"rows": whole | changes}


def of_columns(**changes):
    return {"columns": {"n_columns": 4, "n_drawn": 4, "with_copies": False} | changes}


def nested(**changes):
    return {"estimator": {"name": "TreeClassifier", "params": {}} | changes}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", KEY),
        ("{}", "must be an object of"),
        (facts(more=1), "must be an object of"),
        (facts(name="os.system"), "is not an estimator"),
        (facts(name=3), "must be strings"),
        (facts(name="ForestRegressor"), "cannot hold a classification tree"),
        (facts(name="TreeClassifier"), "is not an estimator"),
        (facts(combiner="mean"), "'mean' is not for these trees"),
        (facts(seed=-1), "seed: must be"),
        (facts(seed=1.0), "seed: must be"),
        (facts(params={"depth": 1}), "params.depth: is not a parameter"),
        (facts(params={"max_depth": 0}), "params: max_depth=0"),
        (facts(params={"n_estimators": 0}), "params: n_estimators=0"),
        (facts(params={"n_jobs": "all"}), "params: n_jobs='all'"),
        (facts(params={"vote": "loud"}), "params: vote='loud'"),
        (facts(oob={"tree": 1.0}), "oob: must be an object of"),
        (facts(curve=[]), "curve: must be a list"),
        (facts(curve=[[10]]), "curve: must be a list"),
        (facts(curve=[[10, "high"]]), "curve: must be a list"),
        (facts(rows=[]), "rows: must be an object"),
        (facts(**drawn(more=1)), "rows: must be an object of"),
        (facts(**drawn(n_rows=-1)), "rows: n_rows and n_samples"),
        (facts(**drawn(n_rows="many")), "rows: n_rows and n_samples"),
        (facts(**drawn(n_samples=0)), "rows: n_rows and n_samples"),
        (facts(**drawn(n_rows=2**40)), "do not exist"),
        (facts(**drawn(n_samples=2**40)), "do not exist"),
        (facts(**drawn(n_samples=151, sampling="subsample")), "151 draws of 150 rows"),
        (facts(**drawn(sampling="some")), "rows.sampling: must be one of"),
        (facts(**drawn(sampling=[])), "rows.sampling: must be one of"),
        (facts(**drawn(digest=3)), "rows.digest: must be bytes"),
        (facts(**drawn(digest="é")), "rows.digest: must be bytes"),
        (facts(**drawn(digest="AAAA")), "rows.digest: must have 16"),
        (facts(**drawn(digest=None)), "rows.digest: must have 16"),
        (facts(**drawn(unused="AAAA")), "rows.unused: must have a bit"),
        (facts(**drawn(unused="/" * 24 + "/w==")), "150 draws of 0 rows"),
        (facts(name="BaggingClassifier", params={"max_features": 9}), "max_features=9 is more"),
        (facts(columns=3), "columns: must be an object"),
        (facts(**of_columns(n_columns=5)), "columns: does not draw from 4"),
        (facts(**of_columns(n_drawn=0)), "columns: does not draw from 4"),
        (facts(**of_columns(n_drawn=True)), "columns: does not draw from 4"),
        (facts(**of_columns(with_copies=1)), "columns.with_copies: must be true or false"),
        (facts(name="BaggingClassifier", params={"estimator": 3}), "estimator: must be an object"),
        (
            facts(name="BaggingClassifier", params=nested(name="Popen")),
            "name: is not a tree of this silva",
        ),
        (
            facts(name="BaggingClassifier", params=nested(params={"depth": 1})),
            "depth: is not a parameter",
        ),
        (
            facts(name="BaggingClassifier", params=nested(name="TreeRegressor")),
            "params: estimator=TreeRegressor",
        ),
    ],
)
def test_what_no_silva_wrote(text, words, tmp_path):
    write_bytes(tmp_path / "model", packed.dumps(TREES, {KEY: text}))
    with pytest.raises(ModelFormatError, match=words):
        silva.load(tmp_path / "model")


def test_old_files_do_not_know_their_rows(tmp_path):
    write_bytes(tmp_path / "model", packed.dumps(TREES, {KEY: facts()}))
    model = silva.load(tmp_path / "model")
    assert same(model[1].grown_tree_, TREES[1])
    with pytest.raises(AttributeError, match="estimators_samples_: which rows"):
        _ = model.estimators_samples_
    model.set_params(warm_start=True, oob_score=True, n_estimators=4)
    with pytest.raises(silva.PlanError, match="is not known: they come from an old model file"):
        model.fit(X, Y)
    whole = facts(**drawn(), **of_columns())
    write_bytes(tmp_path / "model", packed.dumps(TREES, {KEY: whole}))
    assert len(silva.load(tmp_path / "model").estimators_samples_[0]) == 150


def test_trees_without_an_estimator(tmp_path):
    write_bytes(tmp_path / "model", packed.dumps(TREES))
    with pytest.raises(ModelFormatError, match="estimator: is missing"):
        silva.load(tmp_path / "model")


def test_a_damaged_file_names_itself(tmp_path):
    silva.save(ForestClassifier(2).fit(X, Y), tmp_path / "model")
    data = bytearray((tmp_path / "model").read_bytes())
    data[-9] ^= 1
    (tmp_path / "model").write_bytes(data)
    with pytest.raises(ModelFormatError, match=r"model: .*checksum differs"):
        silva.load(tmp_path / "model")
