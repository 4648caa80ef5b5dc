"""The builder: any order in, pre-order out, nothing incomplete."""

import itertools

import numpy as np
import pytest

from silva.errors import ModelFormatError
from silva.tree.builder import TreeBuilder
from silva.tree.check import check
from silva.tree.splits import (
    STOP,
    VALUE,
    Distance,
    Multiway,
    Oblique,
    Subset,
    Threshold,
    columns_of,
    n_children_of,
    split_of,
)
from silva.tree.tree import same, split_tables
from tests.tree.tree_samples import (
    ANIMALS,
    CLASSES,
    PATIENTS,
    animal_tree,
    patient_tree,
    price_tree,
)


def test_nodes_are_numbered_in_preorder():
    tree = animal_tree()
    assert tree.child_start.tolist() == [0, 2, 4, 4, 6, 6, 6, 8, 8, 8]
    assert tree.child.tolist() == [1, 6, 2, 3, 4, 5, 7, 8]
    assert tree.split_kind.tolist() == [1, 1, 0, 2, 0, 0, 1, 0, 0]
    assert tree.split_index.tolist() == [0, 1, -1, 0, -1, -1, 2, -1, -1]
    assert tree.leaf_rows.tolist() == [6, 7, 3, 4, 5]


def test_splits_come_back():
    tree = animal_tree()
    assert split_of(tree, 0) == Threshold(0, 40.5, 0, 0)
    assert split_of(tree, 2) is None
    assert split_of(tree, 3) == Subset(2, (1,), (), 1, 0)
    assert split_of(tree, 6) == Threshold(1, 2.0, 0, 0)


def test_splits_of_every_kind_come_back():
    tree = patient_tree()
    assert tree.split_kind.tolist() == [3, 4, 0, 0, 0, 5, 0, 0, 2, 0, 0, 1, 0, 0, 0]
    asked = [split_of(tree, node) for node in (0, 1, 5, 8, 11)]
    codes, weights = (VALUE, VALUE, VALUE, 3), (0.5, -1.2, 3.0, 1.0)
    matrix = (1.0, 0.5, 0.0, 0.5, 2.0, 0.0, 0.0, 0.0, 1.0)
    assert asked == [
        Multiway(4, (0, 1, 2), 3, STOP),
        Oblique((0, 1, 2, 4), codes, weights, 12.25, 2),
        Distance(
            "mahalanobis", (0, 1, 3), (40.0, 22.5, 1.0), (0.125, 0.5, 1.0), matrix, 3.25, STOP
        ),
        Subset(4, (1, 3), (0, 2), STOP, STOP),
        Threshold(3, 2.0, 2, STOP),
    ]
    assert [n_children_of(split) for split in asked] == [4, 3, 2, 2, 3]
    assert [columns_of(split) for split in asked] == [(4,), (0, 1, 2, 4), (0, 1, 3), (4,), (3,)]
    assert columns_of(Oblique((4, 0, 4), (1, VALUE, 2), (1.0,) * 3, 0.0, 0)) == (4, 0)


@pytest.mark.parametrize(
    ("split", "place"),
    [
        (Threshold(0, 1.0, 2, 2), "child_start"),
        (Subset(4, (0,), (0,), 0, 0), "subset_rest"),
        (Multiway(4, (0, 1, 2), 0, 0), "child_start"),
        (Multiway(4, (1, 0), 0, 0), "multiway_codes"),
        (Oblique((0, 1), (VALUE,), (1.0, 1.0), 0.0, 0), "oblique_code"),
        (Oblique((), (), (), 0.0, 0), "oblique_start"),
        (Distance("taxicab", (0,), (1.0,), (1.0,), (), 1.0, 0), "metric"),
        (Distance("cosine", (0,), (1.0,), (1.0,), (1.0,), 1.0, 0), "distance_matrix_start"),
        (Distance("cosine", (4,), (1.0,), (1.0,), (), 1.0, 0), "distance_column"),
    ],
)
def test_splits_that_cannot_be_are_refused(split, place):
    build = TreeBuilder(PATIENTS, "classification", CLASSES)
    root = build.add_split(None, 0, split)
    for child in range(2):
        build.add_leaf(root, child, 1, {0: 1})
    with pytest.raises(ModelFormatError, match=f"^{place}"):
        build.finish()


def test_the_order_of_adding_does_not_matter():
    expected = None
    for order in itertools.permutations(range(3)):
        build = TreeBuilder(ANIMALS, "classification", CLASSES)
        root = build.add_split(None, 0, Threshold(0, 1.0, 0, 0), 0.5)
        right = build.add_split(root, 1, Subset(2, (0, 2), (), 0, 1), 0.25)
        places = [(root, 0, {0: 2}), (right, 0, {2: 1, 1: 3}), (right, 1, {2: 5})]
        for parent, child, weights in (places[i] for i in order):
            build.add_leaf(parent, child, sum(weights.values()), weights)
        tree = build.finish()
        expected = expected or tree
        assert same(tree, expected)


def test_a_root_alone_is_a_tree():
    build = TreeBuilder(ANIMALS, "classification", CLASSES)
    build.add_leaf(None, 0, 1, {2: 1})
    assert build.finish().n_nodes == 1


@pytest.mark.parametrize("sample", [animal_tree, patient_tree, price_tree])
def test_tables_of_no_split_are_empty_and_shared(sample):
    tree = check(sample())
    for kind, table in split_tables(tree).items():
        if kind not in tree.split_kind:
            assert len(table.missing_child) == 0
            assert table is split_tables(sample())[kind]


def test_a_tree_is_checked_when_it_is_finished_and_not_before():
    build = TreeBuilder(ANIMALS, "classification", CLASSES)
    build.add_leaf(None, 0, 0, {2: 1})
    assert build.unchecked().leaf_rows.tolist() == [0]
    with pytest.raises(ModelFormatError, match="leaf_rows"):
        build.finish()


def test_what_is_incomplete_is_refused():
    build = TreeBuilder(ANIMALS, "classification", CLASSES)
    with pytest.raises(ModelFormatError, match="at least one node"):
        build.finish()
    with pytest.raises(ModelFormatError, match="root"):
        build.add_leaf(0, 0, 1, {0: 1})
    root = build.add_split(None, 0, Threshold(0, 1.0, 0, 0))
    with pytest.raises(ModelFormatError, match="root"):
        build.add_leaf(None, 0, 1, {0: 1})
    build.add_leaf(root, 1, 1, {0: 1})
    with pytest.raises(ModelFormatError, match="already"):
        build.add_leaf(root, 1, 1, {0: 1})
    with pytest.raises(ModelFormatError, match="only the children"):
        build.finish()


@pytest.mark.parametrize(
    "add",
    [
        lambda build, root: build.add_leaf(root, 1, 1, {0: 2**70}),
        lambda build, root: build.add_leaf(root, 1, 1, {9: 1}),
        lambda build, root: build.add_leaf(root, 1, 1, {}),
        lambda build, root: build.add_leaf(root, 1, 0, {0: 1}),
        lambda build, root: build.add_leaf(root, 2, 1, {0: 1}),
        lambda build, root: build.add_split(root, 1, Threshold(0, 1.0, 0, 0)),
        lambda build, root: build.add_split(root, 1, Subset(1, (0,), (), 0, 0)),
    ],
)
def test_what_is_wrong_is_refused(add):
    build = TreeBuilder(ANIMALS, "classification", CLASSES)
    root = build.add_split(None, 0, Threshold(0, 1.0, 0, 0))
    build.add_leaf(root, 0, 1, {0: 1})
    add(build, root)
    with pytest.raises(ModelFormatError):
        build.finish()


def test_moments_are_kept_whole():
    stats = price_tree().leaf_stats
    assert stats.weight.tolist() == [2, 3, 1]
    assert stats.sum.tolist() == [[-1, -6], [0, 6], [0, 8]]
    assert stats.sum_of_squares.tolist() == [[0, 20], [0, 14], [0, 64]]
    assert stats.value.tolist() == [9.25, 10.5, 12.0]
    assert stats.sum.dtype == np.int64
