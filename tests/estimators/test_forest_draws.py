"""Draws of rows and columns, class weights of draws, out-of-bag scores by a function or later."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.metrics import balanced_accuracy_score, mean_absolute_error

import silva
from silva import (
    BaggingClassifier,
    BaggingRegressor,
    DataError,
    ExtraTreesClassifier,
    ForestClassifier,
    ForestRegressor,
    PlanError,
    TreeClassifier,
    TreeRegressor,
)
from silva.ensemble.growers import TreeByTree
from silva.ensemble.packed import Packer
from silva.tree.tree import same

X, CODES = load_iris(return_X_y=True)
Y = np.array(["setosa", "versicolor", "virginica"])[CODES]
DX, DY = load_diabetes(return_X_y=True)
SOME = np.random.default_rng(0).integers(0, 3, 150).astype(float)

pytestmark = pytest.mark.filterwarnings("ignore:.*rows were seen by every tree:UserWarning")


def same_forests(one, two):
    assert len(one) == len(two)
    assert all(same(a, b) for a, b in zip(one.trees_, two.trees_, strict=True))


def same_out_of_bag(one, two):
    name = "oob_decision_function_" if hasattr(one, "classes_") else "oob_prediction_"
    assert getattr(one, name).tobytes() == getattr(two, name).tobytes()
    assert one.oob_votes_.tobytes() == two.oob_votes_.tobytes()
    assert one.oob_score_ == two.oob_score_
    for a, b in zip(one.oob_curve_, two.oob_curve_, strict=True):
        assert a.tobytes() == b.tobytes()
    assert str(one.summary_) == str(two.summary_)


@pytest.mark.parametrize("weights", [None, SOME])
@pytest.mark.parametrize(
    ("choices", "n_draws"),
    [
        ({}, None),
        ({"bootstrap": "subsample"}, None),
        ({"max_samples": 40}, 40),
        ({"max_samples": 3.0}, None),
        ({"bootstrap": False}, None),
    ],
)
def test_rows_of_each_tree(choices, n_draws, weights, tmp_path):
    model = ForestClassifier(3, random_state=0, **choices).fit(X, Y, sample_weight=weights)
    silva.save(model, tmp_path / "model.silva")
    others = (silva.load(tmp_path / "model.silva"), pickle.loads(pickle.dumps(model)))
    usable = np.ones(150, bool) if weights is None else weights > 0
    for number, rows in enumerate(model.estimators_samples_):
        assert rows.dtype == np.int32
        assert (np.diff(rows) >= 0).all()
        assert usable[rows].all()
        assert n_draws in (None, len(rows))
        assert len(np.unique(rows)) == model.trees_[number].leaf_rows.sum()
        if choices.get("bootstrap") is False:
            assert np.array_equal(rows, np.flatnonzero(usable))
        for other in others:
            assert np.array_equal(other.estimators_samples_[number], rows)
    model.set_params(max_samples=7, bootstrap=True)
    assert np.array_equal(model.estimators_samples_[0], others[0].estimators_samples_[0])


@pytest.mark.parametrize("max_samples", [1.5, 225, 4.0, 300.0])
@pytest.mark.parametrize("kind", [ForestClassifier, ForestRegressor, BaggingRegressor])
def test_more_draws_than_rows(kind, max_samples):
    y = Y if kind is ForestClassifier else X[:, 0] * X[:, 1]
    model = (
        kind(3, random_state=1, max_samples=max_samples)
        if kind is not BaggingRegressor
        else (kind(None, 3, random_state=1, max_samples=max_samples))
    )
    model.fit(X, y)
    for number, rows in enumerate(model.estimators_samples_):
        assert len(rows) == (225 if max_samples in (1.5, 225) else 150 * max_samples)
        counts = np.bincount(rows, minlength=150).astype(float)
        again = clone(model[number]).fit(X, y, sample_weight=counts)
        assert same(again.grown_tree_, model.trees_[number])
    if max_samples == 1.5:
        same_forests(model, clone(model).set_params(max_samples=225).fit(X, y))


def test_bagging_without_replacement():
    by_word = BaggingClassifier(None, 4, bootstrap="subsample", max_samples=0.4, random_state=0)
    model = clone(by_word).set_params(bootstrap=False, oob_score=True).fit(X, Y)
    same_forests(model, by_word.fit(X, Y))
    assert [len(np.unique(rows)) for rows in model.estimators_samples_] == [60] * 4
    assert model.oob_score_ > 0.8
    whole = BaggingClassifier(None, 4, bootstrap=False, max_samples=1.0, random_state=0).fit(X, Y)
    same_forests(whole, BaggingClassifier(None, 4, bootstrap=False, random_state=0).fit(X, Y))
    for kind in ("permutation", "drop_column", "corrected"):
        assert "x3" in str(silva.importance(model, X, Y, kind, repeats=1))
    with pytest.raises(PlanError, match=r"max_samples=0\.5.*bootstrap=False gives every tree all"):
        ForestClassifier(bootstrap=False, max_samples=0.5).fit(X, Y)


def test_columns_drawn_with_replacement():
    tree = TreeRegressor(max_depth=4)
    model = BaggingRegressor(tree, 8, bootstrap_features=True, random_state=0, oob_score=True)
    model.fit(DX, DY)
    for n_jobs in (1, 2):
        other = clone(model).set_params(n_jobs=n_jobs).fit(DX, DY)
        same_forests(model, other)
        same_out_of_bag(model, other)
    sizes = [len(columns) for columns in model.estimators_features_]
    assert max(sizes) < 10
    assert len(set(sizes)) > 1
    for number, columns in enumerate(model.estimators_features_):
        assert np.array_equal(columns, np.unique(columns))
        counts = np.bincount(model.estimators_samples_[number], minlength=len(DY)).astype(float)
        again = clone(model[number]).fit(DX[:, columns], DY, sample_weight=counts)
        assert same(again.grown_tree_, model[number].grown_tree_)
    told = np.mean(
        [
            member.predict(DX[:, columns])
            for member, columns in zip(model, model.estimators_features_, strict=True)
        ],
        axis=0,
    )
    np.testing.assert_allclose(model.predict(DX), told, rtol=1e-12)
    whole = BaggingRegressor(tree, 2).fit(DX, DY)
    assert [columns.tolist() for columns in whole.estimators_features_] == [list(range(10))] * 2


def test_warm_starts_keep_the_draws_of_columns():
    model = BaggingClassifier(None, 4, max_features=2, warm_start=True, random_state=0).fit(X, Y)
    model.set_params(n_estimators=7, max_features=3)
    with pytest.raises(PlanError, match=r"max_features=3.*drawn in another way"):
        model.fit(X, Y)
    model.set_params(max_features=2).fit(X, Y)
    whole = clone(model).set_params(warm_start=False).fit(X, Y)
    same_forests(model, whole)


@given(
    rows=st.integers(2, 30),
    kind=st.sampled_from([ForestClassifier, ExtraTreesClassifier]),
    bootstrap=st.sampled_from([True, "subsample"]),
    leaf_size=st.sampled_from([1, 2, 0.1]),
    prune=st.sampled_from([None, "pessimistic"]),
    seed=st.integers(0, 2**64 - 1),
    data=st.data(),
)
def test_classes_balanced_by_the_draws(rows, kind, bootstrap, leaf_size, prune, seed, data):
    """Each tree is the single tree with class_weight="balanced" and the counts as weights."""
    cell = st.sampled_from([0.0, 1.0, 1.5, 2.0, np.nan])
    table = np.array(data.draw(st.lists(cell, min_size=2 * rows, max_size=2 * rows)))
    table = table.reshape(rows, 2)
    y = np.array(data.draw(st.lists(st.sampled_from("aaab"), min_size=rows, max_size=rows)))
    weights = data.draw(st.lists(st.sampled_from([0.0, 1.0, 2.5]), min_size=rows, max_size=rows))
    weights[0] = 1.0
    shared = {"max_features": 1, "min_samples_leaf": leaf_size, "prune": prune}
    choices = {"bootstrap": bootstrap, "random_state": seed, "class_weight": "balanced_subsample"}
    model = kind(3, **shared, **choices).fit(table, y, sample_weight=weights)
    for number, member in enumerate(model):
        counts = np.bincount(model.estimators_samples_[number], minlength=rows)
        alone = clone(member).set_params(class_weight="balanced")
        alone.fit(table, y, sample_weight=counts * np.array(weights))
        assert same(alone.grown_tree_, model.trees_[number])


@pytest.mark.parametrize("weights", [None, SOME])
def test_balanced_subsample_for_any_threads_warm_starts_and_files(weights, tmp_path):
    few = CODES > 0
    few[60:] = CODES[60:] == 1
    y = np.where(few, "often", "seldom")
    choices = {"class_weight": "balanced_subsample", "random_state": 0, "oob_score": True}
    model = ForestClassifier(20, **choices).fit(X, y, sample_weight=weights)
    threads = ForestClassifier(20, n_jobs=2, **choices).fit(X, y, sample_weight=weights)
    same_forests(model, threads)
    same_out_of_bag(model, threads)
    plain = ForestClassifier(20, random_state=0).fit(X, y, sample_weight=weights)
    assert not all(same(a, b) for a, b in zip(model.trees_, plain.trees_, strict=True))
    parts = ForestClassifier(7, warm_start=True, **choices).fit(X, y, sample_weight=weights)
    parts.set_params(n_estimators=20).fit(X, y, sample_weight=weights)
    same_forests(model, parts)
    same_out_of_bag(model, parts)
    silva.save(model, tmp_path / "model.silva")
    loaded = silva.load(tmp_path / "model.silva")
    assert loaded.class_weight == "balanced_subsample"
    assert (loaded.predict(X) == model.predict(X)).all()
    close = silva.proximity(model, X, y=y, sample_weight=weights, out_of_bag=True)
    assert close.shape == (150, 150)
    for kind in ("permutation", "drop_column", "corrected"):
        found = silva.importance(model, X, y, kind, sample_weight=weights, repeats=1)
        assert "x3" in str(found)
    with pytest.raises(DataError, match="these are not the rows"):
        silva.proximity(model, X, y=np.roll(y, 9), sample_weight=weights, out_of_bag=True)


def test_balanced_subsample_of_all_rows_is_balanced():
    for kind in (ExtraTreesClassifier, ForestClassifier):
        choices = {"bootstrap": False, "random_state": 0}
        by_tree = kind(4, class_weight="balanced_subsample", **choices).fit(X, Y)
        same_forests(by_tree, kind(4, class_weight="balanced", **choices).fit(X, Y))
    with pytest.raises(DataError, match="class_weight='balanced_subsample' is not understood"):
        BaggingClassifier(TreeClassifier(class_weight="balanced_subsample")).fit(X, Y)


def slow_score(model, metric, y, weights=None):
    """The score from the answers by row, of rows that have one."""
    known = model.oob_votes_ > 0
    if weights is not None:
        known &= weights > 0
    if hasattr(model, "classes_"):
        shares = model.oob_decision_function_[known]
        return metric(y[known], model.classes_[shares.argmax(axis=1)])
    return metric(y[known], model.oob_prediction_[known])


def fewer_errors(truth, told):
    return -mean_absolute_error(truth, told)


@pytest.mark.parametrize("weights", [None, SOME])
@pytest.mark.parametrize(
    ("model", "y", "metric"),
    [
        (ForestClassifier(25), Y, balanced_accuracy_score),
        (ForestClassifier(25, vote="hard", class_weight="balanced"), Y, balanced_accuracy_score),
        (BaggingClassifier(TreeClassifier(leaf="laplace"), 25), Y, balanced_accuracy_score),
        (ForestRegressor(25), X[:, 0] ** 2, fewer_errors),
        (BaggingRegressor(None, 25), X[:, 0] ** 2, fewer_errors),
    ],
)
def test_a_score_of_ones_own(model, y, metric, weights):
    model = clone(model).set_params(oob_score=metric, random_state=0).fit(X, y, weights)
    assert model.oob_score_ == slow_score(model, metric, y, weights)
    assert model.oob_curve_.trees.tolist() == [10, 20, 25]
    for n_trees, score in zip(*model.oob_curve_, strict=True):
        shorter = clone(model).set_params(n_estimators=int(n_trees)).fit(X, y, weights)
        assert shorter.oob_score_ == score
    usual = clone(model).set_params(oob_score=True).fit(X, y, weights)
    same_forests(model, usual)
    assert str(model.summary_) == str(usual.summary_)
    parts = clone(model).set_params(n_estimators=7, warm_start=True, oob_score=True)
    parts.fit(X, y, weights).set_params(n_estimators=25, oob_score=metric).fit(X, y, weights)
    same_out_of_bag(model, parts)


def test_early_stopping_watches_ones_own_score():
    seen = []

    def rising(truth, told):
        seen.append(len(truth))
        return min(len(seen), 3)

    model = ForestClassifier(500, oob_score=rising, early_stopping=True, n_iter_no_change=20)
    model.set_params(random_state=0).fit(X, Y)
    assert model.oob_curve_.score.tolist() == [1.0, 2.0, 3.0, 3.0, 3.0]
    assert len(model) == 50


def test_early_stopping_has_no_use_for_nan():
    choices = {"early_stopping": True, "random_state": 0}
    with pytest.raises(DataError, match=r"early_stopping: .*given as oob_score returned NaN"):
        ForestClassifier(50, oob_score=lambda *_: np.nan, **choices).fit(X, Y)
    assert np.isnan(ForestClassifier(5, oob_score=lambda *_: np.nan).fit(X, Y).oob_score_)
    with pytest.raises(DataError, match=r"early_stopping: .*no row was out of bag"):
        ForestClassifier(50, max_samples=90.0, **choices).fit(X, Y)


def test_what_a_score_returns_must_be_a_number(tmp_path):
    model = ForestClassifier(5, oob_score=lambda truth, told: "good")
    with pytest.raises(PlanError, match=r"oob_score=.*must return one number.*'good'"):
        model.fit(X, Y)
    model = ForestClassifier(5, oob_score=balanced_accuracy_score, random_state=0).fit(X, Y)
    with pytest.warns(UserWarning, match="oob_score=.*cannot be kept in a model file"):
        silva.save(model, tmp_path / "model.silva")
    loaded = silva.load(tmp_path / "model.silva")
    assert loaded.oob_score is False
    assert loaded.oob_score_ == model.oob_score_
    assert pickle.loads(pickle.dumps(model)).oob_score_ == model.oob_score_


LATE = [
    (ForestClassifier(), Y),
    (ForestClassifier(vote="hard", max_samples=0.7), Y),
    (ForestClassifier(leaf="laplace", ccp_alpha=0.01), Y),
    (ForestClassifier(class_weight="balanced_subsample"), Y),
    (ForestClassifier(missing="stop"), Y),
    (BaggingClassifier(max_features=2, bootstrap="subsample"), Y),
    (ForestRegressor(), X[:, 0] ** 2),
    (ForestRegressor(criterion="poisson"), X[:, 1] ** 2),
    (ForestRegressor(), X[:, 0] ** 2 * 1e280),
    (BaggingRegressor(TreeRegressor(leaf="linear", max_depth=2)), X[:, 0] ** 2),
]


@pytest.mark.parametrize("weights", [None, SOME])
@pytest.mark.parametrize(("model", "y"), LATE)
def test_out_of_bag_of_a_warm_start_begun_without_it(model, y, weights, tmp_path):
    table = np.where(X > 6.5, np.nan, X)
    whole = clone(model).set_params(n_estimators=27, oob_score=True, random_state=3)
    whole.fit(table, y, weights)
    parts = clone(whole).set_params(n_estimators=13, oob_score=False, warm_start=True)
    parts.fit(table, y, weights)
    silva.save(parts, tmp_path / "model.silva")
    loaded = silva.load(tmp_path / "model.silva")
    for begun in (parts, loaded):
        begun.set_params(n_estimators=27, oob_score=True).fit(table, y, weights)
        same_forests(whole, begun)
        same_out_of_bag(whole, begun)


def test_out_of_bag_without_new_trees():
    whole = ForestRegressor(15, oob_score=True, random_state=0).fit(DX, DY)
    later = ForestRegressor(15, warm_start=True, random_state=0).fit(DX, DY)
    with pytest.warns(UserWarning, match="has 15 trees already"):
        later.set_params(oob_score=True).fit(DX, DY)
    same_out_of_bag(whole, later)
    later.set_params(n_estimators=20, oob_score=False).fit(DX, DY)
    assert not hasattr(later, "oob_score_")
    whole = ForestRegressor(30, oob_score=True, random_state=0).fit(DX, DY)
    same_out_of_bag(whole, later.set_params(n_estimators=30, oob_score=True).fit(DX, DY))


def test_a_loaded_forest_knows_its_rows(tmp_path):
    model = ForestClassifier(5, warm_start=True, random_state=0).fit(X, Y)
    silva.save(model, tmp_path / "model.silva")
    loaded = silva.load(tmp_path / "model.silva").set_params(n_estimators=9, oob_score=True)
    with pytest.raises(DataError, match="answers of other rows: y or its weights"):
        loaded.fit(X, Y[::-1])
    with pytest.raises(DataError, match="a fit of 150 rows, but X has 149"):
        loaded.fit(X[1:], Y[1:])
    assert loaded.fit(X, Y).oob_score_ > 0.9


class Interrupts:
    """Grows trees as before, until Ctrl-C comes at one of them."""

    def __init__(self, at):
        self.left = at
        self.grow = TreeByTree._arrays

    def __call__(self, grower, seed, threads):
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return self.grow(grower, seed, threads)


@pytest.mark.parametrize("oob_score", [False, True])
def test_trees_that_are_grown_one_by_one_are_interrupted(oob_score, monkeypatch):
    choices = {"class_weight": "balanced_subsample", "random_state": 0, "oob_score": oob_score}
    whole = ForestClassifier(13, **choices).fit(X, Y)
    stop = Interrupts(13)
    monkeypatch.setattr(TreeByTree, "_arrays", lambda *told: stop(*told))
    model = ForestClassifier(40, **choices)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y)
    assert not hasattr(model, "forest_")
    stop.left = 13
    with pytest.warns(UserWarning, match="interrupted: the forest has the 13 trees"):
        model.set_params(on_interrupt="keep").fit(X, Y)
    same_forests(model, whole)
    if oob_score:
        same_out_of_bag(model, whole)


def test_trees_that_are_grown_one_by_one_are_packed_one_by_one(monkeypatch):
    """Memory holds one tree that is not packed, however many there are."""
    events = []
    grow, put = TreeByTree._arrays, Packer.put
    monkeypatch.setattr(
        TreeByTree, "_arrays", lambda *told: (events.append("grown"), grow(*told))[1]
    )
    monkeypatch.setattr(Packer, "put", lambda *told: (events.append("packed"), put(*told))[1])
    ForestClassifier(12, class_weight="balanced_subsample").fit(X, Y)
    assert events == ["grown", "packed"] * 12
