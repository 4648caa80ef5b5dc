"""The compiled router against a plain walk, row by row."""

import math
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tree_samples import ANIMALS, animal_tree, trees

from silva.data.schema import MISSING_CODE, UNSEEN_CODE, Schema
from silva.data.table import Table
from silva.errors import DataError
from silva.tree.route import leaves
from silva.tree.splits import Subset, split_of
from silva.tree.store import dumps, loads


def leaf_of_row(tree, row):
    """The leaf in which a row ends, by asking one node after the other."""
    node = 0
    while (split := split_of(tree, node)) is not None:
        node = int(tree.child[tree.child_start[node] + child_of(split, tree, row[split.column])])
    return node


def child_of(split, tree, value):
    coded = tree.schema.columns[split.column].kind != "continuous"
    if isinstance(split, Subset):
        special = {MISSING_CODE: split.missing_child, UNSEEN_CODE: split.unseen_child}
        return special.get(value, int(value in split.codes))
    if math.isnan(value) or (coded and value < 0):
        return split.missing_child
    return int(not value < split.threshold)


@st.composite
def column_values(draw, column, n_rows):
    if column.kind == "continuous":
        kind = draw(st.sampled_from([np.float64, np.float32, np.int32]))
        values = st.integers(-3, 3) if kind is np.int32 else st.floats(width=32)
    elif column.kind == "binary" and draw(st.booleans()):
        kind, values = np.uint8, st.integers(0, 1)
    else:
        kind, values = np.int32, st.integers(UNSEEN_CODE, column.n_levels - 1)
    return np.array(draw(st.lists(values, min_size=n_rows, max_size=n_rows)), dtype=kind)


@given(trees(), st.integers(0, 12), st.data())
def test_the_router_walks_the_tree(tree, n_rows, data):
    columns = [data.draw(column_values(column, n_rows)) for column in tree.schema.columns]
    table = Table(tree.schema, tuple(columns), n_rows)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    expected = [leaf_of_row(tree, row) for row in rows]
    found = leaves(tree, table, threads=data.draw(st.integers(1, 3)))
    assert found.dtype == np.int64
    assert found.tolist() == expected
    assert leaves(loads(dumps(tree)), table).tolist() == expected


def animals():
    columns = (
        np.array([40.5, 3.0, math.nan, math.inf]),
        np.array([1, 0, 2, -1], dtype=np.int32),
        np.array([1, -2, 1, 0], dtype=np.int32),
        np.array([0, 1, 1, 0], dtype=np.uint8),
    )
    return Table(ANIMALS, columns, 4)


def test_equal_to_the_threshold_goes_right():
    assert leaves(animal_tree(), animals()).tolist() == [7, 4, 5, 7]


def test_the_table_must_have_the_trees_schema():
    table = Table(Schema(ANIMALS.columns[::-1]), animals().columns[::-1], 4)
    with pytest.raises(DataError, match="schema"):
        leaves(animal_tree(), table)


def test_the_compiled_tree_goes_with_the_tree():
    tree = animal_tree()
    leaves(tree, animals())
    gone = weakref.ref(tree)
    del tree
    assert gone() is None
