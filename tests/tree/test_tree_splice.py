"""One tree in the place of a branch of another, and branches as trees of their own."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silva.errors import DataError
from silva.tree.collapse import collapse
from silva.tree.splice import branch_of, one_leaf, spliced
from silva.tree.splits import split_of
from silva.tree.tree import Tree, to_arrays
from tests.tree.tree_samples import animal_tree, linear_tree, patient_tree, price_tree, trees

STATISTICS = ("gain", "leaf_rows", "class_", "moment_", "linear_")


def structure(tree: Tree) -> dict[str, list]:
    """All arrays but the statistics."""
    arrays = to_arrays(tree)
    return {name: arrays[name].tolist() for name in arrays if not name.startswith(STATISTICS)}


@given(trees(), st.data())
def test_a_branch_put_back_changes_nothing(tree: Tree, data):
    node = data.draw(st.integers(0, tree.n_nodes - 1))
    branch = branch_of(tree, node)
    assert structure(spliced(tree, node, branch)) == structure(tree)
    assert split_of(branch, 0) == split_of(tree, node)
    assert branch.n_nodes == tree.subtree_end[node] - node


@given(trees(), st.data())
def test_a_leaf_in_place_of_a_branch_is_a_collapse(tree: Tree, data):
    node = data.draw(st.integers(0, tree.n_nodes - 1))
    smaller = spliced(tree, node, one_leaf(tree))
    assert structure(smaller) == structure(collapse(tree, [node]))


@given(trees(), st.data())
def test_types_and_lengths_are_those_of_a_tree(tree: Tree, data):
    node, other = (data.draw(st.integers(0, tree.n_nodes - 1)) for _ in range(2))
    made = spliced(tree, node, branch_of(tree, other))
    for name, array in to_arrays(made).items():
        assert array.dtype == to_arrays(replace(tree, linear=None))[name].dtype
    assert made.n_leaves == np.count_nonzero(made.is_leaf)
    size = tree.subtree_end[other] - other - (tree.subtree_end[node] - node)
    assert made.n_nodes == tree.n_nodes + size


def test_raising_a_branch():
    tree = animal_tree()
    raised = spliced(tree, 0, branch_of(tree, 3))
    assert raised.n_nodes == 3
    assert split_of(raised, 0) == split_of(tree, 3)


def test_linear_models_are_gone():
    tree = linear_tree()
    assert spliced(tree, 2, branch_of(tree, 1)).linear is None


def test_other_columns_are_refused():
    with pytest.raises(DataError, match="other columns"):
        spliced(animal_tree(), 0, patient_tree())
    with pytest.raises(DataError, match="other columns"):
        spliced(animal_tree(), 0, price_tree())
