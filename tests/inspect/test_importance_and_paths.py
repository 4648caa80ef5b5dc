"""Importances by hand and paths through a small tree."""

from itertools import pairwise

import numpy as np
import pytest

from silva import ForestClassifier
from silva.data.schema import Column, Schema
from silva.inspect import paths as paths_module
from silva.inspect.importance import column_uses, impurity_importance, split_columns
from silva.inspect.paths import forest_paths, paths
from silva.tree.builder import TreeBuilder
from silva.tree.splits import Multiway, Oblique, Subset, Threshold

SCHEMA = Schema(
    (
        Column("x", "continuous"),
        Column("kind", "categorical", ("a", "b")),
        Column("unused", "continuous"),
    )
)


def tree_of(gains: tuple[float, float]):
    """x < 1 (8 rows), then kind in {b} (6 rows); leaves 2, 3, 4 after pre-order numbering."""
    builder = TreeBuilder(SCHEMA, "classification", np.array([0, 1]))
    root = builder.add_split(None, 0, Threshold(0, 1.0, 0, 0), gains[0])
    builder.add_leaf(root, 0, rows=2, stats={0: 2})
    right = builder.add_split(root, 1, Subset(1, (1,), (), 0, 0), gains[1])
    builder.add_leaf(right, 0, rows=3, stats={0: 3})
    builder.add_leaf(right, 1, rows=3, stats={1: 3})
    return builder.finish()


def test_importance_is_gain_by_weight():
    found = impurity_importance(tree_of((0.25, 0.5)))
    assert found == pytest.approx([2 / 5, 3 / 5, 0.0])


def test_no_gain_gives_zeros():
    assert impurity_importance(tree_of((0.0, 0.0))).tolist() == [0.0, 0.0, 0.0]


def test_split_columns():
    assert split_columns(tree_of((0.1, 0.1))).tolist() == [0, -1, 1, -1, -1]


def tree_of_sums():
    """0.5 x + [kind = a] - [kind = b] < 1 (8 rows), then one child for each kind (6 rows)."""
    builder = TreeBuilder(SCHEMA, "classification", np.array([0, 1]))
    split = Oblique((1, 0, 1), (0, -1, 1), (1.0, 0.5, -1.0), 1.0, 0)
    root = builder.add_split(None, 0, split, 0.25)
    builder.add_leaf(root, 0, rows=2, stats={0: 2})
    right = builder.add_split(root, 1, Multiway(1, (0, 1), 0, 0), 0.5)
    builder.add_leaf(right, 0, rows=3, stats={0: 3})
    builder.add_leaf(right, 1, rows=3, stats={1: 3})
    return builder.finish()


def test_several_columns_share_the_gain_of_a_split_equally():
    assert impurity_importance(tree_of_sums()) == pytest.approx([1 / 5, 4 / 5, 0.0])
    assert [part.tolist() for part in column_uses(tree_of_sums())] == [[0, 0, 2], [0, 1, 1]]
    assert split_columns(tree_of_sums()).tolist() == [-1, -1, 1, -1, -1]


def test_paths_end_at_the_nodes():
    start, passed = paths(tree_of((0.1, 0.1)), np.array([4, 1, 0, 3]))
    parts = [passed[a:b].tolist() for a, b in pairwise(start)]
    assert parts == [[0, 2, 4], [0, 1], [0], [0, 2, 3]]


def test_no_rows_have_no_paths():
    start, passed = paths(tree_of((0.1, 0.1)), np.array([], dtype=np.int64))
    assert start.tolist() == [0]
    assert passed.tolist() == []


@pytest.mark.parametrize("at_once", [7, 1 << 16])
def test_paths_of_a_forest_are_those_of_its_trees_side_by_side(at_once, monkeypatch):
    monkeypatch.setattr(paths_module, "ROWS_AT_ONCE", at_once)
    rng = np.random.default_rng(0)
    table = rng.normal(size=(50, 3))
    model = ForestClassifier(4, random_state=0).fit(table, rng.integers(0, 3, 50))
    ends = model.apply(table)
    start, passed, first = forest_paths(model.trees_, ends)
    for row in range(50):
        expected = []
        for number, tree in enumerate(model.trees_):
            _, nodes = paths(tree, ends[row : row + 1, number])
            expected += (nodes + first[number]).tolist()
        assert passed[start[row] : start[row + 1]].tolist() == expected
    indicator, begin = model.decision_path(table)
    assert indicator.shape == (50, first[-1])
    assert begin.tolist() == first.tolist()
    assert indicator.indices.tolist() == passed.tolist()
    assert indicator.indptr.tolist() == start.tolist()
    assert (indicator.data == 1).all()
    assert indicator.has_canonical_format
    assert model.decision_path(table[:0])[0].shape == (0, first[-1])
