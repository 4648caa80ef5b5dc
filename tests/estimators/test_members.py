"""estimators_: each member is the fitted estimator of its draws; sequence, copies, model files."""

import copy
import json
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

import silva
from silva import (
    AdaBoostClassifier,
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    ForestClassifier,
    ForestRegressor,
    ModelFormatError,
    StumpClassifier,
    TreeClassifier,
    TreeRegressor,
)
from silva.data.bind import bind_classes, bind_training
from silva.ensemble.boost import first_weights, rounds
from silva.ensemble.boost_plan import BoostPlan
from silva.estimators.members import Members
from silva.model_file import packed
from silva.model_file.estimators import boosted
from silva.model_file.estimators.save_load import KEY
from silva.tree import route
from silva.tree.columns import with_columns
from silva.tree.tree import same

X, CODES = load_iris(return_X_y=True)
Y = np.array(["setosa", "versicolor", "virginica"])[CODES]
DX, DY = load_diabetes(return_X_y=True)
FRAME = pd.DataFrame(
    {
        "length": X[:, 0],
        "kind": pd.Categorical(np.array(["a", "b", "c", "d"])[(X[:, 1] * 2).astype(int) % 4]),
        "width": np.where(X[:, 2] > 6, np.nan, X[:, 2]),
        "depth": X[:, 3],
    }
)
ENSEMBLES = [
    ForestClassifier(4, random_state=1),
    ForestClassifier(4, random_state=1, class_weight="balanced", vote="hard", n_jobs=2),
    ExtraTreesClassifier(4, random_state=1, max_depth=3),
    BaggingClassifier(StumpClassifier(), 4, random_state=1),
    BaggingClassifier(None, 4, random_state=1, max_features=0.5),
    AdaBoostClassifier(TreeClassifier(max_depth=2), n_estimators=4, random_state=1),
    AdaBoostClassifier(n_estimators=4),
]
CLASS_OF_MEMBER = [
    *(TreeClassifier, TreeClassifier, TreeClassifier, StumpClassifier, TreeClassifier),
    *(TreeClassifier, StumpClassifier),
]


@pytest.mark.parametrize(("model", "kind"), [*zip(ENSEMBLES, CLASS_OF_MEMBER, strict=True)])
def test_members_are_fitted_estimators(model, kind):
    model = clone(model).fit(X, Y)
    assert len(model.estimators_) == len(model) == len(model.trees_) == 4
    assert type(model.estimator_) is kind
    columns = getattr(model, "estimators_features_", [np.arange(4)] * 4)
    for number, member in enumerate(model):
        check_is_fitted(member)
        assert type(member) is kind
        rows = X[:, columns[number]]
        assert member.n_features_in_ == len(columns[number])
        assert member.classes_.tolist() == ["setosa", "versicolor", "virginica"]
        assert set(member.predict(rows)) <= set(Y)
        assert member.predict_proba(rows).shape == (150, 3)
        assert member.tree_.node_count == model.trees_[number].n_nodes
        assert member.feature_importances_.shape == (len(columns[number]),)
        assert str(member.summary_).startswith(f"{member.get_n_leaves()} leaves")
        assert isinstance(member.random_state, int)
    assert len({member.random_state for member in model}) == 4


def test_the_sequence():
    model = ForestClassifier(5, random_state=0).fit(X, Y)
    members = model.estimators_
    assert repr(members) == "Members(5 x TreeClassifier)"
    assert same(members[-1].grown_tree_, model.trees_[4])
    assert same(model[-2].grown_tree_, model.trees_[3])
    part = members[1:4][::-1]
    assert isinstance(part, Members)
    assert [one.random_state for one in part] == [members[i].random_state for i in (3, 2, 1)]
    assert [same(a.grown_tree_, model.trees_[i]) for a, i in zip(part, (3, 2, 1), strict=True)]
    for wrong in (5, -6):
        with pytest.raises(IndexError):
            members[wrong]
    with pytest.raises(TypeError):
        members[0] = members[1]
    assert len(list(reversed(members))) == 5
    members[0].fit(X[:, :2], CODES == 0)
    assert members[0].n_features_in_ == 4
    assert [len(model[:2]), len(list(model))] == [2, 5]


@pytest.mark.parametrize("model", ENSEMBLES)
def test_before_fit(model):
    model = clone(model)
    for name in ("estimators_", "estimator_", "estimators_samples_", "estimators_features_"):
        assert not hasattr(model, name)
    with pytest.raises(NotFittedError):
        len(model)
    assert model
    assert model.fit(X, Y)


def weights_of(model, number, sample_weight=1.0):
    counts = np.bincount(model.estimators_samples_[number], minlength=len(DY)).astype(float)
    return counts * sample_weight


@given(
    kind=st.sampled_from(["forest", "extra", "bagging"]),
    rows=st.integers(2, 25),
    max_samples=st.sampled_from([None, 0.5, 2.5, 7]),
    choices=st.fixed_dictionaries(
        {
            "min_samples_leaf": st.sampled_from([1, 2, 0.1]),
            "leaf": st.sampled_from([None, "laplace"]),
            "prune": st.sampled_from([None, "pessimistic"]),
            "missing": st.sampled_from(["learn", "own_branch"]),
        }
    ),
    seed=st.integers(0, 2**64 - 1),
    data=st.data(),
)
def test_a_member_is_the_tree_of_its_draws(kind, rows, max_samples, choices, seed, data):
    cell = st.sampled_from([0.0, 1.0, 1.5, 2.0, np.nan])
    cells = np.array(data.draw(st.lists(cell, min_size=3 * rows, max_size=3 * rows)))
    table, y = cells.reshape(rows, 3), np.array(data.draw(labels(rows)))
    weights = np.array(data.draw(st.lists(st.sampled_from([0.0, 1, 2.5]), min_size=rows)))[:rows]
    weights[0] = 1.0
    shared = {"random_state": seed, "max_samples": max_samples, "bootstrap": True}
    models = {
        "forest": lambda: ForestClassifier(3, max_features=2, **shared, **choices),
        "extra": lambda: ExtraTreesClassifier(3, max_features=2, **shared, **choices),
        "bagging": lambda: BaggingClassifier(TreeClassifier(**choices), 3, **shared),
    }
    model = models[kind]().fit(table, y, sample_weight=weights)
    for number, member in enumerate(model):
        drawn = np.bincount(model.estimators_samples_[number], minlength=rows) * weights
        assert same(member.grown_tree_, model.trees_[number])
        again = clone(member).fit(table, y, sample_weight=drawn)
        assert same(again.grown_tree_, member.grown_tree_)
        assert clone(member).get_params() == member.get_params() == again.get_params()
        assert (again.predict(table) == member.predict(table)).all()


def labels(rows):
    return st.lists(st.sampled_from(["a", "b", "c"]), min_size=rows, max_size=rows)


def test_members_of_numbers():
    for kind in (ForestRegressor, ExtraTreesRegressor):
        model = kind(3, random_state=0, max_depth=4, splits=["oblique"][: kind is ForestRegressor])
        model.fit(DX, DY)
        for number, member in enumerate(model):
            assert type(member) is TreeRegressor
            again = clone(member).fit(DX, DY, sample_weight=weights_of(model, number))
            assert same(again.grown_tree_, member.grown_tree_)
        told = np.mean([member.predict(DX) for member in model], axis=0)
        np.testing.assert_allclose(model.predict(DX), told, rtol=1e-12)


def test_parameters_of_members():
    forest = ForestClassifier(
        3, max_depth=2, n_jobs=2, class_weight={"setosa": 3.0}, leaf="laplace"
    )
    member = forest.fit(X, Y)[0]
    told = member.get_params()
    assert {name: told[name] for name in ("max_depth", "max_features", "n_jobs", "leaf")} == {
        "max_depth": 2,
        "max_features": "sqrt",
        "n_jobs": 2,
        "leaf": "laplace",
    }
    assert told["class_weight"] is None
    assert ExtraTreesClassifier(2).fit(X, Y)[0].splitter == "random"
    assert ExtraTreesClassifier(max_depth=4).estimator.get_params()["max_depth"] == 4
    forest.set_params(max_depth=7)
    assert forest[0].max_depth == 2
    tree = TreeClassifier(class_weight="balanced", n_jobs=1)
    assert BaggingClassifier(tree, 2).fit(X, Y)[1].get_params() | {"random_state": None} == (
        tree.get_params()
    )
    assert tree.random_state is None


@pytest.mark.parametrize("plan", ["CART", silva.C45(max_depth=3)])
def test_members_of_a_plan(plan):
    model = ForestClassifier(2, plan=plan, random_state=0).fit(X, Y)
    for number, member in enumerate(model):
        drawn = np.bincount(model.estimators_samples_[number], minlength=150).astype(float)
        again = clone(member).fit(X, Y, sample_weight=drawn)
        assert same(again.grown_tree_, model.trees_[number])


def test_members_of_boosting_are_the_trees_of_their_rounds():
    tree = TreeClassifier(max_depth=2, max_features=2)
    model = AdaBoostClassifier(tree, n_estimators=5, random_state=4).fit(X, Y)
    target, table = bind_classes(Y, None, None, 150), bind_training(X)
    seen = [first_weights(target)]

    class Recorder:
        def grow(self, weights, seed):
            seen.append(weights)
            member = clone(tree).set_params(random_state=seed)
            return member.fit(X, Y, sample_weight=weights).grown_tree_

    told = [one.tree for one in rounds(Recorder(), table, target, BoostPlan(5, seed=4))]
    for number, member in enumerate(model):
        assert same(member.grown_tree_, told[number])
        again = clone(member).fit(X, Y, sample_weight=seen[number + 1])
        assert same(again.grown_tree_, member.grown_tree_)


@pytest.mark.parametrize("model", ENSEMBLES)
def test_copies_and_files(model, tmp_path):
    model = clone(model).fit(FRAME, Y)
    silva.save(model, tmp_path / "model.silva")
    loaded = silva.load(tmp_path / "model.silva")
    pickled = pickle.loads(pickle.dumps(model))
    members = pickle.loads(pickle.dumps(model.estimators_))
    for other in (loaded, pickled, copy.deepcopy(model), members, copy.copy(model.estimators_)):
        for one, two in zip(model, other, strict=True):
            assert same(one.grown_tree_, two.grown_tree_)
            assert one.get_params() == two.get_params()
    names = [one.feature_names_in_.tolist() for one in model]
    assert names == [one.feature_names_in_.tolist() for one in loaded]
    unfitted = clone(model.estimators_)
    assert [one.random_state for one in unfitted] == [one.random_state for one in model]
    assert not any(hasattr(one, "grown_tree_") for one in unfitted)
    member = pickle.loads(pickle.dumps(model[2]))
    assert (member.predict(FRAME[names[2]]) == model[2].predict(FRAME[names[2]])).all()
    silva.save(model[2], tmp_path / "member.silva")
    again = silva.load(tmp_path / "member.silva")
    assert same(again.grown_tree_, model[2].grown_tree_)
    assert str(again.summary_) == str(model[2].summary_)
    assert clone(model[2]).get_params() == model[2].get_params()


def test_after_a_warm_start():
    whole = ForestClassifier(6, random_state=5).fit(X, Y)
    parts = ForestClassifier(2, random_state=5, warm_start=True).fit(X, Y)
    parts.set_params(n_estimators=6).fit(X, Y)
    assert len(parts) == 6
    for one, two in zip(whole, parts, strict=True):
        assert same(one.grown_tree_, two.grown_tree_)
        assert one.random_state == two.random_state
    for one, two in zip(whole.estimators_samples_, parts.estimators_samples_, strict=True):
        assert np.array_equal(one, two)


@pytest.mark.parametrize("table", [X, FRAME])
@pytest.mark.parametrize("choices", [{"max_features": 2}, {"bootstrap_features": True}])
@pytest.mark.parametrize("leaf", [None, "linear"])
def test_members_with_some_columns(table, choices, leaf):
    tree = TreeClassifier(leaf=leaf, max_depth=3)
    model = BaggingClassifier(tree, 6, random_state=2, **choices).fit(table, Y)
    shares = np.zeros((150, 3))
    for number, (member, columns) in enumerate(zip(model, model.estimators_features_, strict=True)):
        part = table[:, columns] if table is X else table.iloc[:, columns]
        shares += member.predict_proba(part)
        drawn = np.bincount(model.estimators_samples_[number], minlength=150).astype(float)
        again = clone(member).fit(part, Y, sample_weight=drawn)
        assert same(again.grown_tree_, member.grown_tree_)
        if table is FRAME:
            assert member.feature_names_in_.tolist() == part.columns.tolist()
    np.testing.assert_allclose(model.predict_proba(table), shares / 6, rtol=1e-12)
    sizes = {len(columns) for columns in model.estimators_features_}
    assert sizes == {2} if "max_features" in choices else sizes <= {1, 2, 3, 4} and len(sizes) > 1


def test_a_tree_over_some_of_its_columns():
    for splits in ("subset", "multiway", ["subset", "oblique"]):
        tree = TreeClassifier(splits=splits, max_depth=3).fit(FRAME, Y).grown_tree_
        wide = pd.concat(
            [FRAME.assign(one=1.0)[["one"]], FRAME, FRAME.assign(two=2.0)["two"]], axis=1
        )
        wider = TreeClassifier(splits=splits, max_depth=3).fit(wide, Y).grown_tree_
        assert same(with_columns(wider, np.arange(1, 5)), tree)
        with pytest.raises(ModelFormatError, match="asks about a column that is not its own"):
            with_columns(wider, np.array([0]))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", "mahalanobis"])
@pytest.mark.parametrize("prune", [None, "reduced_error"])
def test_trees_measure_distances_over_their_own_columns(metric, prune):
    """Rows that differ in other columns only have one prediction, missing values there too."""
    tree = TreeClassifier(splits=silva.DistanceSplits(metric), max_depth=3, prune=prune)
    choices = {"max_features": 2, "oob_score": True, "random_state": 0}
    model = BaggingClassifier(tree, 20, **choices).fit(X, Y)
    assert sum(len(one.distances.metric) for one in model.trees_) > 0
    shares = np.zeros((150, 3))
    for number, (one, columns) in enumerate(zip(model, model.estimators_features_, strict=True)):
        used = model.trees_[number].distances.columns
        assert set(used.tolist()) <= set(columns.tolist())
        shares += one.predict_proba(X[:, columns])
        other = X.copy()
        other[:, np.setdiff1d(np.arange(4), columns)] = np.nan
        assert np.array_equal(
            route.leaves(model.trees_[number], bind_training(other)),
            route.leaves(model.trees_[number], bind_training(X)),
        )
        ends = np.bincount(one.apply(X[:, columns][np.unique(model.estimators_samples_[number])]))
        grown = one.grown_tree_
        assert np.array_equal(ends[np.flatnonzero(grown.is_leaf)], grown.leaf_rows)
    np.testing.assert_allclose(model.predict_proba(X), shares / 20, rtol=1e-12)
    assert 0.8 < model.oob_score_ <= 1


def test_linear_leaves_of_members_have_no_training_figures():
    model = BaggingRegressor(TreeRegressor(leaf="linear", max_depth=2), 2, random_state=0)
    member = model.fit(DX, DY)[0]
    with pytest.raises(
        AttributeError, match=r"summary_: the training score.*member of an ensemble"
    ):
        _ = member.summary_
    assert member.fit(DX, DY).summary_.train.rows == len(DY)


def test_decision_function_is_that_of_the_members():
    model = BaggingClassifier(random_state=0).fit(X, Y)
    assert not hasattr(model, "decision_function")

    class Decides(TreeClassifier):
        def decision_function(self, rows):
            return np.log(self.predict_proba(rows) + 1.0)

    model = BaggingClassifier(Decides(max_depth=2), 3, max_features=2, random_state=0).fit(X, Y)
    pairs = zip(model, model.estimators_features_, strict=True)
    told = [member.decision_function(X[:, columns]) for member, columns in pairs]
    np.testing.assert_allclose(model.decision_function(X), np.mean(told, axis=0))


def test_old_files_of_boosting_have_no_seed(tmp_path):
    model = AdaBoostClassifier(n_estimators=3, random_state=6).fit(X, Y)
    written = json.loads(packed.parse(boosted.dumps(model)).extra[KEY])
    assert written.pop("seed") == 6
    data = packed.dumps(model.trees_, {KEY: json.dumps(written)})
    (tmp_path / "model.silva").write_bytes(data)
    loaded = silva.load(tmp_path / "model.silva")
    assert same(loaded[1].grown_tree_, model[1].grown_tree_)


class WithOwnConstructor(silva.TreeClassifier):
    def __init__(self, depth=2):
        super().__init__(max_depth=depth)
        self.depth = depth


@pytest.mark.parametrize("ensemble", [silva.BaggingClassifier, silva.AdaBoostClassifier])
def test_members_of_a_subclass_with_its_own_constructor(ensemble):
    model = ensemble(WithOwnConstructor(1), n_estimators=3).fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    assert isinstance(model[0], WithOwnConstructor)
    assert model[0].get_depth() <= 1


@pytest.mark.parametrize(
    "choices",
    [
        {"categorical_features": [0, 3]},
        {"categorical_features": ["a", "d"]},
        {"categorical_features": [True, False, False, True]},
        {"categorical_features": {"a": None, 3: [0.0, 1.0, 2.0, 3.0]}},
        {"missing": {"a": "majority", 3: "own_branch"}},
        {"splits": ["subset", {"d": "onevsrest"}], "categorical_features": ["d"]},
    ],
    ids=str,
)
def test_choices_for_columns_follow_the_columns_of_a_member(choices):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 4, size=(80, 4)).astype(float), columns=list("abcd"))
    y = rng.integers(0, 2, 80)
    tree = silva.TreeClassifier(**choices)
    model = silva.BaggingClassifier(tree, 6, max_features=2, random_state=0).fit(X, y)
    for member, columns, rows in zip(
        model, model.estimators_features_, model.estimators_samples_, strict=True
    ):
        counts = np.bincount(rows, minlength=len(y))
        again = clone(member).fit(X.iloc[:, columns], y, sample_weight=counts)
        assert same(again.grown_tree_, member.grown_tree_)


def test_an_index_beyond_the_trees_is_named():
    model = silva.ForestClassifier(3).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(IndexError, match="index 7: there are 3 trees"):
        model[7]


def test_a_forest_with_an_impossible_plan_is_still_a_classifier():
    model = silva.ForestClassifier(plan="nope")
    assert is_classifier(model)
    assert not hasattr(model, "estimator")
    assert "ForestClassifier" in model._repr_html_()


def test_other_weights_keep_the_draws_of_a_warm_start():
    X, y = np.arange(30.0)[:, None], np.arange(30) % 2
    model = silva.ForestClassifier(2, random_state=0, warm_start=True).fit(X, y)
    first = model.estimators_samples_[0].tolist()
    model.set_params(n_estimators=4, class_weight={0: 2.0}).fit(X, y)
    assert model.estimators_samples_[0].tolist() == first
    assert len(model.estimators_samples_) == 4
