"""Subclasses of silva's estimators: what they override is called, or they are refused."""

import numpy as np
import pytest
import sklearn.ensemble
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import silva
from silva import (
    AdaBoostClassifier,
    BaggingClassifier,
    BaggingRegressor,
    ForestClassifier,
    PlanError,
    TreeClassifier,
    TreeRegressor,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
Y = (X[:, 0] > 0).astype(int)


class OtherFit(TreeClassifier):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, 1 - np.asarray(y), sample_weight)


class OtherShares(TreeClassifier):
    def predict_proba(self, X):
        return 1 - super().predict_proba(X)


class Mixin:
    def predict(self, X):
        return np.zeros(len(X))


class MixedIn(Mixin, TreeRegressor):
    pass


class OtherHook(TreeClassifier):
    def _bind_target(self, y, sample_weight, n_rows):
        return super()._bind_target(y, None, n_rows)


class Plain(TreeClassifier):
    """Another constructor and a method of its own."""

    def __init__(self, max_depth=2):
        super().__init__(max_depth=max_depth)

    def __repr__(self):
        return "Plain()"

    def depth_and_leaves(self):
        return self.get_depth(), self.get_n_leaves()


class Renamed(ForestClassifier):
    pass


class ForestOfItsOwn(ForestClassifier):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, 1 - np.asarray(y), sample_weight)


@pytest.mark.parametrize("tree", [OtherFit(), OtherShares(), OtherHook()])
@pytest.mark.parametrize("kind", [BaggingClassifier, AdaBoostClassifier])
def test_a_tree_whose_methods_would_be_ignored_is_refused(kind, tree):
    name = {"OtherFit": "fit", "OtherShares": "predict_proba", "OtherHook": "_bind_target"}
    words = (
        rf"estimator={type(tree).__name__}\(\).*{kind.__name__} does not call.*"
        rf"\('{name[type(tree).__name__]}'\)\. sklearn\.ensemble\.{kind.__name__} calls them"
    )
    with pytest.raises(PlanError, match=words):
        kind(tree, n_estimators=2).fit(X, Y)
    assert hasattr(sklearn.ensemble, kind.__name__)


def test_what_a_mixin_overrides_counts_too():
    with pytest.raises(PlanError, match=r"\('predict'\).*sklearn.ensemble.BaggingRegressor"):
        BaggingRegressor(MixedIn()).fit(X, X[:, 0])


@pytest.mark.parametrize("kind", [BaggingClassifier, AdaBoostClassifier])
def test_a_subclass_that_overrides_nothing_is_a_tree_like_any_other(kind):
    ours = kind(Plain(), n_estimators=3, random_state=0).fit(X, Y)
    same = kind(TreeClassifier(max_depth=2), n_estimators=3, random_state=0).fit(X, Y)
    assert ours.predict_proba(X).tolist() == same.predict_proba(X).tolist()


@pytest.mark.parametrize(
    ("model", "peer"),
    [
        (BaggingClassifier(DecisionTreeClassifier()), "sklearn.ensemble.BaggingClassifier"),
        (BaggingRegressor(DecisionTreeRegressor()), "sklearn.ensemble.BaggingRegressor"),
        (AdaBoostClassifier(DecisionTreeClassifier()), "sklearn.ensemble.AdaBoostClassifier"),
        (BaggingClassifier(TreeRegressor()), "sklearn.ensemble.BaggingClassifier"),
    ],
)
def test_the_class_that_takes_other_estimators_is_named(model, peer):
    with pytest.raises(PlanError, match=f"{peer} takes other estimators"):
        model.fit(X, Y)


def test_scikit_learn_calls_what_is_overridden():
    model = sklearn.ensemble.BaggingClassifier(OtherFit(), 3, random_state=0).fit(X, Y)
    assert model.score(X, 1 - Y) > 0.9


def test_stability_and_size_path_call_the_fit_of_a_subclass():
    tree = silva.stability(OtherFit(max_depth=1), X, Y, samples=2).model
    assert tree.score(X, 1 - Y) > 0.9
    assert silva.size_path(OtherFit(), X, Y, cv=2).leaves[-1] == 1


@pytest.mark.parametrize("model", [OtherFit(), ForestOfItsOwn(3)])
@pytest.mark.parametrize("kind", ["corrected", "drop_column"])
def test_importances_do_not_grow_a_subclass_again_their_own_way(model, kind):
    with pytest.raises(PlanError, match=r"growing again does not call.*\('fit'\).*'impurity'"):
        silva.importance(model.fit(X, Y), X, Y, kind)
    assert len(silva.importance(model, kind="impurity").values) == 3


@pytest.mark.parametrize("model", [Plain(), Renamed(3)])
def test_a_file_does_not_name_a_class_that_load_cannot_know(model, tmp_path):
    with pytest.raises(TypeError, match=f"not {type(model).__name__}"):
        silva.save(model.fit(X, Y), tmp_path / "model.silva")
    assert not list(tmp_path.iterdir())


def test_the_subclass_in_a_bagging_is_left_out_of_its_file(tmp_path):
    model = BaggingClassifier(Plain(), 3, random_state=0).fit(X, Y)
    with pytest.warns(UserWarning, match="cannot be kept in a model file"):
        silva.save(model, tmp_path / "model.silva")
    loaded = silva.load(tmp_path / "model.silva")
    assert loaded.predict_proba(X).tolist() == model.predict_proba(X).tolist()
