"""Whatever shows the class of a row shows the one that `predict` returns."""

import pickle
import re
import tempfile
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import silva
from silva.errors import PlanError
from silva.inspect.dialog import Dialog
from silva.inspect.leaf_table import leaf_table
from silva.inspect.predicted import predicted
from silva.page.payload.nodes import nodes
from silva.tree.view import TreeView

CLASSES = ("ash", "birch", "cedar", "elm")


@st.composite
def tables(draw):
    """A table with repeated values, so that leaves are not pure, its classes and weights."""
    n_rows, n_classes = draw(st.integers(4, 14)), draw(st.integers(2, 4))

    def column(values):
        return draw(st.lists(st.sampled_from(values), min_size=n_rows, max_size=n_rows))

    frame = pd.DataFrame(
        {
            "size": np.array(column((0.0, 1.0, 2.0, np.nan))),
            "town": pd.Categorical(column(("x", "y", "z")), categories=["x", "y", "z"]),
        }
    )
    labels = np.array([*CLASSES[:n_classes], *column(CLASSES[:n_classes])[n_classes:]])
    weights = draw(st.none() | st.just(np.array(column((0.5, 1.0, 3.0)))))
    return frame, labels, weights


@st.composite
def cases(draw):
    """A model whose nodes may predict another class than their most frequent one, and rows."""
    frame, labels, weights = draw(tables())
    n_classes, depth = len(set(labels)), draw(st.integers(1, 2))
    missing = draw(st.sampled_from(("learn", "stop"))) if frame["size"].notna().all() else "learn"
    kind = draw(st.sampled_from(("costs", "m_estimate", "balanced")))
    choices = {"max_depth": depth, "missing": missing}
    if kind == "costs":
        cost = st.sampled_from((0.0, 0.1, 1.0, 7.0, 20.0))
        costs = np.array(
            draw(st.lists(cost, min_size=n_classes**2, max_size=n_classes**2))
        ).reshape(n_classes, n_classes)
        np.fill_diagonal(costs, 0.0)
        costs[0, -1] = max(costs[0, -1], 1.0)
        model = silva.OptimalTreeClassifier(costs=costs, time_limit=None, **choices)
    elif kind == "m_estimate":
        model = silva.TreeClassifier(leaf=silva.MEstimate(draw(st.sampled_from((1, 9)))), **choices)
    else:
        model = silva.TreeClassifier(class_weight="balanced", **choices)
    return model, frame, labels, weights


@settings(max_examples=60)
@given(cases(), st.sampled_from(("fitted", "pickled", "saved")))
def test_every_presenter_shows_what_is_predicted(case, how):
    model, frame = fitted(*case)
    told = model.predict(frame).tolist()
    model = copied(model, how)
    assert model.predict(frame).tolist() == told
    by_node = dict(zip(model.apply(frame).tolist(), told, strict=True))
    for shown in (in_text(model), in_picture(model), in_rules(model), in_leaf_table(model)):
        both = by_node.keys() & shown.keys()
        assert {node: shown[node] for node in both} == {node: by_node[node] for node in both}
    assert silva.rules(model).predict(frame).tolist() == told
    assert silva.rules(model, simplify=True).predict(frame).tolist() == told
    assert predicted(model.grown_tree_, frame).told.tolist() == told
    reasons = silva.explain(model, frame)
    assert [one.prediction for one in reasons] == told
    assert reasons.to_frame()["prediction"].tolist() == told
    assert [re.match(r"\w+", one.sentence)[0] for one in reasons] == told
    for number in range(len(frame)):
        row = frame.iloc[[number]]
        assert silva.inspect.flips(model, row).prediction == told[number]
        assert in_dialog(model, row.iloc[0]) == told[number]
    assert in_page(model) == {node: in_view(model)[node] for node in in_page(model)}
    features = silva.LeafFeatures(model)
    votes = features.transform(frame) @ features.weights()
    assert np.allclose(votes, model.predict_proba(frame))


def fitted(model, frame, labels, weights):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(frame, labels, sample_weight=weights), frame


def copied(model, how):
    """The model itself, or what became of it in bytes."""
    if how == "pickled":
        return pickle.loads(pickle.dumps(model))
    if how == "fitted":
        return model
    with tempfile.TemporaryDirectory() as folder:
        silva.save(model, f"{folder}/model.silva")
        return silva.load(f"{folder}/model.silva")


def leaves(model):
    return np.flatnonzero(model.grown_tree_.is_leaf).tolist()


def in_text(model):
    """What the lines of the leaves say, by node."""
    labels = re.findall(r"→ (\w+)", silva.to_text(model))
    return dict(zip(leaves(model), labels, strict=True))


def in_picture(model):
    """What the boxes of the leaves say, by node; what they tell screen readers is the same."""
    svg = silva.to_svg(model)
    boxes = re.findall(
        r"<title>Node (\d+),.*?% (\w+),[^<]*leaf</title>.*?\"answer\"[^>]*>(\w+)<", svg
    )
    assert all(name == label for _, name, label in boxes)
    assert len(boxes) == len(leaves(model))
    return {int(node): label for node, _, label in boxes}


def in_rules(model):
    return {rule.nodes[0]: rule.prediction for rule in silva.rules(model)}


def in_leaf_table(model):
    table = leaf_table(model)
    return dict(zip(table.nodes.tolist(), model.classes_[table.codes].tolist(), strict=True))


def in_view(model):
    return {record.number: record.answer for record in TreeView(model.grown_tree_)}


def in_page(model):
    codes = nodes(TreeView(model.grown_tree_))["code"]
    return dict(enumerate(model.classes_[codes].tolist()))


def in_dialog(model, row):
    state = Dialog(model)
    while not state.finished:
        name = state.question.column
        state = state.answer(None if row[name] != row[name] else row[name])
    return state.result.prediction


def test_costs_that_move_a_prediction():
    model, frame = moved()
    assert model.predict([[0.0]]).tolist() == ["b"]
    assert "least expected cost" in silva.to_text(model)
    assert model.summary_.train.tree == model.score(frame, MOVED)


def test_arrays_that_would_show_another_class_are_refused():
    model = moved()[0]
    with pytest.raises(PlanError, match=r"tree_\.value: .* predict_proba"):
        _ = model.tree_.value


MOVED = np.array(list("aaaaaabbb" + "c" * 9))


def moved():
    """Six rows are a and three b where x is 0, and to call b a is dear."""
    rows = np.repeat([[0.0], [1.0]], 9, axis=0)
    costs = [[0, 1, 1], [20, 0, 1], [1, 1, 0]]
    return silva.OptimalTreeClassifier(max_depth=1, costs=costs).fit(rows, MOVED), rows
