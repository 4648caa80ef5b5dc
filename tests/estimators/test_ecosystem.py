"""Living with scikit-learn: cloning, copies, pickles, searches, pipelines, metadata, drawings."""

import copy
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.sparse import csr_array, csr_matrix, issparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier
from sklearn.feature_selection import SelectFromModel
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from silva import StumpClassifier, StumpRegressor, TreeClassifier, TreeRegressor
from silva.tree.tree import same

X, Y = load_iris(return_X_y=True)
FRAME = load_iris(as_frame=True).data
ALL = [TreeClassifier, TreeRegressor, StumpClassifier, StumpRegressor]
COPIES = [
    copy.copy,
    copy.deepcopy,
    lambda model: pickle.loads(pickle.dumps(model)),
    lambda model: pickle.loads(pickle.dumps(model, protocol=2)),
]


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("copied", COPIES)
def test_copies_answer_the_same(kind, copied):
    model = kind().fit(FRAME, Y, X_val=FRAME, y_val=Y)
    twin = copied(model)
    assert same(twin.grown_tree_, model.grown_tree_)
    assert np.array_equal(twin.predict(FRAME), model.predict(FRAME))
    assert twin.summary_ == model.summary_
    assert twin.tree_.n_leaves == model.tree_.n_leaves
    assert twin.feature_names_in_.tolist() == list(FRAME.columns)


def test_a_fitted_model_pickles_small():
    model = TreeClassifier().fit(X, Y)
    model.predict(X)
    assert len(pickle.dumps(model)) < len(pickle.dumps(model.grown_tree_)) + 2000


def test_joblib_files(tmp_path):
    model = TreeClassifier().fit(X, Y)
    joblib.dump(model, tmp_path / "model.joblib")
    assert np.array_equal(joblib.load(tmp_path / "model.joblib").predict(X), model.predict(X))


def test_an_unfitted_model_pickles():
    assert pickle.loads(pickle.dumps(TreeClassifier(max_depth=3))).max_depth == 3


def test_clone_forgets_the_fit():
    twin = clone(TreeClassifier(max_depth=2, class_weight={0: 2.0}).fit(X, Y))
    assert not hasattr(twin, "grown_tree_")
    assert twin.get_params()["class_weight"] == {0: 2.0}


def test_check_is_fitted():
    check_is_fitted(TreeClassifier().fit(X, Y))


@pytest.mark.parametrize("kind", ALL)
def test_parameters_are_scikit_learns_with_its_defaults(kind):
    theirs = sklearn.tree.DecisionTreeClassifier if "Class" in kind.__name__ else None
    theirs = theirs or sklearn.tree.DecisionTreeRegressor
    absent = {"monotonic_cst"}
    if kind.__name__.startswith("Stump"):
        absent |= {"max_depth", "max_leaf_nodes"}
    expected = {name: value for name, value in theirs().get_params().items() if name not in absent}
    ours = kind().get_params()
    assert {name: ours.pop(name) for name in expected} == expected
    assert ours.pop("plan", None) is None
    assert ours == {
        "min_gain": 0.0,
        "prune": None,
        "validation_fraction": 0.2,
        "categorical_features": "from_dtype",
        "splits": None,
        "missing": "learn",
        "unseen": "majority",
        "thresholds": "all",
        "category_gain": "fair",
        "leaf": None,
        "n_jobs": None,
        "verbose": 0,
    }


def test_repr_and_html():
    model = TreeClassifier(max_depth=2)
    assert repr(model) == "TreeClassifier(max_depth=2)"
    page = model.fit(FRAME, Y)._repr_html_()
    assert "grown_tree_" in page
    assert "Tree(classif" in page


def test_searches_and_pipelines():
    pipeline = make_pipeline(StandardScaler(), TreeClassifier())
    search = GridSearchCV(pipeline, {"treeclassifier__max_depth": [1, 4]}, cv=3)
    assert search.fit(X, Y).best_params_ == {"treeclassifier__max_depth": 4}
    assert cross_val_score(TreeClassifier(), FRAME, Y, cv=3).min() > 0.85


def test_meta_estimators():
    bag = BaggingClassifier(TreeClassifier(max_features=2), n_estimators=5, random_state=0)
    assert bag.fit(X, Y).score(X, Y) > 0.9
    assert SelectFromModel(TreeClassifier()).fit(X, Y).get_support().any()
    found = permutation_importance(TreeClassifier().fit(FRAME, Y), FRAME, Y, random_state=0)
    assert found.importances_mean.argmax() in (2, 3)


def test_categories_in_cross_validation():
    frame = pd.DataFrame({"letter": list("abcabcabcabc"), "n": range(12)})
    scores = cross_val_score(TreeClassifier(), frame, [c == "a" for c in frame["letter"]], cv=3)
    assert scores.tolist() == [1.0, 1.0, 1.0]


def test_metadata_routing_of_weights_and_held_out_rows():
    weights = np.where(Y == 0, 0.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = TreeClassifier().set_fit_request(sample_weight=True, X_val=True, y_val=True)
        model.set_score_request(sample_weight=True)
        found = cross_validate(
            model,
            X,
            Y,
            cv=3,
            params={"sample_weight": weights, "X_val": X[::10], "y_val": Y[::10]},
            return_estimator=True,
        )
        for fitted in found["estimator"]:
            assert fitted.summary_.held_out.rows == 15
            assert 0 not in fitted.predict(X)


def test_metadata_routing_through_a_pipeline():
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False),
            TreeClassifier().set_fit_request(sample_weight=True),
        )
        pipeline.fit(X, Y, sample_weight=np.where(Y == 0, 0.0, 1.0))
        assert 0 not in pipeline.predict(X)


@pytest.mark.parametrize(("interface", "kind"), [("spmatrix", csr_matrix), ("sparray", csr_array)])
def test_decision_path_has_the_configured_kind(interface, kind):
    model = TreeClassifier().fit(X, Y)
    with sklearn.config_context(sparse_interface=interface):
        path = model.decision_path(X)
    assert issparse(path)
    assert type(path) is kind
    assert path.has_sorted_indices
    assert path[:, [0]].sum() == len(X)
    assert np.array_equal(np.asarray(path.argmax(axis=1)).ravel(), np.zeros(len(X)))
    last = [path.indices[end - 1] for end in path.indptr[1:]]
    assert last == model.apply(X).tolist()
