"""`silva.save` and `silva.load`: estimators come back whole, and bad files are refused."""

import json
from collections.abc import Mapping

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import silva
from silva import (
    ModelFormatError,
    PlanError,
    StumpClassifier,
    StumpRegressor,
    TreeClassifier,
    TreeRegressor,
)
from silva.model_file import store
from silva.model_file.estimators.params import decode, encode
from silva.model_file.estimators.save_load import KEY
from silva.prune.record import Pruned, Record
from silva.tree.tree import Tree, same

X, Y = load_iris(return_X_y=True)
FRAME = pd.DataFrame({"colour": ["red", "green", "blue", "red"], "size": [1.5, 2.5, 3.5, 9.0]})


@pytest.mark.parametrize("kind", [TreeClassifier, TreeRegressor, StumpClassifier, StumpRegressor])
def test_an_estimator_comes_back(kind, tmp_path):
    model = kind(min_samples_leaf=3, max_features=0.75, random_state=4).fit(X, Y, X_val=X, y_val=Y)
    silva.save(model, tmp_path / "model.silva")
    loaded = silva.load(tmp_path / "model.silva")
    assert type(loaded) is kind
    assert loaded.get_params() == model.get_params()
    assert same(loaded.grown_tree_, model.grown_tree_)
    assert np.array_equal(loaded.predict(X), model.predict(X))
    assert loaded.summary_ == model.summary_
    assert loaded.max_features_ == model.max_features_ == 3
    assert loaded.n_features_in_ == 4


def test_names_and_classes_come_back(tmp_path):
    model = TreeClassifier(class_weight={"no": 1, "yes": 2.5}, categorical_features=["colour"])
    model.fit(FRAME, ["no", "yes", "no", "yes"])
    silva.save(model, tmp_path / "model.silva")
    loaded = silva.load(str(tmp_path / "model.silva"))
    assert loaded.feature_names_in_.tolist() == ["colour", "size"]
    assert loaded.classes_.tolist() == ["no", "yes"]
    assert loaded.class_weight == {"no": 1, "yes": 2.5}
    assert loaded.predict(FRAME).tolist() == ["no", "yes", "no", "yes"]
    assert silva.to_text(loaded) == silva.to_text(model)


def test_a_bare_tree_comes_back_as_a_tree(tmp_path):
    tree = TreeClassifier().fit(X, Y).grown_tree_
    silva.save(tree, tmp_path / "tree.silva")
    loaded = silva.load(tmp_path / "tree.silva")
    assert isinstance(loaded, Tree)
    assert same(loaded, tree)


def test_saving_twice_gives_the_same_bytes(tmp_path):
    model = TreeClassifier(categorical_features=np.array([False] * 4)).fit(X, Y)
    silva.save(model, tmp_path / "one")
    silva.save(silva.load(tmp_path / "one"), tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


SETTINGS = {
    "splits": ["multiway", {"colour": "subset"}, silva.ObliqueSplits(["size"], margin=0.5)],
    "missing": {"colour": "own_branch", 1: "stop"},
    "unseen": "stop",
    "categorical_features": {"colour": ["blue", "green", "red", "white"]},
    "leaf": silva.LinearLeaf(ridge=2.0, max_columns=1),
}
PLANS = [
    "ID3",
    silva.ID3("gini", max_depth=3),
    silva.Plan("classification", "gini", splits=silva.DistanceSplits(["cosine", "euclidean"])),
    silva.Plan("classification", "gini", missing={"size": "stop"}, splits={"colour": "multiway"}),
]


@pytest.mark.parametrize("params", [SETTINGS, *({"plan": plan} for plan in PLANS)])
def test_settings_come_back(params):
    encoded = json.loads(json.dumps({name: encode(value) for name, value in params.items()}))
    assert {name: decode(name, value) for name, value in encoded.items()} == params


NEST = {"pairs": [["a", 1]]}
for _ in range(20):
    NEST = {"pairs": [["a", NEST]]}


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"setting": "Popen", "fields": {}}, "'Popen' is not a setting"),
        ({"setting": ["Plan"], "fields": {}}, "is not a setting"),
        ({"setting": "Plan"}, "setting, fields"),
        ({"setting": "Plan", "fields": []}, "must be an object"),
        ({"setting": "Plan", "fields": {}}, "missing 2 required"),
        ({"setting": "Plan", "fields": {"depth": 3}}, "fields.depth: is not a field of Plan"),
        ({"setting": "ObliqueSplits", "fields": {"margin": "big"}}, "margin='big'"),
        ({"setting": "MEstimate", "fields": {"m": -1}}, "m must be"),
        ({"pairs": [["a"]]}, "list of keys"),
        ({"pairs": [[["a"], 1]]}, "list of keys"),
        (NEST, "nested too deeply"),
    ],
)
def test_settings_that_no_silva_wrote(value, words):
    with pytest.raises(ModelFormatError, match=words):
        decode("estimator.params.plan", value)


def test_what_a_file_cannot_hold_is_left_out_with_a_warning(tmp_path):
    model = TreeClassifier(random_state=np.random.RandomState(0), max_depth=2).fit(X, Y)
    with pytest.warns(UserWarning, match="random_state=") as caught:
        silva.save(model, tmp_path / "model.silva")
    assert caught[0].filename == __file__
    loaded = silva.load(tmp_path / "model.silva")
    assert loaded.random_state is None
    assert loaded.max_depth == 2


def test_only_silva_models_are_saved(tmp_path):
    with pytest.raises(TypeError, match="not dict"):
        silva.save({}, tmp_path / "model.silva")
    with pytest.raises(ValueError, match="not fitted"):
        silva.save(TreeClassifier(), tmp_path / "model.silva")
    assert not list(tmp_path.iterdir())


def facts(**changes):
    params = TreeClassifier().get_params()
    whole = {"name": "TreeClassifier", "params": params, "weighted": False, "held_out": None}
    return json.dumps(whole | changes)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", KEY),
        ("[]", "must be an object"),
        ("{}", "must be an object of"),
        (facts(more=1), "must be an object of"),
        (facts(name="os.system"), "is not an estimator"),
        (facts(name=["TreeClassifier"]), "name must be a string"),
        (facts(name="TreeRegressor"), "cannot hold a classification tree"),
        (facts(weighted=1), "weighted must be true or false"),
        (facts(params=[]), "params: must be an object"),
        (facts(params={"depth": 1}), "params.depth: is not a parameter"),
        (facts(params={"max_depth": -1}), "params: max_depth=-1"),
        (facts(params={"n_jobs": "all"}), "params: n_jobs='all'"),
        (facts(params={"class_weight": {"a": 1}}), "params.class_weight: must be an object"),
        (facts(params={"class_weight": {"pairs": [[[1], 2]]}}), "list of keys and numbers"),
        (facts(held_out={}), "held_out: must be an object of"),
        (facts(training=[]), "training: must be an object"),
        (facts(params={"leaf": "constant"}), "params: leaf='constant'"),
        (
            facts(held_out={"tree": "1", "baseline": 0.5, "rows": 3, "weighted": False}),
            "held_out.tree: must be of type float",
        ),
        (
            facts(
                held_out={"tree": 1.0, "baseline": 0.5, "rows": 3, "weighted": False, "auc": 2.0}
            ),
            "held_out.auc: must be a number of at most 1",
        ),
    ],
)
def test_bad_facts_are_refused(text, words, tmp_path):
    tree = TreeClassifier().fit(X, Y).grown_tree_
    store.save(tree, tmp_path / "model.silva", {KEY: text})
    with pytest.raises(ModelFormatError) as caught:
        silva.load(tmp_path / "model.silva")
    assert words in str(caught.value)


def test_a_parameter_that_no_fit_takes_is_not_saved(tmp_path):
    """What is saved can be loaded: a parameter changed after the fit is judged before writing."""
    for wrong in ({"max_depth": 0}, {"n_jobs": 0}, {"ccp_alpha": float("nan")}, {"leaf": 1}):
        model = TreeClassifier().fit(X, Y).set_params(**wrong)
        with pytest.raises(PlanError, match=next(iter(wrong))):
            silva.save(model, tmp_path / "model.silva")
    assert list(tmp_path.iterdir()) == []


def test_a_parameter_that_json_cannot_hold_is_left_out_with_a_warning(tmp_path):
    model = TreeClassifier().fit(X, Y).set_params(class_weight={0: float("inf")})
    with pytest.warns(UserWarning, match="class_weight"):
        silva.save(model, tmp_path / "model.silva")
    assert silva.load(tmp_path / "model.silva").class_weight is None


def test_saving_and_loading_draw_no_random_numbers(tmp_path):
    model = TreeClassifier(splitter="random").fit(X, Y)
    np.random.seed(0)
    before = np.random.get_state()[1].tolist()
    silva.save(model, tmp_path / "model.silva")
    silva.load(tmp_path / "model.silva")
    assert np.random.get_state()[1].tolist() == before


PRUNERS = [
    *("auto", "reduced_error", "minimum_error", "pessimistic", "cost_complexity"),
    "accuracy_threshold",
    *(silva.MaxLeaves(4), silva.CriticalValue(0.05), silva.CostComplexity(alpha=0.01)),
]


def equal(one, other):
    """Whether two values of a record are equal, arrays and their types too."""
    if isinstance(one, Mapping):
        return list(one) == list(other) and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=True)
    return type(one) is type(other) and one == other


@pytest.mark.parametrize(
    ("kind", "prune"),
    [
        *((silva.TreeClassifier, prune) for prune in [*PRUNERS, "generalisation_bound"]),
        *((silva.TreeRegressor, prune) for prune in PRUNERS),
    ],
    ids=str,
)
def test_a_file_keeps_what_pruning_did(kind, prune, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    y = X[:, 0] * X[:, 1]
    y = y if kind is silva.TreeRegressor else (y + 0.1 * rng.normal(size=150) > 0).astype(int)
    for held_out in ({}, {"X_val": X[:50], "y_val": y[:50]}):
        model = kind(prune=prune).fit(X[50:], y[50:], **held_out)
        silva.save(model, tmp_path / "one.silva")
        loaded = silva.load(tmp_path / "one.silva")
        for name in Record.__dataclass_fields__:
            one, other = (getattr(m.prune_record_, name) for m in (model, loaded))
            assert equal(one, other), name
        assert str(loaded.prune_record_) == str(model.prune_record_)
        assert silva.plot_pruning(loaded.prune_record_) is not None
        silva.save(loaded, tmp_path / "two.silva")
        assert (tmp_path / "two.silva").read_bytes() == (tmp_path / "one.silva").read_bytes()


def test_an_unpruned_model_and_an_older_file_have_no_record(tmp_path):
    path = tmp_path / "model.silva"
    X, y = [[1.0], [2.0], [3.0]], [0, 1, 0]
    silva.save(silva.TreeClassifier().fit(X, y), path)
    assert b"prune_record" not in path.read_bytes()
    assert silva.load(path).prune_record_ is None


def test_a_function_in_the_record_is_kept_as_its_text(tmp_path):
    path = tmp_path / "model.silva"
    X = np.random.default_rng(0).normal(size=(80, 2))
    model = silva.TreeClassifier(prune=silva.BottomUp(lambda node: node.errors)).fit(X, X[:, 0] > 0)
    with pytest.warns(UserWarning, match="prune=BottomUp.*is left out"):
        silva.save(model, path)
    record = silva.load(path).prune_record_
    assert record.settings["f"].startswith("<function")
    assert record.steps == model.prune_record_.steps


def test_a_record_that_no_file_can_hold_is_left_out(tmp_path):
    def prune(tree, _):
        return Pruned(tree, Record("mine", {}, "m", (), 2, 2, {"odd": object()}))

    model = silva.TreeClassifier(prune=prune).fit([[1.0], [2.0]], [0, 1])
    with pytest.warns(UserWarning, match="prune_record_ cannot be kept"):
        silva.save(model, tmp_path / "model.silva")
    assert silva.load(tmp_path / "model.silva").prune_record_ is None
