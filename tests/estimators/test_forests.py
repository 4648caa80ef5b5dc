"""Forest estimators: determinism, out of bag, warm starts, odd tables, bad input."""

import copy
import pickle
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn.ensemble
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.callback import ScoringMonitor
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import GridSearchCV

import silva
from silva import (
    BaggingClassifier,
    BaggingRegressor,
    DataError,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    ForestClassifier,
    ForestRegressor,
    PlanError,
    StumpClassifier,
    StumpRegressor,
    TreeClassifier,
    TreeRegressor,
)
from silva.ensemble.sampling import row_counts, tree_seeds
from silva.tree.tree import same

X, Y = load_iris(return_X_y=True)
DX, DY = load_diabetes(return_X_y=True)
CLASSIFIERS = [ForestClassifier, ExtraTreesClassifier, BaggingClassifier]
REGRESSORS = [ForestRegressor, ExtraTreesRegressor, BaggingRegressor]
ALL = [*CLASSIFIERS, *REGRESSORS]


def fitted(kind, **choices):
    return kind(**({"n_estimators": 12, "random_state": 3} | choices)).fit(X, Y)


def same_trees(one, two):
    return len(one) == len(two) and all(map(same, one, two))


@pytest.mark.parametrize("kind", ALL)
def test_the_same_forest_for_any_threads_and_the_first_trees_of_a_longer_one(kind):
    model = fitted(kind)
    assert same_trees(model.trees_, fitted(kind, n_jobs=2).trees_)
    assert same_trees(model.trees_, fitted(kind, n_estimators=20).trees_[:12])
    assert not same_trees(model.trees_, fitted(kind, random_state=4).trees_)


@pytest.mark.parametrize("kind", [ForestClassifier, BaggingClassifier, ForestRegressor])
def test_a_warm_start_equals_one_go(kind):
    whole = fitted(kind, n_estimators=25, oob_score=True)
    state = np.random.RandomState(1)
    for random_state in (3, state):
        model = kind(n_estimators=7, warm_start=True, oob_score=True, random_state=random_state)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model.fit(X, Y)
        first = model.trees_
        model.set_params(n_estimators=25).fit(X, Y)
        assert same_trees(first, model.trees_[:7])
        if random_state == 3:
            assert same_trees(model.trees_, whole.trees_)


@pytest.mark.parametrize(
    ("model", "target"),
    [
        (ForestClassifier(max_depth=3), Y),
        (ForestClassifier(vote="hard"), Y),
        (ForestClassifier(leaf="laplace"), Y),
        (ExtraTreesClassifier(bootstrap="subsample", max_depth=3), Y),
        (ForestRegressor(max_depth=3), DY),
        (ForestRegressor(leaf="linear", max_depth=2), DY),
        (BaggingClassifier(TreeClassifier(max_depth=2)), Y),
        (BaggingClassifier(TreeClassifier(max_depth=2), max_features=0.5), Y),
        (BaggingRegressor(max_features=3), DY),
        (BaggingRegressor(StumpRegressor(prune="reduced_error")), DY),
    ],
)
def test_out_of_bag_sums_of_warm_starts_are_those_of_one_go(model, target):
    table, target = (X, Y) if target is Y else (DX, DY / 7)
    weights = np.random.default_rng(3).integers(0, 3, len(target)) / 3
    model = model.set_params(random_state=3, oob_score=True)
    whole = clone(model).set_params(n_estimators=35).fit(table, target, sample_weight=weights)
    parts = model.set_params(warm_start=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for n_trees in (7, 20, 26, 35):
            parts.set_params(n_estimators=n_trees).fit(table, target, sample_weight=weights)
    assert same_trees(parts.trees_, whole.trees_)
    assert parts.oob_score_ == whole.oob_score_
    name = "oob_decision_function_" if target is Y else "oob_prediction_"
    assert getattr(parts, name).tobytes() == getattr(whole, name).tobytes()
    assert parts.oob_votes_.tobytes() == whole.oob_votes_.tobytes()
    for one, other in zip(parts.oob_curve_, whole.oob_curve_, strict=True):
        assert one.tobytes() == other.tobytes()


def test_every_tree_is_the_single_estimator():
    choices = {"min_samples_leaf": 0.02, "max_depth": 5, "leaf": "laplace", "ccp_alpha": 0.001}
    weights = np.random.default_rng(0).integers(0, 4, len(Y)).astype(float)
    forest = ForestClassifier(5, random_state=9, **choices).fit(X, Y, sample_weight=weights)
    target = silva.data.bind.bind_classes(Y, weights, None, len(Y))
    for seed, tree in zip(tree_seeds(9, 0, 5), forest.trees_, strict=True):
        counts = row_counts(seed, target, int((weights > 0).sum()), "bootstrap")
        single = TreeClassifier(max_features="sqrt", random_state=seed, **choices)
        assert same(single.fit(X, Y, sample_weight=counts * weights).grown_tree_, tree)


@pytest.mark.parametrize(
    ("tree", "table"),
    [
        (TreeRegressor(leaf="linear", max_depth=2), DX),
        (TreeRegressor(criterion="poisson", missing="majority"), np.where(DX > 0.1, np.nan, DX)),
        (TreeRegressor(splits="oblique", max_depth=3), DX),
        (TreeRegressor(plan="CART"), DX[:, :3]),
        (TreeRegressor(prune="reduced_error", validation_fraction=0.3), DX[:, :3]),
        (TreeRegressor(ccp_alpha=20.0), DX),
    ],
)
def test_bagging_of_any_tree(tree, table):
    model = BaggingRegressor(tree, 4, random_state=1, oob_score=False).fit(table, DY)
    told = [
        clone(tree).set_params(random_state=seed).fit(table, DY, sample_weight=counts)
        for seed in tree_seeds(1, 0, 4)
        for counts in [row_counts(seed, target_of(DY), len(DY), "bootstrap").astype(float)]
    ]
    assert same_trees(model.trees_, [one.grown_tree_ for one in told])
    expected = np.mean([one.predict(table) for one in told], axis=0)
    np.testing.assert_allclose(model.predict(table), expected, rtol=1e-12)


def target_of(y):
    return silva.data.bind.bind_numbers(y, None, len(y))


def test_out_of_bag_by_row():
    model = ForestClassifier(40, oob_score=True, random_state=0).fit(X, Y)
    shares = model.oob_decision_function_
    assert shares.shape == (150, 3)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert model.oob_score_ == np.mean(shares.argmax(axis=1) == Y)
    assert model.oob_score_ == model.oob_curve_.score[-1] > 0.9
    assert model.oob_curve_.trees.tolist() == [10, 20, 30, 40]
    assert np.array_equal(model.oob_confidence_, shares.max(axis=1))
    assert model.oob_votes_.sum() == pytest.approx(40 * 150 * 0.368, rel=0.05)
    hard = ForestClassifier(40, oob_score=True, random_state=0, vote="hard").fit(X, Y)
    votes = hard.oob_decision_function_ * hard.oob_votes_[:, None]
    np.testing.assert_allclose(votes, votes.round(), atol=1e-9)


def test_out_of_bag_of_numbers_with_linear_leaves_and_fewer_columns():
    tree = TreeRegressor(leaf="linear", max_depth=2)
    model = BaggingRegressor(tree, 30, oob_score=True, max_features=0.7, random_state=0)
    model.fit(DX, DY)
    residual = DY - model.oob_prediction_
    assert model.oob_score_ == pytest.approx(1 - np.mean(residual**2) / DY.var())
    assert 0.3 < model.oob_score_ < model.score(DX, DY)


def test_rows_that_every_tree_has_seen():
    with pytest.warns(UserWarning, match="rows were seen by every tree.*max_samples"):
        model = ForestClassifier(1, oob_score=True, random_state=0).fit(X, Y)
    assert np.isnan(model.oob_confidence_).sum() == (model.oob_votes_ == 0).sum() > 0
    assert model.summary_.oob.rows == (model.oob_votes_ > 0).sum()


@pytest.mark.parametrize("name", ["oob_score_", "oob_curve_", "oob_votes_", "oob_confidence_"])
def test_no_out_of_bag_without_asking(name):
    with pytest.raises(AttributeError, match=f"{name}.*set oob_score=True"):
        getattr(fitted(ForestClassifier), name)
    with pytest.raises(AttributeError, match=name):
        getattr(ForestClassifier(), name)


def test_votes():
    soft, hard = (fitted(ForestClassifier, vote=vote, max_depth=1) for vote in ("soft", "hard"))
    assert same_trees(soft.trees_, hard.trees_)
    votes = hard.predict_proba(X) * 12
    assert np.array_equal(votes, votes.round())
    assert (soft.predict_proba(X) != hard.predict_proba(X)).any()
    assert np.array_equal(hard.predict(X), votes.argmax(axis=1))
    with np.errstate(divide="ignore"):
        assert np.array_equal(hard.predict_log_proba(X), np.log(hard.predict_proba(X)))


@pytest.mark.parametrize("kind", ALL)
def test_apply_and_decision_path(kind):
    model = fitted(kind)
    ends = model.apply(X)
    indicator, start = model.decision_path(X)
    assert ends.shape == (150, 12)
    assert indicator.shape == (150, sum(tree.n_nodes for tree in model.trees_)) == (150, start[-1])
    for number, tree in enumerate(model.trees_):
        part = indicator[:, start[number] : start[number + 1]].toarray()
        assert part[np.arange(150), ends[:, number]].all()
        assert part[:, 0].all()
        assert tree.is_leaf[ends[:, number]].all()


def test_importances():
    model = fitted(ForestClassifier)
    each = np.mean([silva.inspect.importance.impurity_importance(t) for t in model.trees_], axis=0)
    np.testing.assert_allclose(model.feature_importances_, each)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert not ForestClassifier(3).fit([[0.0], [0.0]], [0, 1]).feature_importances_.any()


def test_summary():
    model = ForestClassifier(30, oob_score=True, random_state=0)
    model.fit(X[::2], Y[::2], X_val=X[1::2], y_val=Y[1::2])
    summary = model.summary_
    assert summary.oob.tree == model.oob_score_
    assert summary.held_out.tree == model.score(X[1::2], Y[1::2])
    assert summary.trees == 30
    assert "out-of-bag" in str(summary)
    assert "held-out" in str(summary)
    assert "set oob_score=True" in str(fitted(ForestRegressor).summary_)
    numbers = ForestRegressor(30, oob_score=True, random_state=0).fit(DX, DY, X_val=DX, y_val=DY)
    assert numbers.summary_.held_out.tree == np.mean((numbers.predict(DX) - DY) ** 2)
    assert numbers.summary_.oob.baseline == pytest.approx(DY.var())


FRAME = {
    "town": ["a", "b", None, "a", "c", "b"] * 5,
    "size": [1.0, 2.0, None, 4.0, 5.0, 6.0] * 5,
    "sunny": [True, False, True, True, False, False] * 5,
}
LABELS = ["no", "yes", "yes", "no", "yes", "no"] * 5


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_tables_with_categories_and_missing_values(kind, make):
    table = make(FRAME)
    model = kind(n_estimators=15, random_state=0).fit(table, LABELS)
    assert model.feature_names_in_.tolist() == list(FRAME)
    assert model.score(table, LABELS) > 0.9
    assert np.array_equal(model.predict(table), model.predict(make(dict(reversed(FRAME.items())))))
    assert model.predict_proba(make({"town": ["z"], "size": [None], "sunny": [True]})).shape == (
        1,
        2,
    )


def test_sparse_rows():
    assert np.array_equal(
        fitted(ForestClassifier).predict(csr_matrix(X)), fitted(ForestClassifier).predict(X)
    )


@pytest.mark.parametrize("policy", ["own_branch", "stop"])
def test_policies(policy):
    table = pd.DataFrame(FRAME)
    model = ForestClassifier(40, missing=policy, unseen="stop", oob_score=True, random_state=0)
    model.fit(table, LABELS)
    assert model.predict(pd.DataFrame({"town": ["z"], "size": [3.0], "sunny": [True]})).shape == (
        1,
    )


@pytest.mark.parametrize("kind", ALL)
def test_one_row(kind):
    model = kind(n_estimators=3).fit([[1.0, 2.0]], [7])
    assert model.predict([[0.0, 0.0], [1.0, 2.0]]).tolist() == [7, 7]


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_one_class(kind):
    model = kind(n_estimators=3).fit(X, ["only"] * 150)
    assert model.predict(X[:2]).tolist() == ["only", "only"]
    assert model.predict_proba(X[:2]).tolist() == [[1.0], [1.0]]


def test_a_class_that_bootstraps_miss():
    labels = np.zeros(30, int)
    labels[0] = 1
    model = ForestClassifier(25, random_state=0).fit(np.arange(30.0)[:, None], labels)
    seen = [set(tree.leaf_stats.code.tolist()) for tree in model.trees_]
    assert {0} in seen
    assert {0, 1} in seen
    assert model.predict_proba([[0.0]]).shape == (1, 2)
    assert model.classes_.tolist() == [0, 1]


def test_class_weights():
    model = ForestClassifier(10, class_weight={0: 0.0, 1: 1.0, 2: 1.0}, random_state=0).fit(X, Y)
    assert set(model.predict(X)) == {1, 2}
    ForestClassifier(5, class_weight="balanced").fit(X, Y)
    tree = TreeClassifier(class_weight={0: 0.0, 1: 1.0, 2: 1.0})
    assert 0 not in BaggingClassifier(tree, 5).fit(X, Y).predict(X)


def test_early_stopping():
    model = ForestClassifier(1000, early_stopping=True, n_iter_no_change=20, random_state=0)
    model.fit(X, Y)
    assert 30 <= len(model.trees_) < 1000
    assert model.oob_curve_.trees[-1] == len(model.trees_)


def test_progress_bar(capsys):
    fitted(ForestClassifier, verbose=1)
    assert "ForestClassifier" in capsys.readouterr().err
    fitted(ForestClassifier)
    assert not capsys.readouterr().err


@pytest.mark.parametrize("kind", ALL)
def test_copies_answer_the_same(kind):
    model = fitted(kind)
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert same_trees(twin.trees_, model.trees_)
        assert np.array_equal(twin.predict(X), model.predict(X))
        assert twin.summary_ == model.summary_
    assert not hasattr(clone(model), "forest_")


def test_grid_search():
    grid = {"n_estimators": [2, 4], "estimator__max_depth": [1, 2]}
    search = GridSearchCV(BaggingClassifier(TreeClassifier()), grid, cv=2).fit(X, Y)
    assert search.best_score_ > 0.5


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (ForestClassifier(0), "n_estimators=0"),
        (ForestClassifier(max_features=0), "max_features=0"),
        (ForestClassifier(max_features=5), "max_features=5.*the table has 4 columns.*at most 4"),
        (ForestClassifier(max_features=1.5), r"max_features=1\.5"),
        (BaggingClassifier(max_features=5), "max_features=5 is more than the 4 columns"),
        (BaggingClassifier(max_features=0), "max_features=0"),
        (BaggingClassifier(max_features="sqrt"), "max_features='sqrt'"),
        (BaggingClassifier(TreeRegressor()), "estimator=.*silva.TreeClassifier"),
        (BaggingClassifier(StumpClassifier), "Did you mean silva.StumpClassifier()"),
        (BaggingClassifier(TreeClassifier(max_depth=0)), "max_depth=0"),
        (
            ForestClassifier(max_samples=151, bootstrap="subsample"),
            "max_samples=151 is more than the 150",
        ),
        (BaggingClassifier(max_samples=151, bootstrap=False), "max_samples=151 is more than"),
        (ForestClassifier(max_samples=2.0, bootstrap="subsample"), r"max_samples=2\.0"),
        (ForestClassifier(max_samples=-2.0), r"max_samples=-2\.0"),
        (BaggingClassifier(bootstrap_features="yes"), "bootstrap_features='yes'"),
        (ForestClassifier(bootstrap=False, max_samples=0.5), "max_samples=0.5.*bootstrap"),
        (ForestClassifier(bootstrap="rows"), "bootstrap='rows'"),
        (ForestClassifier(bootstrap=False, oob_score=True), "oob_score=True.*bootstrap=True"),
        (ExtraTreesClassifier(early_stopping=True), "early_stopping=True.*bootstrap=True"),
        (ForestClassifier(early_stopping=True, n_iter_no_change=0), "n_iter_no_change=0"),
        (ForestClassifier(early_stopping=True, tol=-1), "tol=-1"),
        (ForestClassifier(early_stopping="auto"), "early_stopping='auto'"),
        (ForestClassifier(oob_score=3), "oob_score=3"),
        (ForestClassifier(vote="majority"), "vote='majority'"),
        (ForestClassifier(on_interrupt="stop"), "on_interrupt='stop'"),
        (ForestClassifier(verbose=-1), "verbose=-1"),
        (ForestClassifier(splits="oblique", splitter="random"), "needs splitter='best'"),
        (ExtraTreesClassifier(splits="oblique"), "needs splitter='best'"),
        (ForestClassifier(plan="ID3", max_depth=3), "max_depth=3"),
        (ForestClassifier(random_state="x"), "random_state='x'"),
        (ForestClassifier(n_jobs=0), "n_jobs=0"),
        (ForestClassifier(leaf="laplas"), "leaf='laplas'"),
    ],
)
def test_bad_parameters(model, words):
    with pytest.raises(PlanError, match=words):
        model.fit(X, Y)


def warm(**choices):
    return ForestClassifier(10, warm_start=True, random_state=0, **choices).fit(X, Y)


def clone_of(model, **choices):
    return copy.deepcopy(model).set_params(**choices)


def test_warm_starts_that_cannot_go_on():
    with pytest.raises(PlanError, match=r"n_estimators=5.*10 trees.*warm_start=False"):
        warm().set_params(n_estimators=5).fit(X, Y)
    with pytest.raises(DataError, match=r"other columns .4 then, 2 now"):
        warm().set_params(n_estimators=20).fit(X[:, :2], Y)
    with pytest.raises(DataError, match=r"other columns .no names then, names now|'x0' then"):
        warm().set_params(n_estimators=20).fit(pd.DataFrame(X, columns=list("abcd")), Y)
    with pytest.raises(DataError, match="forest of the classes 0, 1, 2, but y has 0, 1"):
        warm().set_params(n_estimators=20).fit(X, Y % 2)
    model = warm().set_params(n_estimators=20, oob_score=True)
    with pytest.raises(DataError, match="out-of-bag answers of other rows: y or its weights"):
        model.fit(X, Y[::-1])
    with pytest.raises(PlanError, match=r"max_samples=75.*150 draws of rows each"):
        clone_of(model, max_samples=75).fit(X, Y)
    mixed = warm().set_params(n_estimators=20).fit(X, Y[::-1])
    with pytest.raises(DataError, match="out-of-bag answers of other rows: y or its weights"):
        mixed.set_params(n_estimators=30, oob_score=True).fit(X, Y)
    assert len(mixed.estimators_samples_) == 20
    mixed = warm().set_params(n_estimators=20, max_samples=75).fit(X, Y)
    with pytest.raises(PlanError, match="oob_score=True needs out-of-bag answers of all trees"):
        mixed.set_params(n_estimators=30, oob_score=True).fit(X, Y)
    with pytest.raises(AttributeError, match=r"estimators_samples_.*trees of other rows"):
        _ = mixed.estimators_samples_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = warm(oob_score=True).set_params(n_estimators=20)
    with pytest.raises(DataError, match="continues a fit of 150 rows, but X has 149"):
        model.fit(X[1:], Y[1:])
    with pytest.raises(DataError, match="out-of-bag answers of other rows: y or its weights"):
        model.fit(X[::-1], Y[::-1])
    with pytest.raises(DataError, match="out-of-bag answers of other rows: y or its weights"):
        model.fit(X, Y, sample_weight=np.full(len(Y), 2.0))
    with pytest.raises(PlanError, match=r"criterion='entropy'.*trees of criterion='gini'"):
        clone_of(model, criterion="entropy").fit(X, Y)
    with pytest.raises(PlanError, match=r"vote='hard'.*'soft' votes"):
        model.set_params(vote="hard").fit(X, Y)
    model = warm()
    with pytest.warns(UserWarning, match="has 10 trees already"):
        assert same_trees(
            model.fit(X, Y).trees_, fitted(ForestClassifier, n_estimators=10, random_state=0).trees_
        )


@pytest.mark.parametrize("kind", ALL)
def test_parameters_are_scikit_learns_with_its_defaults(kind):
    name = kind.__name__.replace("Forest", "RandomForest")
    theirs = getattr(sklearn.ensemble, name)().get_params(deep=False)
    ours = kind().get_params(deep=False)
    assert theirs.keys() - ours.keys() <= {"monotonic_cst", "bootstrap_features"}
    assert all(ours[name] == theirs[name] for name in theirs.keys() & ours.keys())


def test_callbacks_see_the_fit():
    monitor = ScoringMonitor(scoring="accuracy")
    model = ForestClassifier(5).set_callbacks(monitor).fit(X, Y)
    assert monitor.get_logs().data[0]["accuracy"] == model.score(X, Y)


def test_random_states_are_touched_only_where_something_is_random():
    state = np.random.RandomState(0)
    before = state.get_state()[2]
    BaggingClassifier(n_estimators=2, bootstrap=False, random_state=state).fit(X, Y)
    assert state.get_state()[2] == before
    BaggingClassifier(n_estimators=2, random_state=state).fit(X, Y)
    assert state.get_state()[2] != before


def test_held_out_rows_are_judged():
    with pytest.raises(DataError, match="y_val is missing"):
        ForestClassifier(2).fit(X, Y, X_val=X)


def test_what_needs_one_tree_says_so():
    model = fitted(ForestClassifier)
    with pytest.raises(TypeError, match=r"has 12: give one of them, such as model.trees_\[0\]"):
        silva.to_text(model)
    with pytest.raises(PlanError, match=r"has 12 trees and one is needed.*model.trees_\[0\]"):
        silva.bounds(model)
    assert "classification tree" in silva.to_text(model.trees_[0])
    assert repr(model.forest_) == "Forest(classification, soft, trees=12)"
    assert replace(model.forest_, combiner="hard").combiner == "hard"
