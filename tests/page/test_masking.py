"""min_cell: no count of few rows is anywhere in the file, in no text and no number."""

import re

import numpy as np
import pandas as pd
import pytest

import silva
from silva.page.payload.masking import hidden_of
from silva.page.report import html, text_tree
from silva.tree import stats
from tests.page.test_report import document_of, everything_in, rows


@pytest.fixture(scope="module")
def classifier():
    X, y = rows(500)
    return silva.TreeClassifier(max_depth=5).fit(X, y), X, y


@pytest.fixture(scope="module")
def regressor():
    X, _ = rows(500)
    target = np.random.default_rng(1).normal(size=500) + (X["score"] > 0) * 3
    return silva.TreeRegressor(max_depth=5).fit(X, target), X, target


@pytest.mark.parametrize("k", [2, 10, 50])
@pytest.mark.parametrize("kind", ["classifier", "regressor"])
def test_hidden_nodes_have_no_numbers(kind, k, request):
    model, *given = request.getfixturevalue(kind)
    tree = model.grown_tree_
    hidden = hidden_of(tree, k)
    count = stats.node_rows(tree)
    assert hidden.rows[(count > 0) & (count < k)].all()
    found = document_of(html(model, *given, min_cell=k))
    assert found["min_cell"] == k
    nodes, cards = found["trees"][0]["nodes"], found["trees"][0]["cards"]
    for node in range(tree.n_nodes):
        texts = [text for _, _, *told in cards[node]["texts"] for text in (told[0], told[2])]
        spoken = [*texts, cards[node]["name"]]
        if hidden.rows[node]:
            assert nodes["rows"][node] is nodes["share"][node] is None
            assert any("rows not shown" in one for one in spoken)
            assert not any(re.search(r"\d rows?\b", one) for one in spoken)
        else:
            assert nodes["rows"][node] == count[node]
        if hidden.shares[node]:
            assert nodes["interval"][node] is None
            assert not any("%" in one for one in spoken)
            assert not cards[node]["rects"]
            for name in ("shares", "deviation"):
                assert nodes.get(name) is None or nodes[name][node] is None
    assert hidden.any == (found["trees"][0]["stats"] is None)


def test_predictions_of_leaves_stay(classifier, regressor):
    """They are the model: thresholds, classes and means of leaves."""
    for model, *_ in (classifier, regressor):
        tree = model.grown_tree_
        nodes = document_of(html(model, min_cell=50))["trees"][0]["nodes"]
        leaves = np.flatnonzero(tree.is_leaf)
        if tree.classes is None:
            assert [nodes["mean"][leaf] for leaf in leaves] == stats.node_mean(tree)[
                leaves
            ].tolist()
        else:
            assert None not in nodes["code"]


def test_weights_of_leaves_do_not_follow_from_means(regressor):
    """An inner node with a hidden leaf below it has no mean: the means of leaves are told."""
    model, *_ = regressor
    tree, hidden = model.grown_tree_, hidden_of(model.grown_tree_, 20)
    nodes = document_of(html(model, min_cell=20))["trees"][0]["nodes"]
    assert hidden.any
    for node in np.flatnonzero(~tree.is_leaf):
        below = slice(node, tree.subtree_end[node])
        assert (nodes["mean"][node] is None) == bool(hidden.shares[below].any())


def test_text_tree_has_no_hidden_count(classifier):
    model, *_ = classifier
    tree = model.grown_tree_
    text = text_tree(tree, 20)
    told = [int(one) for one in re.findall(r"(\d+) rows?\b", text)]
    hidden = hidden_of(tree, 20)
    shown = stats.node_rows(tree)[~hidden.rows]
    assert sorted(told) == sorted(shown.tolist())
    assert text.count("rows not shown") == hidden.rows.sum()
    assert "20 rows" not in text


def test_more_than_the_table_hides_everything(classifier):
    model, X, y = classifier
    page = html(model, X, y, min_cell=10_000)
    found = document_of(page)
    assert set(found["trees"][0]["nodes"]["rows"]) == {None}
    assert found["about"]["fitted_rows"] is None
    assert not re.search(r"\b500 rows", everything_in(page))
    assert found["exports"] == []


def test_columns_have_no_extremes_and_no_few_missing_values(classifier):
    model, X, y = classifier
    X = X.copy()
    X["rare"] = X["score"] + 1.0
    X.loc[:2, "rare"] = np.nan
    model = silva.TreeClassifier(max_depth=3).fit(X, y)
    columns = document_of(html(model, X, y, min_cell=5))["columns"]
    assert [one["facts"]["low"] for one in columns] == [None] * 4
    assert columns[3]["facts"]["missing"] is None
    assert columns[0]["facts"]["missing"] == int(X["age"].isna().sum())
    assert {one["range"] for one in columns} == {""}


def test_levels_of_one_row_are_not_counted():
    table = pd.DataFrame({"town": ["Ulm"] * 50 + ["Bonn"] * 50 + ["Kiel", "Jena"]})
    model = silva.TreeClassifier().fit(table, [0] * 50 + [1] * 52)
    for min_cell, count in ((None, 2), (5, 0)):
        (column,) = document_of(html(model, min_cell=min_cell))["columns"]
        assert column["lone_levels"] == count


def test_nothing_is_hidden_without_min_cell(classifier):
    model, X, y = classifier
    tree = document_of(html(model, X, y))["trees"][0]
    assert tree["stats"] is not None
    assert None not in tree["nodes"]["rows"]
    assert not any("not shown" in note for note in tree["notes"])
