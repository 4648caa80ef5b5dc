"""Trees of one long path, or of one node with many children: no recursion, no square time."""

import copy
import pickle

import numpy as np
import pytest

from silva.data.schema import Column, Schema
from silva.export.outline import outline
from silva.export.text import to_text
from silva.tree import stats
from silva.tree.builder import TreeBuilder
from silva.tree.collapse import collapse
from silva.tree.shown import Limits
from silva.tree.splits import STOP, Multiway, Threshold
from silva.tree.tree import same
from silva.tree.view import TreeView
from tests.tree.tree_samples import chain

N_INNER = 100_000


@pytest.fixture(scope="module")
def tree():
    return chain(N_INNER)


def test_facts(tree):
    assert tree.n_nodes == 2 * N_INNER + 1
    assert stats.depth(tree).max() == N_INNER
    assert stats.node_rows(tree)[0] == N_INNER + 1
    assert stats.gain_below(tree)[0] == pytest.approx((N_INNER + 2) / 2 - 1 / (N_INNER + 1), 1e-9)
    assert len(stats.node_mean(tree)) == tree.n_nodes


def test_copies_are_the_same(tree):
    for twin in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree)):
        assert twin is not tree
        assert same(twin, tree)


def test_collapse(tree):
    shorter = collapse(tree, np.flatnonzero(stats.depth(tree) >= 10))
    assert shorter.n_nodes == 21
    assert shorter.leaf_rows[-1] == N_INNER + 1 - 10


def test_text(tree):
    assert len(str(tree).splitlines()) < 250
    text = outline(TreeView(tree), Limits(max_depth=5000))
    assert len(text.splitlines()) == 2 * 5000 + 5
    assert len(text) < 3_000_000
    assert "[depth 5000] x >= 4999" in text


def test_one_node_with_many_children():
    n_levels = 50_000
    schema = Schema((Column("id", "categorical", tuple(range(n_levels))),))
    build = TreeBuilder(schema, "classification", np.array([0, 1]))
    root = build.add_split(None, 0, Multiway(0, tuple(range(n_levels)), STOP, STOP))
    for level in range(n_levels):
        build.add_leaf(root, level, 1, {level % 2: 1})
    tree = build.finish()
    assert same(pickle.loads(pickle.dumps(tree)), tree)
    lines = to_text(tree).splitlines()
    assert len(lines) == n_levels + 5
    assert lines[n_levels + 1] == "└─ id = 49999 → 1 (1 row: class 1 100%)"
    assert collapse(tree, [0]).n_nodes == 1


def test_the_builder():
    build = TreeBuilder(chain(1).schema, "classification", np.array([0, 1]))
    parent, child = None, 0
    for depth in range(20_000):
        parent = build.add_split(parent, child, Threshold(0, float(depth), 0, 0))
        build.add_leaf(parent, 0, 1, {0: 1})
        child = 1
    build.add_leaf(parent, 1, 1, {1: 1})
    assert stats.depth(build.finish()).max() == 20_000
