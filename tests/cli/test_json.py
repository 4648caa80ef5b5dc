"""Models as JSON: valid, exact, with the keys that the documentation names."""

import json
import math
import warnings

import numpy as np
import pandas as pd
import pytest

import silva
from tests.cli.model_zoo import KINDS

KEYS = ["model", "importances", "summary", "pruning", "search", "trees"]
NODE = {"number", "depth", "parent", "edge", "split", "children", "edges", "stops", "rows"}
NODE |= {"weight", "gain", "answer", "formula"}


def refused(word):
    raise AssertionError(word)


def parsed(text):
    return json.loads(text, parse_constant=refused)


@pytest.mark.parametrize("kind", KINDS)
def test_show_prints_every_node_of_every_model(kind, zoo, silva_command):
    code, out, err = silva_command("show", zoo.path(kind), "--format", "json")
    assert (code, err) == (0, "")
    found = parsed(out)
    assert list(found) == ["file", *KEYS]
    model = zoo.models[kind]
    trees = list(getattr(model, "trees_", None) or [getattr(model, "grown_tree_", model)])
    assert [len(one["nodes"]) for one in found["trees"]] == [tree.n_nodes for tree in trees]
    assert math.isclose(sum(one["vote"] for one in found["trees"]), 1.0)
    own = {"mean", "deviation"} if kind.endswith("numbers") else {"shares"}
    assert all(set(node) == NODE | own for tree in found["trees"] for node in tree["nodes"])
    if hasattr(model, "feature_importances_"):
        assert list(found["importances"].values()) == model.feature_importances_.tolist()


def predicted(nodes, row):
    """The answer for a row without missing values, by thresholds and subsets alone."""
    node = nodes[0]
    while node["split"] is not None:
        split = node["split"]
        value = row[split["columns"][0]]
        child = split["codes"][value] if split["kind"] == "multiway" else 1
        if split["kind"] == "threshold":
            child = int(not value < split["threshold"])
        node = nodes[node["children"][child]]
    return node["answer"]


def test_numbers_are_exact(tmp_path, silva_command):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300) * 1e-300})
    y = rng.normal(size=300)
    model = silva.TreeRegressor(max_depth=6).fit(X, y)
    silva.save(model, tmp_path / "m.silva")
    (tree,) = parsed(silva_command("show", tmp_path / "m.silva", "--format", "json")[1])["trees"]
    answers = [predicted(tree["nodes"], row) for row in X.to_dict("records")]
    assert answers == model.predict(X).tolist()


def test_linear_leaves_print_their_formula(tmp_path, silva_command):
    X = pd.DataFrame({"a": np.arange(100.0)})
    model = silva.TreeRegressor(leaf="linear", max_depth=1).fit(X, X["a"] ** 2)
    silva.save(model, tmp_path / "m.silva")
    (tree,) = parsed(silva_command("show", tmp_path / "m.silva", "--format", "json")[1])["trees"]
    assert [node["formula"] is None for node in tree["nodes"]] == [True, False, False]


def test_one_tree_of_many(zoo, silva_command):
    _, out, _ = silva_command("show", zoo.path("forest"), "--tree", "2", "--format", "json")
    assert [one["number"] for one in parsed(out)["trees"]] == [2]
    code, _, err = silva_command("show", zoo.path("forest"), "--tree", "9", "--format", "json")
    assert (code, "from 0 to 3" in err) == (2, True)


FITS = {
    "tree": ["--prune", "cost_complexity", "--held-out", "0.3"],
    "stump": [],
    "forest": ["--set", "n_estimators=3", "--set", "oob_score=True"],
    "extra-trees": ["--set", "n_estimators=3"],
    "bagging": ["--set", "n_estimators=3"],
    "adaboost": ["--set", "n_estimators=3"],
    "optimal": ["--depth", "1"],
}


@pytest.mark.parametrize("model", FITS)
@pytest.mark.parametrize("target", ["repaid", "loan"])
def test_fit_prints_nothing_but_json(model, target, zoo, silva_command):
    if target == "loan" and model in ("adaboost", "optimal"):
        pytest.skip("for classification only")
    line = ["fit", zoo.table, "-t", target, "--model", model, *FITS[model], "--cv", "2"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code, out, err = silva_command(*line, "--format", "json")
    assert code == 0, err
    found = parsed(out)
    assert list(found) == ["rows", *KEYS, "cross_validation"]
    n_held_out = 6 if "--held-out" in line else 0
    parts = {"training": 20 - n_held_out, "pruning": 0, "validation": 0, "held_out": n_held_out}
    assert found["rows"] == parts
    assert (found["trees"] is None) == (model not in ("tree", "stump", "optimal"))
    assert (found["search"] is not None) == (model == "optimal")
    assert (found["pruning"] is not None) == ("--prune" in line)
    assert len(found["cross_validation"]["fold_scores"]) == 2


def test_parameters_are_values_and_no_python(tmp_path, silva_command):
    X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"]
    inner = silva.TreeClassifier(max_depth=3, prune=silva.MaxLeaves(4))
    models = {
        "tree": silva.TreeClassifier(prune="auto", class_weight={"a": 2.0}, min_gain=0.25),
        "bagging": silva.BaggingClassifier(inner, n_estimators=2),
        "plan": silva.TreeClassifier(plan="C45", prune=silva.MaxLeaves(2)),
    }
    found = {}
    for name, model in models.items():
        silva.save(model.fit(X, y), tmp_path / f"{name}.silva")
        _, out, _ = silva_command("info", tmp_path / f"{name}.silva", "--format", "json")
        found[name] = parsed(out)["parameters"]
    assert found["tree"] == {"prune": "auto", "class_weight": {"a": 2.0}, "min_gain": 0.25}
    pruner = {"name": "MaxLeaves", "max_leaves": 4}
    assert found["bagging"] == {
        "estimator": {"name": "TreeClassifier", "max_depth": 3, "prune": pruner},
        "n_estimators": 2,
    }
    assert found["plan"]["prune"] == {"name": "MaxLeaves", "max_leaves": 2}
    line = ["compare", tmp_path / "tree.silva", tmp_path / "plan.silva", "--format", "json"]
    compared = {
        one["what"]: (one["a"], one["b"]) for one in parsed(silva_command(*line)[1])["parameters"]
    }
    assert compared["prune"] == ("auto", {"name": "MaxLeaves", "max_leaves": 2})
    assert compared["plan"] == ("not set", "C45")
