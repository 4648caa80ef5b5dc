"""The core of the page's document: columns, classes, nodes and boxes."""

import json
import math

import numpy as np
import pandas as pd
import pytest

import silva
from silva.page.payload.document import FORMAT, VERSION, document
from silva.page.payload.numbers import exact
from silva.page.report import made
from silva.tree.splits import split_of


def course(examples):
    table = pd.read_csv(examples / "course.csv")
    return table.drop(columns=["rating", "liked"]), table


def read(doc):
    return json.loads(json.dumps(doc, allow_nan=False))


def ends(model, X):
    """Where rows end, as a dict from a node to the rows that are in it."""
    tree, leaves = model.grown_tree_, model.apply(X)
    return {
        node: np.flatnonzero((leaves >= node) & (leaves < tree.subtree_end[node]))
        for node in range(tree.n_nodes)
    }


def test_classes_by_counting_rows(examples):
    X, table = course(examples)
    model = silva.TreeClassifier().fit(X, table["liked"])
    doc = read(document(model, "Course"))
    assert (doc["format"], doc["version"], doc["title"]) == (FORMAT, VERSION, "Course")
    nodes, labels = doc["trees"][0]["nodes"], [one["text"] for one in doc["classes"]]
    for node, rows in ends(model, X).items():
        counts = table["liked"].iloc[rows].astype(str).value_counts(normalize=True)
        pairs = nodes["shares"][node]
        found = {labels[code]: share for code, share in zip(pairs[::2], pairs[1::2], strict=True)}
        assert found == pytest.approx(counts.to_dict())
        assert nodes["rows"][node] == len(rows)
        assert nodes["share"][node] == len(rows) / len(X)


def test_means_by_counting_rows(examples):
    X, table = course(examples)
    model = silva.TreeRegressor(max_depth=3).fit(X, table["rating"])
    doc = read(document(model))
    assert doc["classes"] is None
    nodes = doc["trees"][0]["nodes"]
    for node, rows in ends(model, X).items():
        targets = table["rating"].iloc[rows]
        assert nodes["mean"][node] == pytest.approx(targets.mean())
        assert nodes["deviation"][node] == pytest.approx(targets.std(ddof=0))


def test_splits_are_those_of_the_tree(examples):
    table = pd.read_csv(examples / "loans.csv")
    target = table.columns[-1]
    model = silva.TreeClassifier(missing="learn").fit(table.drop(columns=target), table[target])
    doc = read(document(model))
    for node, told in enumerate(doc["trees"][0]["nodes"]["split"]):
        split = split_of(model.grown_tree_, node)
        if split is None:
            assert told is None
        else:
            assert told["kind"] == type(split).__name__.lower()
            assert told["missing"] == split.missing_child


def test_levels_of_unused_columns_are_left_out():
    names = [f"person {number}" for number in range(40)]
    X = pd.DataFrame({"who": names, "age": np.arange(40.0)})
    with pytest.warns(silva.DataWarning, match="identifiers"):
        model = silva.TreeClassifier(max_depth=1).fit(X, X["age"] > 20)
    doc = document(model)
    assert [one["used"] for one in doc["columns"]] == [False, True]
    assert "person" not in json.dumps(doc)


def test_numbers_that_json_cannot_hold():
    assert exact([math.inf, -math.inf, math.nan, 1.5]) == ["Infinity", "-Infinity", "NaN", 1.5]
    assert exact({"a": (np.float64(2.0), np.array([np.inf]))}) == {"a": [2.0, ["Infinity"]]}


def test_a_threshold_at_minus_infinity():
    X = np.array([[np.nan], [np.nan], [1.0], [1.0]])
    model = silva.TreeClassifier().fit(X, [0, 0, 1, 1])
    told = document(model)["trees"][0]["nodes"]["split"][0]
    assert told["threshold"] == "-Infinity"


def test_boxes_beyond_the_limit_are_left_out(monkeypatch):
    monkeypatch.setattr("silva.page.payload.cards.MOST_CARDS", 5)
    X = np.random.default_rng(0).normal(size=(200, 2))
    model = silva.TreeClassifier().fit(X, X[:, 0] * X[:, 1] > 0)
    tree = document(model)["trees"][0]
    rows = [tree["nodes"]["rows"][node] for node, card in enumerate(tree["cards"]) if card]
    assert len(rows) == 5
    assert sorted(tree["nodes"]["rows"])[-5:] == sorted(rows)


def test_boxes_of_numbers_draw_the_targets_of_given_rows(examples):
    X, table = course(examples)
    model = silva.TreeRegressor(max_depth=2).fit(X, table["rating"])
    drawn = made(model, X, table["rating"], cv=None).document["trees"][0]["cards"][0]
    bins = [one for one in drawn["rects"] if one[4] == "target"]
    assert len(bins) == table["rating"].nunique()
    highest = max(bins, key=lambda one: one[3])
    assert highest[3] / min(one[3] for one in bins) == pytest.approx(
        table["rating"].value_counts().max() / table["rating"].value_counts().min(), rel=0.01
    )
    hidden = made(model, X, table["rating"], cv=None, min_cell=3).document["trees"][0]["cards"][0]
    assert len([one for one in hidden["rects"] if one[4] == "target"]) <= 1
