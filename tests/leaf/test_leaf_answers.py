"""What leaves answer: class shares and means, from hand-made leaves."""

from dataclasses import replace

import numpy as np
import pytest

from silva.data.schema import Column, Schema
from silva.leaf import constant, distribution
from silva.tree import decision
from silva.tree.builder import Moments, TreeBuilder
from silva.tree.splits import Threshold

SCHEMA = Schema((Column("x", "continuous"),))


@pytest.fixture
def classes_tree():
    """Three leaves: a 3, b 1; c 2; a 2, c 2."""
    builder = TreeBuilder(SCHEMA, "classification", np.array(["a", "b", "c"]), weight_unit=0.5)
    root = builder.add_split(None, 0, Threshold(0, 1.0, 0, 0), 0.2)
    builder.add_leaf(root, 0, rows=4, stats={0: 3, 1: 1})
    right = builder.add_split(root, 1, Threshold(0, 2.0, 0, 0), 0.1)
    builder.add_leaf(right, 0, rows=2, stats={2: 2})
    builder.add_leaf(right, 1, rows=4, stats={0: 2, 2: 2})
    return builder.finish()


@pytest.fixture
def numbers_tree():
    builder = TreeBuilder(SCHEMA, "regression")
    root = builder.add_split(None, 0, Threshold(0, 1.0, 0, 0), 1.0)
    builder.add_leaf(root, 0, rows=2, stats=Moments(2, 3, 5, 1.5))
    builder.add_leaf(root, 1, rows=1, stats=Moments(1, 7, 49, 7.0))
    return builder.finish()


SHARES = [[0.75, 0.25, 0.0], [0.0, 0.0, 1.0], [0.5, 0.0, 0.5]]


def test_probabilities_are_dense_shares(classes_tree):
    assert distribution.probabilities(classes_tree).tolist() == SHARES


@pytest.mark.parametrize("leaves", [[], [2], [1, 1, 0], [2, 0, 1, 2, 0, 0, 1]])
def test_probabilities_of_chosen_leaves(classes_tree, leaves):
    numbers = np.array(leaves, dtype=np.int64)
    expected = np.array([SHARES[leaf] for leaf in leaves]).reshape(-1, 3)
    assert np.array_equal(distribution.probabilities(classes_tree, numbers), expected)
    assert np.array_equal(distribution.probabilities_of_rows(classes_tree, numbers), expected)


def test_majority_takes_the_lowest_code_among_equals(classes_tree):
    assert decision.leaf_codes(classes_tree).tolist() == [0, 2, 0]
    assert decision.right_units(classes_tree).tolist() == [3, 2, 2]


def test_the_cheapest_class_and_ties(classes_tree):
    costs = ((0.0, 0.1, 0.3), (0.1, 0.0, 0.3), (9.0, 9.0, 0.0))
    units = np.array([[1, 1, 0], [2, 1, 0], [29, 0, 1], [30, 0, 1], [0, 31, 1]])
    heavy = replace(classes_tree.leaf_stats, weight=classes_tree.leaf_stats.weight * 100)
    tree = replace(classes_tree, costs=costs, leaf_stats=heavy)
    assert decision.codes_of(tree, units).tolist() == [0, 0, 2, 0, 1]
    assert decision.codes_of(tree, np.array([[500, 500, 0]])).tolist() == [0]


def test_class_weights_of_the_whole_tree(classes_tree):
    assert distribution.class_weights(classes_tree).tolist() == [5.0, 1.0, 4.0]


def test_means(numbers_tree):
    assert constant.values(numbers_tree).tolist() == [1.5, 7.0]


def test_the_wrong_kind_of_tree_is_told(classes_tree, numbers_tree):
    with pytest.raises(TypeError, match="classification tree has no leaf means"):
        constant.values(classes_tree)
    with pytest.raises(TypeError, match="regression tree has no class"):
        decision.leaf_codes(numbers_tree)
    with pytest.raises(TypeError, match="regression tree has no class"):
        distribution.classes(numbers_tree)
