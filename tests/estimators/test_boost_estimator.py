"""`AdaBoostClassifier`: what scikit-learn's says where stumps agree; clear about bad input."""

import doctest
import json
import pickle
import re

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, make_classification
from sklearn.ensemble import AdaBoostClassifier as Peer
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

import silva
from silva import AdaBoostClassifier, DataError, ModelFormatError, PlanError, TreeClassifier
from silva.estimators import boost
from silva.model_file.estimators import boosted
from silva.model_file.estimators.save_load import KEY
from silva.model_file.packed import parse
from silva.tree.tree import same

IRIS = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)
SMALL = make_classification(400, 6, n_informative=4, random_state=1)


@pytest.mark.parametrize("rate", [0.5, 1.0])
@pytest.mark.parametrize("data", [IRIS, CANCER, SMALL], ids=["iris", "cancer", "made"])
def test_the_training_error_of_scikit_learn(data, rate):
    X, y = data
    ours = AdaBoostClassifier(n_estimators=30, learning_rate=rate).fit(X, y)
    peer = Peer(n_estimators=30, learning_rate=rate, random_state=0).fit(X, y)
    assert ours.estimator_errors_ == pytest.approx(peer.estimator_errors_, abs=1e-9)
    assert ours.estimator_weights_ == pytest.approx(peer.estimator_weights_, abs=1e-7)
    assert list(ours.staged_score(X, y)) == pytest.approx(list(peer.staged_score(X, y)))
    assert ours.predict_proba(X) == pytest.approx(peer.predict_proba(X), abs=1e-9)
    scale = 2.0 if len(ours.classes_) == 2 else 1.0
    assert scale * ours.decision_function(X) == pytest.approx(peer.decision_function(X), abs=1e-9)


def test_small_trees_as_scikit_learns():
    X, y = SMALL
    ours = AdaBoostClassifier(TreeClassifier(max_depth=2), n_estimators=10).fit(X, y)
    peer = Peer(DecisionTreeClassifier(max_depth=2), n_estimators=10, random_state=0).fit(X, y)
    assert ours.estimator_errors_ == pytest.approx(peer.estimator_errors_, abs=1e-9)


def test_ten_classes():
    X, y = load_digits(return_X_y=True)
    model = AdaBoostClassifier(TreeClassifier(max_depth=4), n_estimators=30).fit(X, y)
    assert model.score(X, y) > 0.9
    assert model.decision_function(X).shape == (len(X), 10)
    assert np.allclose(model.decision_function(X).sum(axis=1), 0.0)
    assert np.allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_stages_end_with_the_whole():
    X, y = SMALL
    model = AdaBoostClassifier(n_estimators=7).fit(X, y)
    told = list(model.staged_predict(X))
    assert len(told) == len(model.trees_) == 7
    assert (told[-1] == model.predict(X)).all()
    assert (list(model.staged_predict_proba(X))[-1] == model.predict_proba(X)).all()
    assert (list(model.staged_decision_function(X))[-1] == model.decision_function(X)).all()
    scores = [np.mean(stage == y) for stage in told]
    assert list(model.staged_score(X, y)) == pytest.approx(scores)
    assert model.predict_log_proba(X) == pytest.approx(np.log(model.predict_proba(X)))


def test_margins_of_training_rows():
    X, y = IRIS
    model = AdaBoostClassifier(n_estimators=20).fit(X, y)
    curve = model.margin_curve(X, y, stages=[20, 1, 5, 5])
    assert curve.trees.tolist() == [1, 5, 20]
    assert curve.margins[-1].tolist() == sorted(model.margins_.tolist())
    assert curve.shares[-1][-1] == 1.0
    assert curve.least[-1] == model.margins_.min()
    assert curve.mean[-1] == pytest.approx(model.margins_.mean())
    wrong = np.mean(model.predict(X) != y)
    assert (model.margins_ < 0).mean() <= wrong <= curve.share_up_to(0.0)[-1]
    assert curve.share_up_to(-2.0).tolist() == [0.0, 0.0, 0.0]
    assert curve.share_up_to(1.0).tolist() == [1.0, 1.0, 1.0]
    assert "margins of 150 rows" in str(curve)


def test_margins_count_weights_and_unknown_classes():
    X, y = IRIS
    model = AdaBoostClassifier(n_estimators=5).fit(X[y < 2], y[y < 2])
    curve = model.margin_curve(X, y, sample_weight=np.where(y == 2, 3.0, 1.0))
    assert curve.share_up_to(0.0)[-1] == pytest.approx(150 / 250)
    assert curve.least[-1] == -1.0


def test_a_curve_has_a_few_stages_of_its_own():
    X, y = SMALL
    model = AdaBoostClassifier(n_estimators=27).fit(X, y)
    assert model.margin_curve(X, y).trees.tolist() == [1, 3, 9, 27]
    for wrong in (0, 28, "all", 1.5):
        with pytest.raises(PlanError, match="stages"):
            model.margin_curve(X, y, stages=wrong)
    with pytest.raises(PlanError, match="at least one"):
        model.margin_curve(X, y, stages=[])


FRAME = pd.DataFrame(
    {
        "size": [1.0, 2.0, np.nan, 4.0, 5.0, 6.0, 7.0, np.nan],
        "town": ["a", "b", "a", None, "c", "c", "b", "a"],
        "old": [True, False, True, True, False, False, True, False],
    }
)
LABELS = ["no", "yes", "no", "yes", "yes", "no", "yes", "no"]


@pytest.mark.parametrize(
    "container", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas, duckdb.from_df]
)
def test_any_table_with_missing_values_and_categories(container):
    usual = AdaBoostClassifier(n_estimators=6).fit(FRAME, LABELS)
    model = AdaBoostClassifier(n_estimators=6).fit(container(FRAME), LABELS)
    assert model.feature_names_in_.tolist() == ["size", "town", "old"]
    assert all(map(same, model.trees_, usual.trees_))
    assert model.predict(container(FRAME)).tolist() == usual.predict(FRAME).tolist()


def test_sparse_tables():
    X, y = load_digits(return_X_y=True)
    dense = AdaBoostClassifier(n_estimators=3).fit(X, y)
    sparse = AdaBoostClassifier(n_estimators=3).fit(csr_array(X), y)
    assert (dense.predict_proba(X) == sparse.predict_proba(csr_array(X))).all()


@pytest.mark.parametrize(
    "choices",
    [
        {"splits": "onevsrest"},
        {"splits": "multiway"},
        {"splits": "oblique", "max_depth": 1},
        {"splits": "distance", "max_depth": 1, "random_state": 3},
        {"missing": "stop", "unseen": "stop"},
        {"missing": "own_branch"},
        {"criterion": "gain_ratio"},
        {"splitter": "random"},
        {"ccp_alpha": 0.01},
        {"leaf": "laplace"},
        {"class_weight": "balanced"},
        {"plan": "C45"},
        {"thresholds": "breakpoints"},
    ],
)
def test_any_kind_of_tree_can_be_boosted(choices):
    base = {} if "plan" in choices else {"max_depth": 2}
    tree = TreeClassifier(**(base | choices))
    model = AdaBoostClassifier(tree, n_estimators=5, random_state=1).fit(FRAME, LABELS)
    assert model.score(FRAME, LABELS) > 0.5
    again = clone(model).fit(FRAME, LABELS)
    assert all(map(same, model.trees_, again.trees_))


def test_linear_leaves():
    X, y = SMALL
    tree = TreeClassifier(max_depth=1, leaf="linear")
    model = AdaBoostClassifier(tree, n_estimators=4).fit(X, y)
    first = AdaBoostClassifier(tree, n_estimators=1).fit(X, y)
    assert model.score(X, y) > 0.75
    assert first.estimator_errors_[0] == pytest.approx(1 - tree.fit(X, y).score(X, y))


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_threads_change_nothing(n_jobs):
    X, y = make_classification(20_000, 8, random_state=2)
    tree = TreeClassifier(max_depth=2)
    one = AdaBoostClassifier(tree, n_estimators=4).fit(X, y)
    more = AdaBoostClassifier(tree, n_estimators=4, n_jobs=n_jobs).fit(X, y)
    assert all(map(same, one.trees_, more.trees_))
    assert one.estimator_weights_.tolist() == more.estimator_weights_.tolist()


def test_random_trees_follow_the_seed():
    X, y = SMALL
    tree = TreeClassifier(max_depth=1, max_features=2)
    models = [AdaBoostClassifier(tree, random_state=seed).fit(X, y) for seed in (0, 0, 1)]
    weights = [model.estimator_weights_.tolist() for model in models]
    assert weights[0] == weights[1] != weights[2]
    longer = AdaBoostClassifier(tree, n_estimators=60, random_state=0).fit(X, y)
    assert longer.estimator_weights_.tolist()[:50] == weights[0]


def test_what_a_fit_tells():
    X, y = CANCER
    model = AdaBoostClassifier(n_estimators=10).fit(X[:400], y[:400], X_val=X[400:], y_val=y[400:])
    summary = model.summary_
    assert (summary.trees, summary.leaves, summary.depth, summary.stopped) == (10, 2, 1, None)
    assert summary.training.tree == pytest.approx(model.score(X[:400], y[:400]))
    assert summary.held_out.tree == pytest.approx(model.score(X[400:], y[400:]))
    assert "10 trees of at most 2 leaves, depth 1; accuracy:" in str(summary)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.n_features_in_ == 30
    perfect = AdaBoostClassifier().fit([[0.0], [1.0]], ["a", "b"])
    assert perfect.stopped_ == "perfect"
    assert "stopped at a tree without errors" in str(perfect.summary_)


@pytest.mark.parametrize("labels", [["a"], ["a", "a", "a"]])
def test_one_class(labels):
    rows = np.arange(float(len(labels)))[:, None]
    model = AdaBoostClassifier().fit(rows, labels)
    assert model.predict(rows).tolist() == labels
    assert model.predict_proba(rows).tolist() == [[1.0]] * len(labels)
    assert model.decision_function(rows).tolist() == [[0.0]] * len(labels)
    assert model.margins_.tolist() == [1.0] * len(labels)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"estimator": DecisionTreeClassifier()}, "estimator=.*silva tree classifier"),
        ({"estimator": silva.TreeRegressor()}, "estimator=.*silva tree classifier"),
        ({"estimator": TreeClassifier}, r"Did you mean silva\.TreeClassifier\(\)"),
        ({"estimator": silva.ForestClassifier()}, "estimator="),
        ({"learning_rate": 0.0}, "learning_rate=0.0.*above 0"),
        ({"learning_rate": -2}, "learning_rate=-2"),
        ({"n_estimators": 0}, "n_estimators=0"),
        ({"n_estimators": 2.5}, "n_estimators=2.5"),
        ({"verbose": "yes"}, "verbose"),
        ({"n_jobs": 0}, "n_jobs=0"),
        ({"random_state": "lucky"}, "random_state"),
    ],
)
def test_bad_parameters_are_refused(choices, message):
    with pytest.raises(PlanError, match=message):
        AdaBoostClassifier(**choices).fit(*IRIS)


def test_bad_data_is_refused():
    X, y = IRIS
    with pytest.raises(ValueError, match=r"continuous|regression"):
        AdaBoostClassifier().fit(X, X[:, 0] + 0.5)
    with pytest.raises(DataError, match="no better than chance"):
        AdaBoostClassifier().fit(np.zeros((6, 2)), [0, 1, 0, 1, 0, 1])
    with pytest.raises(NotFittedError):
        AdaBoostClassifier().predict(X)
    with pytest.raises(AttributeError, match="margins_"):
        AdaBoostClassifier().margins_  # noqa: B018
    with pytest.raises(DataError, match="expecting 4 features"):
        AdaBoostClassifier().fit(X, y).predict(X[:, :3])


def test_a_failed_fit_leaves_the_model_as_it_was():
    X, y = IRIS
    model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    before = model.predict(X).tolist()
    with pytest.raises(DataError):
        model.fit(np.zeros((4, 4)), [0, 1, 0, 1])
    assert model.predict(X).tolist() == before


def test_copies():
    X, y = SMALL
    model = AdaBoostClassifier(TreeClassifier(max_depth=2), n_estimators=9).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    assert again.margins_.tolist() == model.margins_.tolist()
    assert str(again.summary_) == str(model.summary_)
    fresh = clone(model)
    assert not hasattr(fresh, "boosted_")
    assert fresh.estimator.max_depth == 2


def saved(model, path):
    silva.save(model, path)
    return silva.load(path)


def test_a_model_file(tmp_path):
    tree = TreeClassifier(max_depth=2, missing="own_branch")
    model = AdaBoostClassifier(tree, n_estimators=4, random_state=3)
    model.fit(FRAME, LABELS, X_val=FRAME, y_val=LABELS)
    loaded = saved(model, tmp_path / "model.silva")
    assert type(loaded) is AdaBoostClassifier
    assert str(loaded.get_params()) == str(model.get_params())
    assert (loaded.predict_proba(FRAME) == model.predict_proba(FRAME)).all()
    assert loaded.estimator_errors_.tolist() == model.estimator_errors_.tolist()
    assert loaded.summary_ == model.summary_
    assert loaded.feature_names_in_.tolist() == model.feature_names_in_.tolist()
    with pytest.raises(AttributeError, match="loaded from a file"):
        loaded.margins_  # noqa: B018
    silva.save(loaded, tmp_path / "again.silva")
    assert (tmp_path / "again.silva").read_bytes() == (tmp_path / "model.silva").read_bytes()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"alphas": [1.0]}, "alphas"),
        ({"seed": -1}, "seed: must be a whole number"),
        ({"seed": 1.0}, "seed: must be a whole number"),
        ({"alphas": [0.0] * 3}, "alphas: must be above 0"),
        ({"errors": [-1.0] * 3}, "errors"),
        ({"errors": "none"}, "errors"),
        ({"stopped": "bored"}, "stopped"),
        ({"stopped": []}, "stopped"),
        ({"training": None}, "training"),
        ({"params": {"n_estimators": 0}}, "n_estimators"),
        ({"params": {"depth": 0}}, "depth"),
        ({"params": {"estimator": {"name": "Forest", "params": {}}}}, "estimator"),
        ({"more": 1}, "estimator"),
    ],
)
def test_bad_facts_are_refused(changes, message):
    model = AdaBoostClassifier(n_estimators=3).fit(*SMALL)
    stored = parse(boosted.dumps(model))
    facts = json.loads(stored.extra[KEY]) | changes
    with pytest.raises(ModelFormatError, match=message):
        boosted.restored(stored._replace(extra={KEY: json.dumps(facts)}))


def test_progress_is_shown(capsys):
    AdaBoostClassifier(n_estimators=3, verbose=1).fit(*SMALL)
    assert "AdaBoostClassifier" in capsys.readouterr().err


def test_the_docstring_is_whole():
    failed, attempted = doctest.testmod(boost)
    assert attempted > 0
    assert failed == 0
    parameters, attributes = re.split(r"Attributes\n +-+\n", AdaBoostClassifier.__doc__)
    described = re.findall(r"^    (\w+) : ", parameters, re.MULTILINE)
    assert sorted(described) == sorted(AdaBoostClassifier().get_params())
    model = AdaBoostClassifier().fit(*SMALL)
    told = set(re.findall(r"^    (\w+_) : ", attributes, re.MULTILINE))
    public = {name for name in vars(model) if name.endswith("_") and not name.startswith("_")}
    derived = {name for name in vars(AdaBoostClassifier) if name.endswith("_") and name[0] != "_"}
    assert public | derived | {"feature_names_in_", "column_facts_"} == told
