"""The named walk: one record a node, with words and figures."""

import numpy as np
import pytest
from hypothesis import given

from silva.tree import stats
from silva.tree.builder import TreeBuilder
from silva.tree.linear import Smoothing
from silva.tree.splits import Threshold
from silva.tree.view import TreeView
from tests.tree.test_tree_route import leaf_of_row
from tests.tree.tree_samples import animal_tree, patient_tree, price_tree, smoothed_tree, trees


def test_records_of_a_classification_tree():
    nodes = list(TreeView(animal_tree()))
    assert [node.edge for node in nodes] == [
        "",
        "weight < 40.5",
        "tame = no",
        "tame = yes",
        "color != brown",
        "color = brown or missing",
        "weight >= 40.5",
        "size < large or missing or unseen",
        "size >= large",
    ]
    assert nodes[3].edges == ("color != brown", "color = brown or missing")
    assert [node.depth for node in nodes] == [0, 1, 2, 2, 3, 3, 1, 2, 2]
    assert [node.parent for node in nodes] == [None, 0, 1, 1, 3, 3, 0, 6, 6]
    assert [node.rows for node in nodes] == [25, 16, 6, 10, 7, 3, 9, 4, 5]
    assert [node.answer for node in nodes][:3] == ["dog", "dog", "cat"]
    assert nodes[5].shares == (("dog", 2 / 3), ("cat", 1 / 3))
    assert nodes[0].split == Threshold(0, 40.5, 0, 0)
    assert nodes[0].gain == 0.25
    assert nodes[8].is_leaf
    assert nodes[8].children == nodes[8].edges == ()


def test_records_of_a_regression_tree():
    view = TreeView(price_tree())
    assert len(view) == 5
    assert [node.edge for node in view][1:] == [
        "age is missing",
        "age is known",
        "age < 3",
        "age >= 3 or missing",
    ]
    assert view[2].mean == view[2].answer == 10.875
    assert view[-1].deviation == 0.0
    assert view[1].shares == ()
    with pytest.raises(IndexError):
        view[5]


def test_records_of_every_kind_of_split():
    nodes = list(TreeView(patient_tree()))
    assert [node.edge for node in nodes] == [
        "",
        "blood = 0",
        "0.5*age - 1.2*bmi + 3*[sex = male] + [blood = AB] < 12.25",
        "0.5*age - 1.2*bmi + 3*[sex = male] + [blood = AB] >= 12.25",
        "age or bmi or sex or blood is missing or unseen",
        "blood = A",
        DISTANCE + " < 3.25",
        DISTANCE + " >= 3.25",
        "blood = B",
        "blood in {0, B}",
        "blood in {A, AB}",
        "blood is missing",
        "pain < much",
        "pain >= much",
        "pain is missing",
    ]
    stops = {node.number: node.stops for node in nodes if node.stops}
    assert stops == {0: "unseen", 5: "missing or unseen", 8: "missing or unseen", 11: "unseen"}


DISTANCE = (
    "mahalanobis distance to (age 40, bmi 22.5, position(pain) 1) scaled by (0.125, 0.5, 1)"
    " with matrix ((1, 0.5, 0), (0.5, 2, 0), (0, 0, 1))"
)


def test_a_prior_can_move_the_answer():
    plain, smoothed = TreeView(animal_tree()), TreeView(smoothed_tree())
    assert [node.answer for node in smoothed] == [node.answer for node in plain]
    build = TreeBuilder(
        animal_tree().schema,
        "classification",
        np.array(["a", "b"]),
        smoothing=Smoothing(10.0, "root"),
    )
    root = build.add_split(None, 0, Threshold(0, 1.0, 0, 0))
    build.add_leaf(root, 0, 3, {0: 2, 1: 1})
    build.add_leaf(root, 1, 9, {1: 9})
    assert [node.answer for node in TreeView(build.finish())] == ["b", "b", "b"]


def test_the_first_of_equal_classes_answers():
    tree = animal_tree()
    assert stats.node_class_units(tree)[1].tolist() == [7, 9, 0]
    assert TreeView(tree)[1].answer == "dog"


@given(trees())
def test_records_agree_with_the_arrays(tree):
    view = TreeView(tree)
    nodes = list(view)
    assert [node.number for node in nodes] == list(range(tree.n_nodes))
    assert [node.rows for node in nodes] == stats.node_rows(tree).tolist()
    assert [node.weight for node in nodes] == stats.node_weight(tree).tolist()
    for node in nodes:
        assert len(node.edges) == len(node.children)
        for child, edge in zip(node.children, node.edges, strict=True):
            assert nodes[child].edge == edge
            assert nodes[child].parent == node.number
        if node.shares:
            assert sum(share for _, share in node.shares) == pytest.approx(1.0)
    assert nodes[-1] == view[-1]


def test_chunks_do_not_show(monkeypatch):
    tree = animal_tree()
    expected = list(TreeView(tree))
    monkeypatch.setattr("silva.tree.view.CHUNK_CELLS", 6)
    assert list(TreeView(tree)) == expected


def test_words_state_what_the_router_does():
    tree = animal_tree()
    view = TreeView(tree)
    nan, missing, unseen = np.nan, -1, -2
    told = {
        row: path(view, leaf_of_row(tree, row))
        for row in (
            (nan, 0, 1, 0),
            (50.0, missing, 0, 0),
            (50.0, unseen, 0, 0),
            (1.0, 0, missing, missing),
        )
    }
    assert list(told.values()) == [
        ["weight < 40.5", "tame = no"],
        ["weight >= 40.5", "size < large or missing or unseen"],
        ["weight >= 40.5", "size < large or missing or unseen"],
        ["weight < 40.5", "tame = yes", "color = brown or missing"],
    ]


def path(view, number):
    node, told = view[number], []
    while node.parent is not None:
        told.insert(0, node.edge)
        node = view[node.parent]
    return told
